-- id: G7
-- title: number of courses that a course needs, directly or not, as a graph pattern
-- group: bulk
-- parameters: course: random 100
-- limit: closureOfCourse
-- expect XS (19): 1 rows 00000000f4dbdf21
-- expect XS (8): 1 rows 0000000083dcefb7
-- expect S (181): 1 rows 00000000f4dbdf21
-- expect S (76): 1 rows 00000000f4dbdf21
-- expect M (1804): 1 rows 0000000083dcefb7
-- expect M (756): 1 rows 00000000f4dbdf21
-- expect L (9019): 1 rows 00000000f4dbdf21
-- expect L (3777): 1 rows 00000000f4dbdf21
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT count(*) FROM needed

-- section: ladybug
MATCH (c:course)-[:prerequisite* SHORTEST 1..100]->(n:course)
WHERE c.id = $p1
RETURN count(*)

-- section: junction
SELECT count(*)
FROM GRAPH_TABLE (* MATCH ANY (c IS course WHERE c.id = $1)-[IS prerequisite]->+(n IS course)
  COLUMNS (n.id AS needed))
