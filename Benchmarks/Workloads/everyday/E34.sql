-- id: E34
-- title: pairs of departments by the students that they share
-- group: everyday
-- ordered: yes
-- expect XS (): 20 rows 85653838dc8e5bdf
-- expect S (): 20 rows 383b51c98fbcbd54
-- expect M (): 20 rows 43696057c92c805c
-- expect L (): 20 rows 0cb1b79991e0950b
WITH attends AS (
  SELECT DISTINCT t.student_id, c.department FROM takes t JOIN course c ON c.id = t.course_id)
SELECT a.department, b.department, count(*) AS n
FROM attends a
JOIN attends b ON b.student_id = a.student_id AND a.department < b.department
GROUP BY 1, 2
ORDER BY n DESC, 1, 2
LIMIT 20
