-- id: E47
-- title: the next student of the same city behind each of 100 students
-- group: everyday
-- parameters: student: random 16
-- expect XS (181): 20 rows 0000000677ba893c
-- expect XS (76): 100 rows 00000032fb0f05c1
-- expect S (9019): 100 rows 00000030483c457e
-- expect S (3777): 100 rows 0000002d45871108
-- expect M (90186): 100 rows 0000002e42ed375b
-- expect M (37768): 100 rows 00000031a7f1ef07
-- expect L (270556): 100 rows 0000003348ff9ee3
-- expect L (113302): 100 rows 00000033ad62a1f7
SELECT s.id, (SELECT min(x.id) FROM student x WHERE x.id > s.id AND x.city = s.city) AS next
FROM student s
WHERE s.id BETWEEN $1 AND $1 + 99
