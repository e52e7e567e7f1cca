-- id: E42
-- title: last course of each friend of a student
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 3 rows 36466ca285aa3831
-- expect XS (76): 3 rows da980e210a8f9725
-- expect S (9019): 4 rows 19ee4bde7848c074
-- expect S (3777): 4 rows 54e6d8c67a34cfa0
-- expect M (90186): 3 rows b2a8ce9c25d3854f
-- expect M (37768): 4 rows e6771fe620e3a527
-- expect L (270556): 4 rows 8cfbc9b335eeed74
-- expect L (113302): 4 rows d30ae0dc6a681ebb
SELECT f.b, l.course_id, l.taken_on
FROM friend f
CROSS JOIN LATERAL (
  SELECT t.course_id, t.taken_on
  FROM takes t
  WHERE t.student_id = f.b
  ORDER BY t.taken_on DESC, t.course_id
  LIMIT 1) l
WHERE f.a = $1
ORDER BY f.b
