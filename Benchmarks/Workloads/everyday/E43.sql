-- id: E43
-- title: average grades of the 20 students behind one
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- numeric: 1
-- expect XS (181): 19 rows 53199641fae4eac0
-- expect XS (76): 20 rows 6455900e61859b5b
-- expect S (9019): 20 rows c97d5df2aad4bdae
-- expect S (3777): 20 rows cb69cd2fe6458d6c
-- expect M (90186): 20 rows 334f6f32f93841f2
-- expect M (37768): 20 rows 93153a924a47786c
-- expect L (270556): 20 rows 1747353d02ac72e3
-- expect L (113302): 20 rows a6de8ab7d82fd66c
SELECT student_id, round(avg(grade) + 0.0000001, 3) AS mean
FROM takes
WHERE student_id > $1
GROUP BY student_id
ORDER BY student_id
LIMIT 20
