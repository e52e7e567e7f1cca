-- id: V15
-- title: last two courses of the students of a city
-- group: everyday
-- ordered: yes
-- expect XS (): 90 rows d8cb4fe27078ad34
-- expect S (): 500 rows be5586656fa23b14
-- expect M (): 500 rows 662ed5c0241a795a
-- expect L (): 500 rows b6d10da1f7f98f16
SELECT s.id, l.course_id, l.taken_on
FROM student s, LATERAL (
  SELECT course_id, taken_on
  FROM takes t
  WHERE t.student_id = s.id
  ORDER BY taken_on DESC, course_id
  LIMIT 2) l
WHERE s.city = 'Lisbon'
ORDER BY 1, 3 DESC, 2
LIMIT 500

-- section: sqlite
SELECT id, course_id, taken_on
FROM (
  SELECT s.id, t.course_id, t.taken_on,
    row_number() OVER (PARTITION BY s.id ORDER BY t.taken_on DESC, t.course_id) AS place
  FROM student s
  JOIN takes t ON t.student_id = s.id
  WHERE s.city = 'Lisbon')
WHERE place <= 2
ORDER BY 1, 3 DESC, 2
LIMIT 500
