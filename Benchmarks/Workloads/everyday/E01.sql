-- id: E01
-- title: enrolments by department and semester, with subtotals
-- group: everyday
-- numeric: 3
-- expect XS (): 222 rows 0000006e5cfa88de
-- expect S (): 521 rows 0000010ea77f5443
-- expect M (): 521 rows 0000010118758ae8
-- expect L (): 521 rows 00000100b1d88c39
SELECT c.department, t.semester, count(*), round(avg(t.grade), 3)
FROM takes t
JOIN course c ON c.id = t.course_id
GROUP BY ROLLUP (c.department, t.semester)

-- section: sqlite
WITH graded AS (
  SELECT c.department, t.semester, t.grade FROM takes t JOIN course c ON c.id = t.course_id)
SELECT department, semester, count(*), round(avg(grade) + 1e-9, 3) FROM graded GROUP BY 1, 2
UNION ALL
SELECT department, NULL, count(*), round(avg(grade) + 1e-9, 3) FROM graded GROUP BY 1
UNION ALL
SELECT NULL, NULL, count(*), round(avg(grade) + 1e-9, 3) FROM graded

-- section: duckdb
SELECT c.department, t.semester, count(*), round(avg(t.grade) + 1e-9, 3)
FROM takes t
JOIN course c ON c.id = t.course_id
GROUP BY ROLLUP (c.department, t.semester)
