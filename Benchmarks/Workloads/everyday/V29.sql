-- id: V29
-- title: courses with fewest graded students in a semester
-- group: everyday
-- ordered: yes
-- expect XS (): 20 rows be4618d3acfa256d
-- expect S (): 30 rows 7db9ae384687f50d
-- expect M (): 30 rows 0358486daacb18dc
-- expect L (): 30 rows d6057776057b513e
SELECT c.id, c.name, count(t.student_id) AS n
FROM course c
LEFT JOIN takes t ON t.course_id = c.id AND t.semester = 11 AND t.grade IS NOT NULL
GROUP BY c.id, c.name
ORDER BY n, c.id
LIMIT 30
