-- id: V21
-- title: friends of friends who share a course with a student
-- group: everyday
-- parameters: student: random 16
-- expect XS (181): 1 rows 000000004f5344cd
-- expect XS (76): 1 rows 00000000a15d25e1
-- expect S (9019): 1 rows 000000008d076785
-- expect S (3777): 1 rows 00000000d65a1577
-- expect M (90186): 1 rows 0000000083dcefb7
-- expect M (37768): 1 rows 00000000f4dbdf21
-- expect L (270556): 1 rows 00000000f3b61b38
-- expect L (113302): 1 rows 000000001ad5be0d
SELECT count(DISTINCT f2.b)
FROM friend f1
JOIN friend f2 ON f2.a = f1.b
WHERE f1.a = $1 AND f2.b <> $1
  AND EXISTS (
    SELECT 1
    FROM takes m
    JOIN takes o ON o.course_id = m.course_id
    WHERE m.student_id = $1 AND o.student_id = f2.b)

-- section: hyper
SELECT count(DISTINCT f2.b)
FROM friend f1
JOIN friend f2 ON f2.a = f1.b
WHERE f1.a = $1 AND f2.b <> f1.a
  AND EXISTS (
    SELECT 1
    FROM takes m
    JOIN takes o ON o.course_id = m.course_id
    WHERE m.student_id = $1 AND o.student_id = f2.b)
