-- id: E27
-- title: enrolments whose grade is above that of the one before
-- group: everyday
-- expect XS (): 1 rows 0000000029275647
-- expect S (): 1 rows 00000000bce6d86a
-- expect M (): 1 rows 000000006ec9f6ad
-- expect L (): 1 rows 00000000ef782a93
SELECT count(*), count(DISTINCT student_id)
FROM (
  SELECT student_id, grade,
    lag(grade) OVER (PARTITION BY student_id ORDER BY taken_on, course_id) AS before
  FROM takes) graded
WHERE grade > before
