-- id: V11
-- title: students within two steps between classmates of one semester
-- group: everyday
-- parameters: student: random 16
-- expect XS (181): 1 rows 000000002131eeb3
-- expect XS (76): 1 rows 000000002131eeb3
-- expect S (9019): 1 rows 0000000077bc7d45
-- expect S (3777): 1 rows 0000000077bc7d45
-- expect M (90186): 1 rows 000000008d23a0f8
-- expect M (37768): 1 rows 00000000b25c3040
-- expect L (270556): 1 rows 00000000f5481b90
-- expect L (113302): 1 rows 0000000041987b4a
WITH mates AS (
  SELECT DISTINCT o.student_id AS id
  FROM takes m
  JOIN takes o ON o.course_id = m.course_id AND o.semester = m.semester
  WHERE m.student_id = $1)
SELECT count(DISTINCT o.student_id)
FROM mates
JOIN takes m ON m.student_id = mates.id
JOIN takes o ON o.course_id = m.course_id AND o.semester = m.semester
