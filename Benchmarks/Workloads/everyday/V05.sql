-- id: V05
-- title: 20 best courses by mean grade
-- group: everyday
-- ordered: yes
-- numeric: 2
-- expect XS (): 20 rows 158b0c4e832c98a3
-- expect S (): 20 rows 30079c2a279cad73
-- expect M (): 20 rows 1666a3eaf5e2edd8
-- expect L (): 20 rows 6bc004e76064286f
SELECT c.id, c.name, round(avg(t.grade), 3) AS mean, count(*)
FROM course c
JOIN takes t ON t.course_id = c.id
GROUP BY c.id, c.name
HAVING count(t.grade) >= 20
ORDER BY mean DESC, c.id
LIMIT 20

-- section: sqlite
SELECT c.id, c.name, round(avg(t.grade) + 1e-9, 3) AS mean, count(*)
FROM course c
JOIN takes t ON t.course_id = c.id
GROUP BY c.id, c.name
HAVING count(t.grade) >= 20
ORDER BY mean DESC, c.id
LIMIT 20

-- section: duckdb
SELECT c.id, c.name, round(avg(t.grade) + 1e-9, 3) AS mean, count(*)
FROM course c
JOIN takes t ON t.course_id = c.id
GROUP BY c.id, c.name
HAVING count(t.grade) >= 20
ORDER BY mean DESC, c.id
LIMIT 20
