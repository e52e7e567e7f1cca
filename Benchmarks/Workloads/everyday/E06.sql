-- id: E06
-- title: three most taken courses of each department, by LATERAL
-- group: everyday
-- expect XS (): 20 rows 0000000a03916ef2
-- expect S (): 105 rows 00000037d95b0ebb
-- expect M (): 120 rows 0000003c0c658f33
-- expect L (): 120 rows 0000003ac8b01451
SELECT d.code, d.title, best.id, best.n
FROM department d
CROSS JOIN LATERAL (
  SELECT c.id, count(*) AS n
  FROM course c
  JOIN takes t ON t.course_id = c.id
  WHERE c.department = d.code
  GROUP BY c.id
  ORDER BY n DESC, c.id
  LIMIT 3) best

-- section: sqlite
SELECT code, title, id, n
FROM (
  SELECT d.code, d.title, c.id, count(*) AS n,
    row_number() OVER (PARTITION BY d.code ORDER BY count(*) DESC, c.id) AS place
  FROM department d
  JOIN course c ON c.department = d.code
  JOIN takes t ON t.course_id = c.id
  GROUP BY d.code, d.title, c.id)
WHERE place <= 3
