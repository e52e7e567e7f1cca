-- id: W2
-- title: delete one enrolment
-- group: write
-- kind: change
-- parameters: enrolment: absent 200
DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2

-- section: before
INSERT INTO enrols_in (student_id, course_id) VALUES ($1, $2)

-- section: after
DELETE FROM enrols_in WHERE student_id = $1 AND course_id = $2
