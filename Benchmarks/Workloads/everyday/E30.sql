-- id: E30
-- title: courses by how many students began with them
-- group: everyday
-- ordered: yes
-- expect XS (): 20 rows 02a3f87fb65ab92b
-- expect S (): 20 rows a608f13bf73e3612
-- expect M (): 20 rows 93a0c94ac5de5bf0
-- expect L (): 20 rows 63c22582c0ca3573
SELECT course_id, count(*) AS n
FROM (
  SELECT DISTINCT ON (student_id) student_id, course_id
  FROM takes
  ORDER BY student_id, taken_on, course_id) firsts
GROUP BY course_id
ORDER BY n DESC, course_id
LIMIT 20

-- section: sqlite
SELECT course_id, count(*) AS n
FROM (
  SELECT course_id,
    row_number() OVER (PARTITION BY student_id ORDER BY taken_on, course_id) AS place
  FROM takes) ranked
WHERE place = 1
GROUP BY course_id
ORDER BY n DESC, course_id
LIMIT 20

-- section: hyper
SELECT course_id, count(*) AS n
FROM (
  SELECT course_id,
    row_number() OVER (PARTITION BY student_id ORDER BY taken_on, course_id) AS place
  FROM takes) ranked
WHERE place = 1
GROUP BY course_id
ORDER BY n DESC, course_id
LIMIT 20
