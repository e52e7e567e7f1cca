-- A first walk over the school, from both sides of its many-to-many relationship.
\echo What Jane takes
SELECT c.short_code, c.name
  FROM student s JOIN enrols_in e ON e.student_id = s.id JOIN course c ON c.id = e.course_id
 WHERE s.first_name = 'Jane' ORDER BY c.short_code;
\echo The students of Functions
SELECT s.first_name, s.last_name
  FROM course c JOIN enrols_in e ON e.course_id = c.id JOIN student s ON s.id = e.student_id
 WHERE c.name = 'Functions' ORDER BY s.last_name;
\echo Courses that Jane can still take
SELECT name FROM course
 WHERE id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = 2) ORDER BY name;
