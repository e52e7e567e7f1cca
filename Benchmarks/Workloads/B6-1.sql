-- id: B6-1
-- title: number of students within 1 classmate hop
-- group: bulk
-- parameters: student: random 16
-- limit: studentsWithin1
-- expect XS (181): 1 rows 000000002131eeb3
-- expect XS (76): 1 rows 000000002131eeb3
-- expect S (9019): 1 rows 000000002950f8da
-- expect S (3777): 1 rows 000000002124dec6
SELECT count(DISTINCT student_id)
FROM enrols_in
WHERE course_id IN (SELECT course_id FROM enrols_in WHERE student_id = $1)

-- section: ladybug
MATCH (x:student)-[:enrols_in]->(:course)<-[:enrols_in]-(s:student)
WHERE x.id = $p1
WITH DISTINCT s
RETURN count(*)
