-- id: B3
-- title: number of classmates of a student
-- group: bulk
-- parameters: student: random 16
-- limit: classmateCount
-- expect XS (181): 1 rows 000000008b695307
-- expect XS (76): 1 rows 000000008b695307
-- expect S (9019): 1 rows 000000005e57c84c
-- expect S (3777): 1 rows 000000005623ee50
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: ladybug
MATCH (x:student)-[:enrols_in]->(:course)<-[:enrols_in]-(s:student)
WHERE x.id = $p1 AND s.id <> $p1
RETURN count(DISTINCT s.id)
