-- id: B2a
-- title: number of students not in the most popular course
-- group: bulk
-- parameters: course: popular 1
-- reference: studentsNotInCourse
-- expect XS (3): 1 rows 000000006abf4a82
-- expect S (190): 1 rows 0000000046930c26
-- expect M (673): 1 rows 00000000f2c9b195
-- expect L (7430): 1 rows 00000000ee2ae902
SELECT count(*)
FROM student s
WHERE NOT EXISTS (
  SELECT 1 FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = $1)

-- section: ladybug
MATCH (s:student)
WHERE NOT EXISTS { MATCH (s)-[:enrols_in]->(c:course) WHERE c.id = $p1 }
RETURN count(*)
