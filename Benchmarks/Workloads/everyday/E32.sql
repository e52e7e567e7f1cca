-- id: E32
-- title: students with five good grades or more and no other
-- group: everyday
-- expect XS (): 1 rows 000000001ad5be0d
-- expect S (): 1 rows 000000005c38b15f
-- expect M (): 1 rows 00000000d91b6c88
-- expect L (): 1 rows 0000000093564ec1
SELECT count(*)
FROM student s
WHERE NOT EXISTS (SELECT 1 FROM takes t WHERE t.student_id = s.id AND t.grade < 2)
  AND (SELECT count(*) FROM takes t WHERE t.student_id = s.id AND t.grade >= 2) >= 5
