-- id: B6-2.1
-- title: with repetition
-- group: near B6-2
-- variant of: B6-2
-- parameters: student: random 16
SELECT count(student_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- id: B6-2.2
-- title: the greatest number instead of how many
-- group: near B6-2
-- variant of: B6-2
-- parameters: student: random 16
SELECT max(student_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- id: B6-2.3
-- title: by joins
-- group: near B6-2
-- variant of: B6-2
-- parameters: student: random 16
SELECT count(DISTINCT d.student_id)
FROM enrols_in a
JOIN enrols_in b ON b.course_id = a.course_id
JOIN enrols_in c ON c.student_id = b.student_id
JOIN enrols_in d ON d.course_id = c.course_id
WHERE a.student_id = $1

-- id: B6-2.4
-- title: only by students of odd numbers
-- group: near B6-2
-- variant of: B6-2
-- parameters: student: random 16
SELECT count(DISTINCT student_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE student_id % 2 = 1 AND course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- id: B6-2.5
-- title: courses within reach
-- group: near B6-2
-- variant of: B6-2
-- parameters: student: random 16
SELECT count(DISTINCT course_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))
