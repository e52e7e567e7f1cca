-- id: E19
-- title: courses of one credit that nobody failed
-- group: everyday
-- expect XS (): 0 rows 0000000000000000
-- expect S (): 0 rows 0000000000000000
-- expect M (): 0 rows 0000000000000000
-- expect L (): 0 rows 0000000000000000
SELECT c.id, c.short_code
FROM course c
LEFT JOIN takes t ON t.course_id = c.id AND t.grade < 0.5
WHERE c.credits = 1
GROUP BY c.id, c.short_code
HAVING count(t.student_id) = 0
