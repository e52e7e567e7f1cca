-- id: GP
-- title: length of the shortest way from a student to another by shared courses
-- group: bulk
-- parameters: student: random 16
-- limit: stepsToFirst
-- unsupported hyper: its recursion has no end that is found early
-- expect XS (181): 1 rows 000000001ad5be0d
-- expect XS (76): 1 rows 000000001ad5be0d
-- expect S (9019): 1 rows 000000001ad5be0d
-- expect S (3777): 1 rows 000000001ad5be0d
-- expect M (90186): 1 rows 000000001ad5be0d
-- expect M (37768): 1 rows 00000000f3b61b38
-- expect L (901852): 1 rows 00000000f3b61b38
-- expect L (377673): 1 rows 000000001ad5be0d
WITH RECURSIVE reached (id, steps) AS (
  SELECT CAST($1 AS integer), 0
  UNION
  SELECT theirs.student_id, r.steps + 2
  FROM reached r
  JOIN enrols_in mine ON mine.student_id = r.id
  JOIN enrols_in theirs ON theirs.course_id = mine.course_id
  WHERE r.steps < 4)
SELECT min(steps) FROM reached WHERE id = 1 AND steps > 0

-- section: junction
SELECT steps
FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (a IS student WHERE a.id = $1)
  ((IS student)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(IS student))+ (b IS student WHERE b.id = 1)
  COLUMNS (path_length(p) AS steps))

-- section: ladybug
MATCH p = (a:student)-[:enrols_in* SHORTEST 1..8]-(b:student)
WHERE a.id = $p1 AND b.id = 1
RETURN length(p)
