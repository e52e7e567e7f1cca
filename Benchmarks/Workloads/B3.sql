-- id: B3
-- title: number of classmates of a student
-- group: bulk
-- parameters: student: random 16
-- reference: classmateCount
-- expect XS (181): 1 rows 000000008b695307
-- expect XS (76): 1 rows 000000008b695307
-- expect S (9019): 1 rows 000000005e57c84c
-- expect S (3777): 1 rows 000000005623ee50
-- expect M (90186): 1 rows 000000007772f70e
-- expect M (37768): 1 rows 00000000270734f9
-- expect L (901852): 1 rows 0000000098d7e9bc
-- expect L (377673): 1 rows 00000000556766ec
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id

-- section: ladybug
MATCH (x:student)-[:enrols_in]->(:course)<-[:enrols_in]-(s:student)
WHERE x.id = $p1 AND s.id <> $p1
RETURN count(DISTINCT s.id)
