-- id: P3c
-- title: number of available courses of a student
-- group: point
-- parameters: student: random 100000
-- limit: availableCourseCount
-- expect XS (181): 1 rows 000000004f5344cd
-- expect XS (76): 1 rows 000000004f5344cd
-- expect S (9019): 1 rows 000000001cbb8a8f
-- expect S (3777): 1 rows 000000001cbb8a8f
-- expect M (90186): 1 rows 00000000843a42fd
-- expect M (37768): 1 rows 00000000843a42fd
-- expect L (901852): 1 rows 00000000418e6a12
-- expect L (377673): 1 rows 00000000418e6a12
SELECT count(*)
FROM course c
WHERE NOT EXISTS (
  SELECT 1 FROM enrols_in e WHERE e.student_id = $1 AND e.course_id = c.id)

-- section: ladybug
MATCH (s:student)-[:enrols_in]->(m:course)
WHERE s.id = $p1
WITH collect(m.id) AS mine
MATCH (c:course)
WHERE NOT list_contains(mine, c.id)
RETURN count(*)
