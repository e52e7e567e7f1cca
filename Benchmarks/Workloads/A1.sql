-- id: A1
-- title: courses of a student, sent as text with a fresh literal
-- group: point
-- kind: text
-- parameters: student: random 100000
-- reference: coursesOfStudent
-- expect XS (181): 8 rows 0000000437928637
-- expect XS (76): 8 rows 00000004a5360659
-- expect S (9019): 8 rows 000000047688a7d2
-- expect S (3777): 8 rows 0000000554356cce
-- expect M (90186): 8 rows 000000043b0c18d9
-- expect M (37768): 8 rows 0000000495659972
-- expect L (901852): 8 rows 000000048b24657c
-- expect L (377673): 8 rows 00000003d14517f4
SELECT c.id, c.name
FROM enrols_in e
JOIN course c ON c.id = e.course_id
WHERE e.student_id = $1

-- section: ladybug
MATCH (s:student)-[:enrols_in]->(c:course) WHERE s.id = $1 RETURN c.id, c.name
