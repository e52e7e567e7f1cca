-- id: B1.1
-- title: only courses that somebody takes: an inner join
-- group: near B1
-- variant of: B1
SELECT c.id, count(e.student_id)
FROM course c
JOIN enrols_in e ON e.course_id = c.id
GROUP BY c.id

-- id: B1.2
-- title: by name instead of by key
-- group: near B1
-- variant of: B1
-- touches more: courses' names
SELECT c.name, count(e.student_id)
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
GROUP BY c.name

-- id: B1.3
-- title: each student counted once
-- group: near B1
-- variant of: B1
SELECT c.id, count(DISTINCT e.student_id)
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
GROUP BY c.id

-- id: B1.4
-- title: the greatest student instead of the number
-- group: near B1
-- variant of: B1
-- touches more: the end of each course's list instead of its length
SELECT c.id, max(e.student_id)
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
GROUP BY c.id

-- id: B1.5
-- title: only students of odd numbers
-- group: near B1
-- variant of: B1
-- touches more: every enrolment instead of their number
SELECT c.id, count(e.student_id)
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id AND e.student_id % 2 = 1
GROUP BY c.id
