-- id: E40
-- title: 20 enrolments before those of a student, with the names of the courses
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 20 rows eae121bdef190568
-- expect XS (76): 20 rows 4ade8ee8b8253eed
-- expect S (9019): 20 rows 3d605e2c05dfdd7d
-- expect S (3777): 20 rows d535614899e5f028
-- expect M (90186): 20 rows 207dd6c4676bc838
-- expect M (37768): 20 rows 2a146075246a9809
-- expect L (270556): 20 rows 0326de97da9a0ed7
-- expect L (113302): 20 rows 58084b8800329ecc
SELECT t.student_id, t.course_id, t.semester, c.name
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.student_id < $1
ORDER BY t.student_id DESC, t.course_id, t.semester
LIMIT 20
