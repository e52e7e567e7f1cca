-- id: E25
-- title: courses of a semester in which nobody lacks a grade
-- group: everyday
-- expect XS (): 1 rows 00000000d65a1577
-- expect S (): 1 rows 00000000a15d25e1
-- expect M (): 1 rows 0000000077f25ab1
-- expect L (): 1 rows 000000005c461af6
SELECT count(*)
FROM course
WHERE id NOT IN (SELECT course_id FROM takes WHERE grade IS NULL AND semester = 3)
  AND id IN (SELECT course_id FROM takes WHERE semester = 3)
