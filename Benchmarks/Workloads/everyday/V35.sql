-- id: V35
-- title: students reached by recent friendships alone
-- group: everyday
-- parameters: student: random 16
-- expect XS (181): 1 rows 00000000ca14f5df
-- expect XS (76): 1 rows 00000000241a94f3
-- expect S (9019): 1 rows 00000000ea045be1
-- expect S (3777): 1 rows 000000007460ce42
-- expect M (90186): 1 rows 0000000083dcefb7
-- expect M (37768): 1 rows 000000009caff67e
-- expect L (270556): 1 rows 000000008008ce29
-- expect L (113302): 1 rows 00000000696b6b1c
WITH RECURSIVE reached (id) AS (
  SELECT CAST($1 AS integer)
  UNION
  SELECT f.b
  FROM reached r
  JOIN friend f ON f.a = r.id
  WHERE f.since >= DATE '2019-01-01')
SELECT count(*) FROM reached

-- section: sqlite
WITH RECURSIVE reached (id) AS (
  SELECT CAST($1 AS integer)
  UNION
  SELECT f.b
  FROM reached r
  JOIN friend f ON f.a = r.id
  WHERE f.since >= '2019-01-01')
SELECT count(*) FROM reached
