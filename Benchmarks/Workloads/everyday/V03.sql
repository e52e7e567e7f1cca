-- id: V03
-- title: courses of a department that a student has not passed
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 1 rows 0000000041b7e601
-- expect XS (76): 1 rows 0000000041b7e601
-- expect S (9019): 6 rows 7145c9d9f9b759b4
-- expect S (3777): 7 rows d553eb7a3eee114e
-- expect M (90186): 47 rows d452cdeb592d39a1
-- expect M (37768): 47 rows d452cdeb592d39a1
-- expect L (270556): 138 rows 8f203d1707c391e8
-- expect L (113302): 138 rows 8f203d1707c391e8
SELECT c.id, c.name
FROM course c
WHERE c.department = 'D7'
  AND c.id NOT IN (SELECT course_id FROM takes WHERE student_id = $1 AND grade >= 1)
ORDER BY c.credits DESC, c.id
