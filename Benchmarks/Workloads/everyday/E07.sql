-- id: E07
-- title: 20 courses whose students have the best mean
-- group: everyday
-- ordered: yes
-- numeric: 1
-- expect XS (): 20 rows 9892d4b72668c804
-- expect S (): 20 rows d88f1eddb65b9ce3
-- expect M (): 20 rows eaef425052f73985
-- expect L (): 20 rows aeb5443726aa9323
SELECT t.course_id, round(avg(s.gpa), 3) AS mean, count(DISTINCT s.id) AS students
FROM takes t
JOIN student s ON s.id = t.student_id
GROUP BY t.course_id
HAVING count(s.gpa) >= 20
ORDER BY mean DESC, t.course_id
LIMIT 20

-- section: sqlite
SELECT t.course_id, round(avg(s.gpa) + 1e-9, 3) AS mean, count(DISTINCT s.id) AS students
FROM takes t
JOIN student s ON s.id = t.student_id
GROUP BY t.course_id
HAVING count(s.gpa) >= 20
ORDER BY mean DESC, t.course_id
LIMIT 20

-- section: duckdb
SELECT t.course_id, round(avg(s.gpa) + 1e-9, 3) AS mean, count(DISTINCT s.id) AS students
FROM takes t
JOIN student s ON s.id = t.student_id
GROUP BY t.course_id
HAVING count(s.gpa) >= 20
ORDER BY mean DESC, t.course_id
LIMIT 20
