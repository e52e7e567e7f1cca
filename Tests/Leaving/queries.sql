-- who takes what
SELECT s.name, c.name, e.grade FROM student s JOIN enrols_in e ON e.student_id = s.id JOIN course c ON c.id = e.course_id ORDER BY s.id, c.id;
-- closure of one
WITH RECURSIVE needed(id) AS (SELECT requires_id FROM prerequisite WHERE course_id = 5 UNION SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id) SELECT id FROM needed;
-- closure of all, in a circle too
WITH RECURSIVE needed(course_id, id) AS (SELECT * FROM prerequisite UNION SELECT n.course_id, p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id) SELECT * FROM needed;
-- three hops
SELECT count(DISTINCT e3.student_id) FROM enrols_in e1 JOIN enrols_in e2 ON e2.course_id = e1.course_id JOIN enrols_in e3 ON e3.student_id = e2.student_id WHERE e1.student_id = 1;
-- depths by UNION ALL
WITH RECURSIVE below(id, depth) AS (SELECT id, 0 FROM student WHERE tutor IS NULL UNION ALL SELECT s.id, b.depth + 1 FROM below b JOIN student s ON s.tutor = b.id) SELECT * FROM below ORDER BY depth DESC, id;
-- rounds that a query around reads twice
WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT n * 2 % 11 FROM r) SELECT a.n, b.n FROM r a JOIN r b ON b.n = a.n + 1;
-- a pattern of a graph
SELECT * FROM GRAPH_TABLE (* MATCH (s IS student)-[e IS enrols_in]->(c IS course) WHERE c.name <> 'Art' COLUMNS (s.name AS student, c.name AS course, e.grade));
-- NULLs go last, or first where it descends
SELECT id, born FROM student ORDER BY born;
SELECT id, born FROM student ORDER BY born DESC, id;
SELECT id, born FROM student ORDER BY born NULLS FIRST, id LIMIT 2 OFFSET 1;
SELECT id FROM student ORDER BY id FETCH FIRST 2 ROWS ONLY;
SELECT a FROM t ORDER BY a FETCH FIRST 4 ROWS WITH TIES;
-- whole numbers
SELECT 7 / 2, -7 / 2, 7 % -3, id / 2, id * 1.0 / 3, id::bigint / 2 FROM student;
SELECT sum(fee) / count(*), avg(fee), round(avg(grade), 1), stddev(grade) FROM course LEFT JOIN enrols_in ON course_id = id;
SELECT 2.5::int, 3.5::int, (-2.5)::int, fee::int, fee::double precision::int, round(fee), floor(fee), ceil(-fee), trunc(fee) FROM course;
-- the first of each
SELECT DISTINCT ON (course_id) course_id, student_id, grade FROM enrols_in ORDER BY course_id, grade NULLS LAST, student_id;
SELECT DISTINCT b, a FROM t ORDER BY b DESC, a;
-- lateral
SELECT s.name, top.name FROM student s LEFT JOIN LATERAL (SELECT c.name FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = s.id ORDER BY e.grade NULLS LAST, c.id LIMIT 1) top ON true;
SELECT s.id, g FROM student s, generate_series(s.id, 3) AS g;
SELECT s.id, x.v, x.n FROM student s, LATERAL unnest(ARRAY[s.id, NULL, 7]) WITH ORDINALITY AS x(v, n);
SELECT * FROM generate_series(5, 1, -2) AS g;
SELECT * FROM generate_series(5, 1) AS g;
-- gathered values
SELECT c.name, string_agg(s.name, ', ' ORDER BY s.name DESC), count(s.id) FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id LEFT JOIN student s ON s.id = e.student_id GROUP BY c.id, c.name;
SELECT course_id, array_agg(grade ORDER BY grade DESC, student_id), string_agg(DISTINCT student_id::text, '+' ORDER BY student_id::text) FILTER (WHERE grade IS NOT NULL) FROM enrols_in GROUP BY course_id;
SELECT student_id, array_agg(grade ORDER BY course_id) FROM enrols_in GROUP BY student_id;
SELECT json_agg(json_build_object('id', id, 'name', name, 'born', born) ORDER BY id) FROM student;
SELECT c.id, json_agg(json_build_object('who', e.student_id, 'grade', e.grade)) FILTER (WHERE e.student_id IS NOT NULL) FROM course c LEFT JOIN enrols_in e ON e.course_id = c.id GROUP BY c.id;
-- patterns
SELECT name FROM student WHERE name ~ '^[A-C]';
SELECT name FROM student WHERE name !~* 'an+' AND name NOT LIKE '%\%%';
SELECT name LIKE '%''%', name ILIKE 'a%', name SIMILAR TO '(A|B)%' FROM student;
-- moments
SELECT since, extract(year FROM since), extract(dow FROM since), extract(epoch FROM since), date_trunc('month', since), since + interval '1 month 2 days', since::date - date '2024-01-01' FROM enrols_in;
SELECT born, born + 30, born - interval '1 year', extract(isodow FROM born), to_char(born, 'YYYY-MM') FROM student;
-- texts
SELECT substring(name FROM 2 FOR 3), left(name, -1), right(name, 2), upper(name), length(name), position('i' IN name), replace(name, 'i', 'I'), trim(BOTH 'A' FROM name), name || '!' , concat(name, NULL, 1), lpad(name, 5, '*') FROM student;
SELECT kind = 'hard', kind || '|', count(*) FROM course GROUP BY kind;
-- groups and windows
SELECT course_id, student_id, count(*), grouping(course_id, student_id) FROM enrols_in GROUP BY CUBE (course_id, student_id);
SELECT course_id, grade, rank() OVER w, sum(grade) OVER w, lag(grade) OVER w, avg(grade) OVER (PARTITION BY course_id) FROM enrols_in WINDOW w AS (PARTITION BY course_id ORDER BY grade DESC, student_id);
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM student;
SELECT count(*) FILTER (WHERE grade > 2), percentile_cont(0.5) WITHIN GROUP (ORDER BY grade), bool_or(grade IS NULL) FROM enrols_in;
-- scalar subqueries
SELECT s.name, (SELECT max(grade) FROM enrols_in e WHERE e.student_id = s.id), (SELECT count(*) FROM enrols_in e WHERE e.student_id < s.id) FROM student s;
SELECT name FROM student WHERE id = (SELECT max(student_id) FROM enrols_in);
SELECT b.name, b.courses FROM busy b WHERE EXISTS (SELECT 1 FROM student s WHERE s.tutor = b.id);
-- all of them
SELECT s.name FROM student s WHERE NOT EXISTS (SELECT 1 FROM course c WHERE c.kind = 'soft' AND NOT EXISTS (SELECT 1 FROM enrols_in e WHERE e.student_id = s.id AND e.course_id = c.id));
-- sets
SELECT a FROM t UNION SELECT a FROM u;
SELECT a, b FROM t INTERSECT ALL SELECT a, b FROM u;
SELECT * FROM (VALUES (1, 'x'), (2, NULL)) AS v(n, s) FULL JOIN t ON t.a = v.n;
-- a name in quotes, a text in quotes
SELECT "id" AS "Select", 'id' AS "Order by" FROM student;
SELECT a IS DISTINCT FROM b, a = b IS NULL, (a, b) = (1, 1), coalesce(a, b, 0), greatest(a, b), a BETWEEN SYMMETRIC 3 AND 1 FROM t;
SELECT count(*) FROM t CROSS JOIN u WHERE t.a = ANY (ARRAY[1, u.a]);
-- paths, in rounds
SELECT * FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (a IS course)-[IS prerequisite]->+(b IS course) COLUMNS (a.id, b.id AS other, path_length(p) AS steps));
SELECT * FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (a IS student WHERE a.id = 1) ((x)-[IS enrols_in]->(c IS course WHERE c.name <> 'Art')<-[IS enrols_in]-(y)){1,3} (b IS student) COLUMNS (b.name, path_length(p) AS steps));
SELECT * FROM GRAPH_TABLE (* MATCH ANY (a IS student) ((x)-[e IS enrols_in WHERE e.grade > 1]->(c)<-[IS enrols_in]-(y) WHERE c.id < 9)* (b IS student) COLUMNS (a.id, b.id AS other));
SELECT a, count(*) FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (x IS course)-[IS prerequisite]-*(y IS course) COLUMNS (x.name AS a, path_length(p) AS n)) WHERE n > 1 GROUP BY a;
SELECT * FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (a IS student)-[IS student_tutor_fkey]-{2,4}(b IS student) COLUMNS (a.id, b.id AS other, path_length(p) AS steps));

SELECT ARRAY[b, a] AS pair FROM t ORDER BY ARRAY[b, a], a, b;
