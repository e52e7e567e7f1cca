-- id: E38
-- title: friendships of a student, in either direction
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 3 rows 77a58de42127e8e5
-- expect XS (76): 6 rows dae3191413dc8088
-- expect S (9019): 6 rows 20897cd97b590f76
-- expect S (3777): 6 rows e67d857f4ce44748
-- expect M (90186): 4 rows a78cf9d123de7f47
-- expect M (37768): 8 rows 252a7780e83c993e
-- expect L (270556): 7 rows c83308d758a328ab
-- expect L (113302): 9 rows 1d16f0d6e601f703
SELECT f.a, f.b, f.since
FROM friend f
WHERE f.a = $1 OR f.b = $1
ORDER BY f.a, f.b
