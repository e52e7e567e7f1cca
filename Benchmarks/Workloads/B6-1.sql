-- id: B6-1
-- title: number of students within 1 classmate hop
-- group: bulk
-- parameters: student: random 16
-- reference: studentsWithin1
-- expect XS (181): 1 rows 000000002131eeb3
-- expect XS (76): 1 rows 000000002131eeb3
-- expect S (9019): 1 rows 000000002950f8da
-- expect S (3777): 1 rows 000000002124dec6
-- expect M (90186): 1 rows 00000000ee7ba6b4
-- expect M (37768): 1 rows 000000005000046f
-- expect L (901852): 1 rows 00000000efd0d92a
-- expect L (377673): 1 rows 00000000cb03f34f
SELECT count(DISTINCT student_id)
FROM enrols_in
WHERE course_id IN (SELECT course_id FROM enrols_in WHERE student_id = $1)

-- section: ladybug
MATCH (x:student)-[:enrols_in]->(:course)<-[:enrols_in]-(s:student)
WHERE x.id = $p1
WITH DISTINCT s
RETURN count(*)
