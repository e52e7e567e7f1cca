-- id: V33
-- title: students by the number of steps from friend to friend
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 4 rows 63726e1ca0a7a9e2
-- expect XS (76): 4 rows 65518a646f84e1d3
-- expect S (9019): 4 rows a8c8d0f25ab6228b
-- expect S (3777): 4 rows a8c8d0f241527f7e
-- expect M (90186): 4 rows 63726e1cdf661fa9
-- expect M (37768): 4 rows 9ff86bf2a9e36e84
-- expect L (270556): 4 rows a8c8d0f241527f7e
-- expect L (113302): 4 rows a8c8d0f2a7b7121d
WITH RECURSIVE reached (id, steps) AS (
  SELECT CAST($1 AS integer), 0
  UNION
  SELECT f.b, r.steps + 1
  FROM reached r
  JOIN friend f ON f.a = r.id
  WHERE r.steps < 3)
SELECT steps, count(DISTINCT id)
FROM reached
GROUP BY steps
ORDER BY steps
