-- id: B2b
-- title: number of students who share no course with a student
-- group: bulk
-- parameters: student: random 16
-- reference: strangers
-- expect XS (181): 1 rows 00000000f4dbdf21
-- expect XS (76): 1 rows 00000000f4dbdf21
-- expect S (9019): 1 rows 0000000001ca7f51
-- expect S (3777): 1 rows 000000000765d17f
-- expect M (90186): 1 rows 00000000c0be7c10
-- expect M (37768): 1 rows 00000000260b439f
-- expect L (901852): 1 rows 00000000be3a4a96
-- expect L (377673): 1 rows 00000000796db059
SELECT count(*)
FROM student s
WHERE NOT EXISTS (
  SELECT 1
  FROM enrols_in mine
  JOIN enrols_in theirs ON theirs.course_id = mine.course_id
  WHERE mine.student_id = $1 AND theirs.student_id = s.id)

-- section: ladybug
MATCH (s:student)
WHERE NOT EXISTS { MATCH (x:student)-[:enrols_in]->(:course)<-[:enrols_in]-(s) WHERE x.id = $p1 }
RETURN count(*)
