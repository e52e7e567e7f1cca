-- id: B6-2
-- title: number of students within 2 classmate hops
-- group: bulk
-- parameters: student: random 16
-- reference: studentsWithin2
-- expect XS (181): 1 rows 000000002131eeb3
-- expect XS (76): 1 rows 000000002131eeb3
-- expect S (9019): 1 rows 0000000077bc7d45
-- expect S (3777): 1 rows 0000000077bc7d45
-- expect M (90186): 1 rows 00000000f21ad643
-- expect M (37768): 1 rows 00000000f21ad643
-- expect L (901852): 1 rows 000000001bfcd5dd
-- expect L (377673): 1 rows 000000001bfcd5dd
SELECT count(DISTINCT student_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- section: ladybug
MATCH (x:student)-[:enrols_in* SHORTEST 1..4]-(s:student)
WHERE x.id = $p1
RETURN count(*) + 1
