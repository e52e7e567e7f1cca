-- id: E12
-- title: students who took every compulsory course
-- group: everyday
-- expect XS (): 1 rows 000000008d076785
-- expect S (): 1 rows 000000000a6216d9
-- expect M (): 1 rows 000000004f5344cd
-- expect L (): 1 rows 00000000f3b61b38
SELECT count(*)
FROM student s
WHERE NOT EXISTS (
  SELECT 1
  FROM course c
  WHERE c.compulsory AND NOT EXISTS (
    SELECT 1 FROM takes t WHERE t.student_id = s.id AND t.course_id = c.id))
