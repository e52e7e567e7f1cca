-- id: V27
-- title: semesters as columns, by department
-- group: everyday
-- ordered: yes
-- numeric: 4
-- expect XS (): 17 rows acf79e7775e21b1b
-- expect S (): 40 rows decd943dbf36011e
-- expect M (): 40 rows 1517db8293f29507
-- expect L (): 40 rows b79e554ea4acbc2b
SELECT c.department,
  count(*) FILTER (WHERE semester = 0) AS s0,
  count(*) FILTER (WHERE semester = 1) AS s1,
  count(*) FILTER (WHERE semester BETWEEN 2 AND 5) AS s2,
  sum(t.grade) FILTER (WHERE grade > 2) AS good
FROM takes t
JOIN course c ON c.id = t.course_id
GROUP BY 1
ORDER BY 1
