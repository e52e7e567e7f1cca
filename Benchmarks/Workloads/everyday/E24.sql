-- id: E24
-- title: grades in bands, by department
-- group: everyday
-- expect XS (): 17 rows 0000000860cd17a7
-- expect S (): 40 rows 000000149b0f8be0
-- expect M (): 40 rows 0000001377d8fe74
-- expect L (): 40 rows 00000015f1b659b9
SELECT c.department,
  sum(CASE WHEN t.grade >= 3.5 THEN 1 ELSE 0 END) AS excellent,
  sum(CASE WHEN t.grade >= 2.5 AND t.grade < 3.5 THEN 1 ELSE 0 END) AS good,
  sum(CASE WHEN t.grade >= 1 AND t.grade < 2.5 THEN 1 ELSE 0 END) AS passed,
  sum(CASE WHEN t.grade < 1 THEN 1 ELSE 0 END) AS failed,
  sum(CASE WHEN t.grade IS NULL THEN c.credits END) AS open
FROM takes t
JOIN course c ON c.id = t.course_id
GROUP BY c.department
