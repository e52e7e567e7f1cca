-- id: E04
-- title: students and courses of each city, each counted once
-- group: everyday
-- expect XS (): 34 rows 00000010e9d0392c
-- expect S (): 41 rows 000000140c2df537
-- expect M (): 41 rows 0000001624c4371d
-- expect L (): 41 rows 00000014128441f6
SELECT s.city, count(DISTINCT t.student_id), count(DISTINCT t.course_id), count(*)
FROM student s
JOIN takes t ON t.student_id = s.id
GROUP BY s.city
