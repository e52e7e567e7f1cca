-- id: E46
-- title: pairs of courses that have nearly as many students
-- group: everyday
-- expect XS (): 1 rows 00000000ffe4627c
-- expect S (): 1 rows 000000008e3e1175
-- expect M (): 1 rows 00000000f7d5c743
-- expect L (): 1 rows 00000000ebc52b7f
WITH size AS (
  SELECT course_id, count(*) AS students
  FROM takes
  GROUP BY course_id)
SELECT count(*), min(x.course_id), max(y.course_id)
FROM size x
JOIN size y ON y.students > x.students AND y.students < x.students + 3
