-- id: P2
-- title: students of the median course
-- group: point
-- parameters: course: median 15
-- limit: studentsOfCourse
-- expect XS (9): 137 rows 0000003e6128bf70
-- expect XS (6): 124 rows 0000003a0396a741
-- expect S (99): 169 rows 00000052789ecd9c
-- expect S (101): 169 rows 0000005877052da2
-- expect M (1412): 108 rows 0000003534126c57
-- expect M (1439): 108 rows 0000003ba8422d07
-- expect L (5570): 175 rows 0000005c90f43f68
-- expect L (5696): 175 rows 000000590e313063
SELECT s.id, s.last_name
FROM enrols_in e
JOIN student s ON s.id = e.student_id
WHERE e.course_id = $1

-- section: ladybug
MATCH (s:student)-[:enrols_in]->(c:course) WHERE c.id = $p1 RETURN s.id, s.last_name
