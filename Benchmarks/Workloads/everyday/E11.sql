-- id: E11
-- title: friendships between students who share no course
-- group: everyday
-- expect XS (): 1 rows 00000000d65a1577
-- expect S (): 1 rows 000000000e36579f
SELECT count(*)
FROM friend f
WHERE NOT EXISTS (
  SELECT 1
  FROM takes x
  JOIN takes y ON y.course_id = x.course_id
  WHERE x.student_id = f.a AND y.student_id = f.b)
