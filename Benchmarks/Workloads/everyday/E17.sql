-- id: E17
-- title: departments with their courses and students in each, as JSON
-- group: everyday
-- json: 2
-- unsupported hyper: Hyper has no functions that write JSON
-- expect XS (): 17 rows 00000006a0137776
-- expect S (): 40 rows 0000001244867953
-- expect M (): 40 rows 00000014bdc6e963
-- expect L (): 40 rows 0000001326bb0603
SELECT d.code, d.title,
  json_agg(json_build_object('code', c.short_code, 'credits', c.credits, 'students', c.n)) AS courses
FROM department d
JOIN (
  SELECT c.department, c.short_code, c.credits, count(DISTINCT t.student_id) AS n
  FROM course c
  LEFT JOIN takes t ON t.course_id = c.id
  GROUP BY c.id, c.department, c.short_code, c.credits) c ON c.department = d.code
GROUP BY d.code, d.title

-- section: sqlite
SELECT d.code, d.title,
  json_group_array(json_object('code', c.short_code, 'credits', c.credits, 'students', c.n)) AS courses
FROM department d
JOIN (
  SELECT c.department, c.short_code, c.credits, count(DISTINCT t.student_id) AS n
  FROM course c
  LEFT JOIN takes t ON t.course_id = c.id
  GROUP BY c.id, c.department, c.short_code, c.credits) c ON c.department = d.code
GROUP BY d.code, d.title

-- section: duckdb
SELECT d.code, d.title,
  to_json(list({'code': c.short_code, 'credits': c.credits, 'students': c.n})) AS courses
FROM department d
JOIN (
  SELECT c.department, c.short_code, c.credits, count(DISTINCT t.student_id) AS n
  FROM course c
  LEFT JOIN takes t ON t.course_id = c.id
  GROUP BY c.id, c.department, c.short_code, c.credits) c ON c.department = d.code
GROUP BY d.code, d.title
