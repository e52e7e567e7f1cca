-- id: E39
-- title: 20 enrolments behind those of a student
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 20 rows 4cd2c6f137819741
-- expect XS (76): 20 rows cdca8cbf79ce0f06
-- expect S (9019): 20 rows 094418ab5b4e9181
-- expect S (3777): 20 rows 9872b27ee5f550e8
-- expect M (90186): 20 rows 97265b36db4df03c
-- expect M (37768): 20 rows 55882b1516aa9269
-- expect L (270556): 20 rows caa1ed761448031e
-- expect L (113302): 20 rows 17bafce1c58d1637
SELECT student_id, course_id, semester
FROM takes
WHERE student_id > $1
ORDER BY student_id, course_id, semester
LIMIT 20
