-- id: B4.1
-- title: pairs both ways round
-- group: near B4
-- variant of: B4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id <> b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- id: B4.2
-- title: only students of odd numbers
-- group: near B4
-- variant of: B4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
WHERE a.student_id % 2 = 1
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- id: B4.3
-- title: the sum of students' numbers too
-- group: near B4
-- variant of: B4
-- touches more: the student of every pair
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared, sum(a.student_id)
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- id: B4.4
-- title: pairs that share more than ten students
-- group: near B4
-- variant of: B4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
HAVING count(*) > 10
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- id: B4.5
-- title: pairs that share fewest
-- group: near B4
-- variant of: B4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared, a.course_id, b.course_id
LIMIT 20
