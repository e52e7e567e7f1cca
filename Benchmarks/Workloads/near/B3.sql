-- id: B3.1
-- title: with repetition
-- group: near B3
-- variant of: B3
-- parameters: student: random 16
SELECT count(theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT count(theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id

-- id: B3.2
-- title: only those of greater numbers
-- group: near B3
-- variant of: B3
-- parameters: student: random 16
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id > $1

-- id: B3.3
-- title: in courses of even numbers
-- group: near B3
-- variant of: B3
-- parameters: student: random 16
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1 AND mine.course_id % 2 = 0

-- section: hyper
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id AND mine.course_id % 2 = 0

-- id: B3.4
-- title: the sum of their numbers
-- group: near B3
-- variant of: B3
-- parameters: student: random 16
SELECT sum(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT sum(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id

-- id: B3.5
-- title: different last names of theirs
-- group: near B3
-- variant of: B3
-- touches more: classmates' names
-- parameters: student: random 16
SELECT count(DISTINCT s.last_name)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
JOIN student s ON s.id = theirs.student_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT count(DISTINCT s.last_name)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
JOIN student s ON s.id = theirs.student_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id
