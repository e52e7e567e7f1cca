-- id: E05
-- title: three most taken courses of each department, by rank
-- group: everyday
-- expect XS (): 20 rows 00000009a82d7a88
-- expect S (): 105 rows 00000031717648ac
-- expect M (): 120 rows 0000003d9a8f68dc
-- expect L (): 120 rows 00000038557f2da6
SELECT department, place, id, n
FROM (
  SELECT c.department, c.id, count(*) AS n,
    row_number() OVER (PARTITION BY c.department ORDER BY count(*) DESC, c.id) AS place
  FROM course c
  JOIN takes t ON t.course_id = c.id
  GROUP BY c.department, c.id) ranked
WHERE place <= 3
