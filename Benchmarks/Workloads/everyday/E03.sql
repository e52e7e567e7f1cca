-- id: E03
-- title: 20 courses with the lowest median grade
-- group: everyday
-- ordered: yes
-- numeric: 1
-- expect XS (): 20 rows 154ce38610091389
-- expect S (): 20 rows f54fc1ab498781c3
-- expect M (): 20 rows e38ce4533a95098d
-- expect L (): 20 rows 8eb838c8beb3aec7
SELECT course_id, percentile_disc(0.5) WITHIN GROUP (ORDER BY grade) AS middle, count(*) AS n
FROM takes
WHERE grade IS NOT NULL
GROUP BY course_id
HAVING count(*) >= 20
ORDER BY middle, n DESC, course_id
LIMIT 20

-- section: sqlite
SELECT course_id, grade AS middle, n
FROM (
  SELECT course_id, grade,
    row_number() OVER (PARTITION BY course_id ORDER BY grade) AS place,
    count(*) OVER (PARTITION BY course_id) AS n
  FROM takes
  WHERE grade IS NOT NULL)
WHERE place = (n + 1) / 2 AND n >= 20
ORDER BY middle, n DESC, course_id
LIMIT 20
