-- id: V03
-- title: courses of a department that a student has not passed
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 1 rows 0000000041b7e601
-- expect XS (76): 1 rows 0000000041b7e601
-- expect S (9019): 6 rows 7145c9d9f9b759b4
-- expect S (3777): 7 rows d553eb7a3eee114e
SELECT c.id, c.name
FROM course c
WHERE c.department = 'D7'
  AND c.id NOT IN (SELECT course_id FROM takes WHERE student_id = $1 AND grade >= 1)
ORDER BY c.credits DESC, c.id
