-- id: E44
-- title: 20 enrolments behind one, in the order of student and course
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 20 rows 4cd2c6f137819741
-- expect XS (76): 20 rows cdca8cbf79ce0f06
-- expect S (9019): 20 rows 8b4ba141550ac7df
-- expect S (3777): 20 rows ecd14cb710557d6f
-- expect M (90186): 20 rows 0d4cf5d016c6f3e4
-- expect M (37768): 20 rows 1e886906474efc4d
-- expect L (270556): 20 rows 0cf5c57d6f6062b7
-- expect L (113302): 20 rows 62b4f5affd583929
SELECT student_id, course_id, semester
FROM takes
WHERE (student_id, course_id) > ($1, 50)
ORDER BY student_id, course_id, semester
LIMIT 20
