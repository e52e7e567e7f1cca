-- id: E11
-- title: recent friendships between students who share no course
-- group: everyday
-- expect XS (): 1 rows 00000000f4dbdf21
-- expect S (): 1 rows 0000000073e63587
-- expect M (): 1 rows 00000000cecee58e
-- expect L (): 1 rows 00000000336ded28
SELECT count(*)
FROM friend f
WHERE f.since >= DATE '2023-01-01' AND NOT EXISTS (
  SELECT 1
  FROM takes x
  JOIN takes y ON y.course_id = x.course_id
  WHERE x.student_id = f.a AND y.student_id = f.b)

-- section: sqlite
SELECT count(*)
FROM friend f
WHERE f.since >= '2023-01-01' AND NOT EXISTS (
  SELECT 1
  FROM takes x
  JOIN takes y ON y.course_id = x.course_id
  WHERE x.student_id = f.a AND y.student_id = f.b)

-- section: duckdb
WITH recent AS (SELECT a, b FROM friend WHERE since >= DATE '2023-01-01')
SELECT (SELECT count(*) FROM recent) - (
  SELECT count(*)
  FROM (
    SELECT DISTINCT r.a, r.b
    FROM recent r
    JOIN takes x ON x.student_id = r.a
    JOIN takes y ON y.student_id = r.b AND y.course_id = x.course_id) sharing)

-- section: hyper
WITH recent AS (SELECT a, b FROM friend WHERE since >= DATE '2023-01-01')
SELECT (SELECT count(*) FROM recent) - (
  SELECT count(*)
  FROM (
    SELECT DISTINCT r.a, r.b
    FROM recent r
    JOIN takes x ON x.student_id = r.a
    JOIN takes y ON y.student_id = r.b AND y.course_id = x.course_id) sharing)
