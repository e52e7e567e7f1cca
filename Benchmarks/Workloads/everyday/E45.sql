-- id: E45
-- title: the 20 students behind one who have no grade below 1
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 3 rows 8cfda9e7c11bac34
-- expect XS (76): 11 rows f25c4fe0df2fb63e
-- expect S (9019): 20 rows 96c2bb9b2d037f93
-- expect S (3777): 20 rows 7e8d3d172df11fa8
-- expect M (90186): 20 rows 4fac5b757daf3de0
-- expect M (37768): 20 rows 6f457ad72ca6399d
-- expect L (270556): 20 rows ad2f77c3c0e9925d
-- expect L (113302): 20 rows 75009e99511d6ac8
SELECT s.id, s.last_name
FROM student s
WHERE s.id > $1 AND NOT EXISTS (SELECT 1 FROM takes t WHERE t.student_id = s.id AND t.grade < 1)
ORDER BY s.id
LIMIT 20
