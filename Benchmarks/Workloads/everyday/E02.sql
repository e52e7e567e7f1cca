-- id: E02
-- title: median grade by department
-- group: everyday
-- numeric: 1
-- expect XS (): 17 rows 0000000800c79702
-- expect S (): 40 rows 0000000bd5ec927b
-- expect M (): 40 rows 00000008bd1b6c60
-- expect L (): 40 rows 00000008bd1b6c60
SELECT c.department, percentile_cont(0.5) WITHIN GROUP (ORDER BY t.grade)
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.grade IS NOT NULL
GROUP BY c.department

-- section: sqlite
SELECT department, avg(grade)
FROM (
  SELECT c.department, t.grade,
    row_number() OVER (PARTITION BY c.department ORDER BY t.grade) AS place,
    count(*) OVER (PARTITION BY c.department) AS n
  FROM takes t
  JOIN course c ON c.id = t.course_id
  WHERE t.grade IS NOT NULL)
WHERE place IN ((n + 1) / 2, (n + 2) / 2)
GROUP BY department

-- section: duckdb
SELECT c.department, percentile_cont(0.5) WITHIN GROUP (ORDER BY t.grade::double)
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.grade IS NOT NULL
GROUP BY c.department
