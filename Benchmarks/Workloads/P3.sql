-- id: P3
-- title: available courses of a student, by name
-- group: point
-- parameters: student: random 100
-- ordered: yes
-- limit: availableCourses
-- expect XS (181): 12 rows 85c2636471169dd6
-- expect XS (76): 12 rows 1ddd81ea4820d21c
-- expect S (9019): 192 rows 8ddeb87d67e8db49
-- expect S (3777): 192 rows f69866721258480d
-- expect M (90186): 1992 rows a8845eee30cb399f
-- expect M (37768): 1992 rows 4621d7e8c69b0246
-- expect L (901852): 9992 rows 103ae8e5e3145285
-- expect L (377673): 9992 rows 2adc4bfea6416093
SELECT c.id, c.name
FROM course c
WHERE NOT EXISTS (
  SELECT 1 FROM enrols_in e WHERE e.student_id = $1 AND e.course_id = c.id)
ORDER BY c.name

-- section: ladybug
MATCH (s:student)-[:enrols_in]->(m:course)
WHERE s.id = $p1
WITH collect(m.id) AS mine
MATCH (c:course)
WHERE NOT list_contains(mine, c.id)
RETURN c.id, c.name ORDER BY c.name
