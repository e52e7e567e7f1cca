-- id: V23
-- title: students in one of two courses but not in a third
-- group: everyday
-- expect XS (): 1 rows 0000000019ee5b66
-- expect S (): 1 rows 0000000010a5680c
-- expect M (): 1 rows 0000000075e52ee6
-- expect L (): 1 rows 0000000030d47cf2
SELECT count(*)
FROM student s
WHERE (EXISTS (SELECT 1 FROM takes t WHERE t.student_id = s.id AND t.course_id = 1)
    OR EXISTS (SELECT 1 FROM takes t WHERE t.student_id = s.id AND t.course_id = 2))
  AND NOT EXISTS (SELECT 1 FROM takes t WHERE t.student_id = s.id AND t.course_id = 3)
