-- id: E10
-- title: 10 students whose courses are most like a student's
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- numeric: 2
-- expect XS (181): 10 rows 70590646ece705b0
-- expect XS (76): 10 rows aa9b31dbb70446af
-- expect S (9019): 10 rows 04dc56d1405d553c
-- expect S (3777): 10 rows 6aa1f65fb6b4d8f9
-- expect M (90186): 10 rows 6dd568982951ebde
-- expect M (37768): 10 rows afa0017f612d3ccd
-- expect L (270556): 10 rows efc8441ada3053b9
-- expect L (113302): 10 rows afa441cc4451fb93
WITH mine AS (SELECT DISTINCT course_id FROM takes WHERE student_id = $1),
shared AS (
  SELECT t.student_id AS id, count(DISTINCT t.course_id) AS n
  FROM takes t
  JOIN mine ON mine.course_id = t.course_id
  WHERE t.student_id <> $1
  GROUP BY t.student_id),
sizes AS (
  SELECT t.student_id AS id, count(DISTINCT t.course_id) AS n
  FROM takes t
  WHERE t.student_id IN (SELECT id FROM shared)
  GROUP BY t.student_id)
SELECT shared.id, shared.n,
  round(1.0 * shared.n / ((SELECT count(*) FROM mine) + sizes.n - shared.n), 4) AS likeness
FROM shared
JOIN sizes ON sizes.id = shared.id
ORDER BY likeness DESC, shared.id
LIMIT 10

-- section: hyper
WITH mine AS (SELECT DISTINCT course_id FROM takes WHERE student_id = $1),
shared AS (
  SELECT t.student_id AS id, count(DISTINCT t.course_id) AS n
  FROM takes t
  JOIN mine ON mine.course_id = t.course_id
  WHERE t.student_id <> $1 + 0
  GROUP BY t.student_id),
sizes AS (
  SELECT t.student_id AS id, count(DISTINCT t.course_id) AS n
  FROM takes t
  WHERE t.student_id IN (SELECT id FROM shared)
  GROUP BY t.student_id)
SELECT shared.id, shared.n,
  round(1.0 * shared.n / ((SELECT count(*) FROM mine) + sizes.n - shared.n), 4) AS likeness
FROM shared
JOIN sizes ON sizes.id = shared.id
ORDER BY likeness DESC, shared.id
LIMIT 10
