-- id: B8
-- title: every course with its students as JSON
-- group: bulk
-- json: 2
-- limit: coursesAsJSON
-- sizes: XS S M L
-- unsupported hyper: Hyper has no functions that write JSON
-- unsupported ladybug: Ladybug gives lists of structures, but writes no JSON from them
-- expect XS (): 20 rows 00000009763fb291
-- expect S (): 200 rows 0000005c50dd73d6
-- expect M (): 2000 rows 000003f37aae8d34
-- expect L (): 10000 rows 00001380f3553875
SELECT c.id, c.name,
  coalesce(
    json_agg(
      json_build_object('id', s.id, 'first_name', s.first_name, 'last_name', s.last_name))
      FILTER (WHERE s.id IS NOT NULL),
    '[]') AS students
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
LEFT JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: sqlite
SELECT c.id, c.name,
  coalesce(
    json_group_array(
      json_object('id', s.id, 'first_name', s.first_name, 'last_name', s.last_name))
      FILTER (WHERE s.id IS NOT NULL),
    '[]') AS students
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
LEFT JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name

-- section: duckdb
SELECT c.id, c.name,
  coalesce(
    to_json(
      list({'id': s.id, 'first_name': s.first_name, 'last_name': s.last_name})
        FILTER (WHERE s.id IS NOT NULL)),
    '[]') AS students
FROM course c
LEFT JOIN enrols_in e ON e.course_id = c.id
LEFT JOIN student s ON s.id = e.student_id
GROUP BY c.id, c.name
