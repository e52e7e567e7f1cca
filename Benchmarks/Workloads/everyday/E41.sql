-- id: E41
-- title: a student and everybody who names them as a friend
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 1 rows 00000000f9c58bce
-- expect XS (76): 4 rows 01b6eb7005ca3b8b
-- expect S (9019): 3 rows 4ead9e16c48aaca0
-- expect S (3777): 3 rows 0fd88f97b7a1fe41
-- expect M (90186): 2 rows a464aa2af1dab67e
-- expect M (37768): 5 rows 035d87c8710d18e1
-- expect L (270556): 4 rows 702bf9148b6657c0
-- expect L (113302): 6 rows 6be2c4adfd48d573
SELECT s.id, s.last_name
FROM student s
WHERE s.id = $1 OR s.id IN (SELECT f.a FROM friend f WHERE f.b = $1)
ORDER BY s.id
