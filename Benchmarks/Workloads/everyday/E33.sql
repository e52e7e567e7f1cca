-- id: E33
-- title: most taken course of each city
-- group: everyday
-- expect XS (): 46 rows 0000001720efeff9
-- expect S (): 43 rows 0000001a5d099f0d
-- expect M (): 40 rows 00000017202e1380
-- expect L (): 40 rows 0000001441f14e89
SELECT city, course_id, n
FROM (
  SELECT s.city, t.course_id, count(*) AS n,
    rank() OVER (PARTITION BY s.city ORDER BY count(*) DESC) AS place
  FROM takes t
  JOIN student s ON s.id = t.student_id
  WHERE s.city IS NOT NULL
  GROUP BY s.city, t.course_id) ranked
WHERE place = 1
