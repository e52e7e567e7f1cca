-- id: B1
-- title: enrolments of each course, none included
-- group: bulk
-- limit: enrolmentsPerCourse
-- expect XS (): 20 rows 000000098dc7cc5b
-- expect S (): 200 rows 000000654bc3b9f4
-- expect M (): 2000 rows 000003ed8e253a56
-- expect L (): 10000 rows 000013756824285a
SELECT c.id, count(e.student_id)
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
GROUP BY c.id

-- section: ladybug
MATCH (c:course) RETURN c.id, COUNT { MATCH (:student)-[:enrols_in]->(c) }
