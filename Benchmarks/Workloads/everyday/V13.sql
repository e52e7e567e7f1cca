-- id: V13
-- title: students who took a course again and did better
-- group: everyday
-- expect XS (): 1 rows 00000000612bc6e7
-- expect S (): 1 rows 00000000901312d1
-- expect M (): 1 rows 000000009b878c66
-- expect L (): 1 rows 00000000776ab7a8
SELECT count(DISTINCT a.student_id)
FROM takes a
JOIN takes b
  ON a.student_id = b.student_id AND a.course_id = b.course_id
  AND b.semester > a.semester AND b.grade > a.grade
