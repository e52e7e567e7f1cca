-- id: E21
-- title: ways of three friendships from a student, spelled out
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 43 rows 33e51c2a867f5143
-- expect XS (76): 44 rows fb48a83844050861
-- expect S (9019): 50 rows 995fd4890a5f65dc
-- expect S (3777): 50 rows 44b53566e8524c1e
-- expect M (90186): 48 rows d24c0892e15a4f85
-- expect M (37768): 50 rows fad24302ac956646
-- expect L (270556): 50 rows 6a9f9a655cbd3730
-- expect L (113302): 50 rows 45c7e0389c0476ef
WITH RECURSIVE walk (id, steps, path) AS (
  SELECT CAST($1 AS integer), 0, CAST(CAST($1 AS integer) AS text)
  UNION ALL
  SELECT f.b, w.steps + 1, w.path || '>' || CAST(f.b AS text)
  FROM walk w
  JOIN friend f ON f.a = w.id
  WHERE w.steps < 3 AND '>' || w.path || '>' NOT LIKE '%>' || CAST(f.b AS text) || '>%')
SELECT id, steps, path
FROM walk
WHERE steps = 3
ORDER BY path
LIMIT 50
