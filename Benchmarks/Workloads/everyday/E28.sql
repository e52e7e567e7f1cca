-- id: E28
-- title: share of all credits, by department
-- group: everyday
-- numeric: 2
-- expect XS (): 17 rows 00000007368e5276
-- expect S (): 40 rows 00000012dc667f95
-- expect M (): 40 rows 000000123867327e
-- expect L (): 40 rows 00000016b0a9ed43
SELECT c.department, sum(c.credits) AS credits,
  round(100.0 * sum(c.credits) / sum(sum(c.credits)) OVER (), 4) AS percent
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.grade >= 1
GROUP BY c.department
