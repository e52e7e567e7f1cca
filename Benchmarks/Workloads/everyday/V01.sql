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
-- expect M (90186): 5 rows 490659793b4be8fc
-- expect M (37768): 4 rows 3065c3dba28df098
-- expect L (270556): 5 rows 33971806b7f2e35b
-- expect L (113302): 2 rows b4e41486b559ab80
SELECT c.short_code, t.semester, t.grade
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.student_id = $1 AND t.grade >= 2
ORDER BY t.grade DESC, c.short_code, t.semester
