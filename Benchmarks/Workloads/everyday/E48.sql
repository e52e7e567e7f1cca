-- id: E48
-- title: enrolments of neighbours in the same course
-- group: everyday
-- ordered: yes
-- expect XS (): 10 rows 34c660df3f51494a
-- expect S (): 10 rows d6beb6b6f9ad84b2
-- expect M (): 10 rows efdde0854aff0588
-- expect L (): 10 rows 2e0d11796108e8e6
SELECT a.course_id, count(*) AS pairs
FROM takes a
JOIN takes b
  ON b.course_id = a.course_id AND b.student_id > a.student_id
    AND b.student_id < a.student_id + 10
GROUP BY a.course_id
ORDER BY pairs DESC, a.course_id
LIMIT 10
