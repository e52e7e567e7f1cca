-- id: E37
-- title: friends of a student without a course of a department
-- group: everyday
-- parameters: student: random 16
-- expect XS (181): 3 rows 00000001d27d4b81
-- expect XS (76): 3 rows 000000020d26ef02
-- expect S (9019): 3 rows 0000000160e8baf1
-- expect S (3777): 2 rows 00000000f249af6e
-- expect M (90186): 3 rows 00000001b33bcfea
-- expect M (37768): 4 rows 00000001e42fdbd3
-- expect L (270556): 3 rows 00000001477439d3
-- expect L (113302): 1 rows 00000000135117f0
SELECT f.b
FROM friend f
WHERE f.a = $1 AND NOT EXISTS (
  SELECT 1
  FROM takes t
  JOIN course c ON c.id = t.course_id
  WHERE t.student_id = f.b AND c.department = 'D7')
