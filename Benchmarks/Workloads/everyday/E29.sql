-- id: E29
-- title: courses taken in the first semester, but by nobody of a city
-- group: everyday
-- expect XS (): 0 rows 0000000000000000
-- expect S (): 0 rows 0000000000000000
-- expect M (): 0 rows 0000000000000000
-- expect L (): 0 rows 0000000000000000
SELECT course_id FROM takes WHERE semester = 0
EXCEPT
SELECT t.course_id FROM takes t JOIN student s ON s.id = t.student_id WHERE s.city = 'Lisbon'
