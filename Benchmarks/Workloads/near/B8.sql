-- id: B8.1
-- title: without courses that nobody takes: inner joins, one name
-- group: near B8
-- variant of: B8
-- json: 2
-- unsupported hyper: Hyper has no functions that write JSON
SELECT c.id, c.name,
  json_agg(json_build_object('id', s.id, 'name', s.last_name)) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: sqlite
SELECT c.id, c.name,
  json_group_array(json_object('id', s.id, 'name', s.last_name)) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: duckdb
SELECT c.id, c.name,
  to_json(list({'id': s.id, 'name': s.last_name})) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- id: B8.2
-- title: names in one text instead of JSON
-- group: near B8
-- variant of: B8
SELECT c.id, c.name,
  string_agg(s.last_name, ', ' ORDER BY s.id) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: sqlite
SELECT id, name, group_concat(last_name, ', ')
FROM (
  SELECT c.id, c.name, s.last_name
  FROM course c
  JOIN enrols_in e ON e.course_id = c.id
  JOIN student s ON s.id = e.student_id
  ORDER BY c.id, s.id)
GROUP BY id, name

-- id: B8.3
-- title: numbers instead of objects
-- group: near B8
-- variant of: B8
-- json: 2
-- unsupported hyper: Hyper has no functions that write JSON
SELECT c.id, c.name,
  json_agg(s.id) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: sqlite
SELECT c.id, c.name,
  json_group_array(s.id) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: duckdb
SELECT c.id, c.name,
  to_json(list(s.id)) AS students
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- id: B8.4
-- title: by short code
-- group: near B8
-- variant of: B8
-- json: 1
-- unsupported hyper: Hyper has no functions that write JSON
SELECT c.short_code,
  coalesce(json_agg(json_build_object('id', s.id, 'name', s.last_name)) FILTER (WHERE s.id IS NOT NULL), '[]') AS students
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
LEFT JOIN student s ON s.id = e.student_id
GROUP BY c.short_code

-- section: sqlite
SELECT c.short_code,
  coalesce(json_group_array(json_object('id', s.id, 'name', s.last_name)) FILTER (WHERE s.id IS NOT NULL), '[]') AS students
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
LEFT JOIN student s ON s.id = e.student_id
GROUP BY c.short_code

-- section: duckdb
SELECT c.short_code,
  coalesce(to_json(list({'id': s.id, 'name': s.last_name}) FILTER (WHERE s.id IS NOT NULL)), '[]') AS students
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
LEFT JOIN student s ON s.id = e.student_id
GROUP BY c.short_code

-- id: B8.5
-- title: the other way: every student with the courses
-- group: near B8
-- variant of: B8
-- json: 2
-- unsupported hyper: Hyper has no functions that write JSON
SELECT s.id, s.first_name,
  json_agg(json_build_object('id', c.id, 'name', c.name)) AS courses
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY s.id, s.first_name

-- section: sqlite
SELECT s.id, s.first_name,
  json_group_array(json_object('id', c.id, 'name', c.name)) AS courses
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY s.id, s.first_name

-- section: duckdb
SELECT s.id, s.first_name,
  to_json(list({'id': c.id, 'name': c.name})) AS courses
FROM course c
JOIN enrols_in e ON e.course_id = c.id
JOIN student s ON s.id = e.student_id
GROUP BY s.id, s.first_name
