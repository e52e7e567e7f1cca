-- id: E15
-- title: courses of each student of a city in one text
-- group: everyday
-- expect XS (): 6 rows 00000003bd76e43d
-- expect S (): 582 rows 0000012334027a7c
-- expect M (): 5594 rows 00000ae2e4847517
-- expect L (): 16537 rows 0000206feab43ff7
SELECT s.id, string_agg(c.short_code, ', ' ORDER BY c.short_code)
FROM student s
JOIN takes t ON t.student_id = s.id
JOIN course c ON c.id = t.course_id
WHERE s.city = 'Oslo'
GROUP BY s.id

-- section: sqlite
SELECT id, group_concat(short_code, ', ')
FROM (
  SELECT s.id, c.short_code
  FROM student s
  JOIN takes t ON t.student_id = s.id
  JOIN course c ON c.id = t.course_id
  WHERE s.city = 'Oslo'
  ORDER BY s.id, c.short_code)
GROUP BY id
