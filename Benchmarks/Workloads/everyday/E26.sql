-- id: E26
-- title: students whose city is not among those of a course, where one is unknown
-- group: everyday
-- parameters: course: random 16
-- unsupported hyper: it counts students of cities in spite of the unknown one
-- expect XS (19): 1 rows 00000000f4dbdf21
-- expect XS (8): 1 rows 00000000f4dbdf21
-- expect S (150): 1 rows 00000000f4dbdf21
-- expect S (63): 1 rows 00000000f4dbdf21
-- expect M (1503): 1 rows 00000000f4dbdf21
-- expect M (630): 1 rows 00000000f4dbdf21
-- expect L (4510): 1 rows 00000000f4dbdf21
-- expect L (1889): 1 rows 00000000f4dbdf21
SELECT count(*)
FROM student
WHERE city NOT IN (
  SELECT s.city FROM student s JOIN takes t ON t.student_id = s.id WHERE t.course_id = $1)
