-- id: V17
-- title: enrolments and mean grade by city and department
-- group: everyday
-- ordered: yes
-- numeric: 3
-- expect XS (): 50 rows 909ea8f2c440b909
-- expect S (): 50 rows 59749b473b25ce45
-- expect M (): 50 rows 1016c957b35c2412
-- expect L (): 50 rows 08a55dd2647019a0
SELECT s.city, c.department, count(*) AS n, round(avg(t.grade), 2) AS mean
FROM takes t
JOIN student s ON s.id = t.student_id
JOIN course c ON c.id = t.course_id
GROUP BY 1, 2
ORDER BY n DESC, 1, 2
LIMIT 50

-- section: sqlite
SELECT s.city, c.department, count(*) AS n, round(avg(t.grade) + 1e-9, 2) AS mean
FROM takes t
JOIN student s ON s.id = t.student_id
JOIN course c ON c.id = t.course_id
GROUP BY 1, 2
ORDER BY n DESC, s.city NULLS LAST, 2
LIMIT 50

-- section: duckdb
SELECT s.city, c.department, count(*) AS n, round(avg(t.grade) + 1e-9, 2) AS mean
FROM takes t
JOIN student s ON s.id = t.student_id
JOIN course c ON c.id = t.course_id
GROUP BY 1, 2
ORDER BY n DESC, 1, 2
LIMIT 50
