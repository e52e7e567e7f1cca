-- id: V01
-- title: courses with good grades of a student
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- numeric: 2
-- expect XS (181): 3 rows 3c1076dfd3f400d1
-- expect XS (76): 6 rows 0020f1719b37b50e
-- expect S (9019): 6 rows 85083644ca05cd88
-- expect S (3777): 5 rows 4f9adbaaeddbc872
SELECT c.short_code, t.semester, t.grade
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.student_id = $1 AND t.grade >= 2
ORDER BY t.grade DESC, c.short_code, t.semester
