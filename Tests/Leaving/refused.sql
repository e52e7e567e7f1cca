SELECT * FROM GRAPH_TABLE (* MATCH TRAIL (a IS course)-[IS prerequisite]->{1,3}(b IS course) COLUMNS (a.id, b.id AS other));
SELECT initcap(name) FROM student;
SELECT array_agg(id ORDER BY id),
  regexp_match(name, 'a') FROM student GROUP BY name;
SELECT now(), id FROM student;
UPDATE student SET name = 'x';
SELECT string_agg(name, ',') FROM student;
SELECT id FROM student ORDER BY id::text COLLATE "C" LIMIT (SELECT 1);
SELECT * FROM nowhere
