-- id: W1
-- title: insert one enrolment
-- group: write
-- kind: change
-- parameters: enrolment: absent 200
INSERT INTO enrols_in (student_id, course_id) VALUES ($1, $2)

-- section: after
DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2

-- section: must fail
INSERT INTO enrols_in (student_id, course_id) VALUES ($1, $2)

-- section: must fail
INSERT INTO enrols_in (student_id, course_id) VALUES (0, $2)

-- section: must fail
INSERT INTO enrols_in (student_id, course_id) VALUES ($1, 0)
