-- id: B7all
-- title: number of pairs of a course and one that it needs, directly or not
-- group: bulk
-- reference: closureOfAll
-- expect XS (): 1 rows 00000000f3acce86
-- expect S (): 1 rows 0000000075ae2384
-- expect M (): 1 rows 0000000039d83998
-- expect L (): 1 rows 00000000dc5379d5
WITH RECURSIVE needed (course_id, requires_id) AS (
  SELECT course_id, requires_id FROM prerequisite
  UNION
  SELECT n.course_id, p.requires_id
  FROM needed n
  JOIN prerequisite p ON p.course_id = n.requires_id)
SELECT count(*) FROM needed

-- section: ladybug
MATCH (c:course)-[:prerequisite* SHORTEST 1..100]->(n:course) RETURN count(*)
