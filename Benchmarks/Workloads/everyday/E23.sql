-- id: E23
-- title: students by patterns of names in courses by a word of theirs
-- group: everyday
-- expect XS (): 1 rows 0000000030a902b0
-- expect S (): 1 rows 000000006502d2b0
-- expect M (): 1 rows 00000000486a9e4b
-- expect L (): 1 rows 00000000715ebacf
SELECT count(*), count(DISTINCT s.id)
FROM student s
JOIN takes t ON t.student_id = s.id
JOIN course c ON c.id = t.course_id
WHERE s.last_name LIKE 'S%' AND s.first_name LIKE '%a' AND c.name LIKE '%and Data%'
