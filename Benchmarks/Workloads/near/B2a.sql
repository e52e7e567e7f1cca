-- id: B2a.1
-- title: those in the course: a semi-join
-- group: near B2a
-- variant of: B2a
-- parameters: course: popular 1
SELECT count(*)
FROM student s
WHERE EXISTS (
  SELECT 1 FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = $1)

-- id: B2a.2
-- title: by NOT IN
-- group: near B2a
-- variant of: B2a
-- parameters: course: popular 1
SELECT count(*)
FROM student s
WHERE s.id NOT IN (SELECT e.student_id FROM enrols_in e WHERE e.course_id = $1)

-- id: B2a.3
-- title: different last names instead of students
-- group: near B2a
-- variant of: B2a
-- touches more: students' names
-- parameters: course: popular 1
SELECT count(DISTINCT s.last_name)
FROM student s
WHERE NOT EXISTS (
  SELECT 1 FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = $1)

-- id: B2a.4
-- title: not in the course nor in the one of the next number
-- group: near B2a
-- variant of: B2a
-- touches more: the students of both courses instead of their number
-- parameters: course: popular 1
SELECT count(*)
FROM student s
WHERE NOT EXISTS (
  SELECT 1 FROM enrols_in e WHERE e.student_id = s.id AND e.course_id IN ($1, $1 + 1))

-- id: B2a.5
-- title: by an outer join
-- group: near B2a
-- variant of: B2a
-- parameters: course: popular 1
SELECT count(*)
FROM student s
LEFT JOIN enrols_in e ON e.student_id = s.id AND e.course_id = $1
WHERE e.student_id IS NULL
