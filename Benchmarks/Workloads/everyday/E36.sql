-- id: E36
-- title: courses of more than three credits of each friend of a student
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 3 rows af7771c8cbd4bb1f
-- expect XS (76): 3 rows dc37eff4763ac9bb
-- expect S (9019): 4 rows a0874504ca816093
-- expect S (3777): 4 rows 5b59a1eaf50db46f
-- expect M (90186): 3 rows e5e176a0072af2c1
-- expect M (37768): 4 rows 1f0f2256274c202d
-- expect L (270556): 4 rows acc070f7de1fd8e8
-- expect L (113302): 4 rows cc351416340fca14
SELECT f.b, x.n, x.best
FROM friend f
LEFT JOIN (
  SELECT t.student_id, count(*) AS n, max(t.grade) AS best
  FROM takes t
  JOIN course c ON c.id = t.course_id
  WHERE c.credits > 3
  GROUP BY t.student_id) x ON x.student_id = f.b
WHERE f.a = $1
ORDER BY f.b
