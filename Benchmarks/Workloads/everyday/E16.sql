-- id: E16
-- title: semesters in which students took a course again, as arrays
-- group: everyday
-- expect XS (): 309 rows 000000a13b041555
-- expect S (): 2840 rows 00000585495ab745
-- expect M (): 4066 rows 000008017950c555
-- expect L (): 4529 rows 000008db971a4f58
SELECT student_id, course_id, array_agg(semester ORDER BY semester)
FROM takes
GROUP BY student_id, course_id
HAVING count(*) > 1

-- section: hyper
SELECT student_id, course_id, '{' || string_agg(CAST(semester AS text), ',' ORDER BY semester) || '}'
FROM takes
GROUP BY student_id, course_id
HAVING count(*) > 1

-- section: duckdb
SELECT student_id, course_id, '{' || string_agg(semester, ',' ORDER BY semester) || '}'
FROM takes
GROUP BY student_id, course_id
HAVING count(*) > 1

-- section: sqlite
SELECT student_id, course_id, '{' || group_concat(semester, ',') || '}'
FROM (SELECT student_id, course_id, semester FROM takes ORDER BY 1, 2, 3)
GROUP BY student_id, course_id
HAVING count(*) > 1
