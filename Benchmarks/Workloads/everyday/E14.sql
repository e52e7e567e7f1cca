-- id: E14
-- title: pairs among the 200 most taken courses that nobody took together
-- group: everyday
-- expect XS (): 0 rows 0000000000000000
-- expect S (): 0 rows 0000000000000000
-- expect M (): 1 rows 0000000084ce683f
-- expect L (): 3 rows 0000000144f46dcb
WITH often AS (
  SELECT course_id AS id FROM takes GROUP BY course_id ORDER BY count(*) DESC, course_id LIMIT 200)
SELECT a.id, b.id
FROM often a
JOIN often b ON a.id < b.id
WHERE NOT EXISTS (
  SELECT 1
  FROM takes x
  JOIN takes y ON y.student_id = x.student_id
  WHERE x.course_id = a.id AND y.course_id = b.id)
