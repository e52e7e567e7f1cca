-- id: G7.1
-- title: the other way: courses that need it
-- group: near G7
-- variant of: G7
-- parameters: course: random 100
WITH RECURSIVE needed (id) AS (
  SELECT course_id FROM prerequisite WHERE requires_id = $1
  UNION
  SELECT p.course_id FROM needed n JOIN prerequisite p ON p.requires_id = n.id)
SELECT count(*) FROM needed

-- section: junction
SELECT count(*)
FROM GRAPH_TABLE (* MATCH ANY (c IS course WHERE c.id = $1)<-[IS prerequisite]-+(n IS course)
  COLUMNS (n.id AS needed))

-- id: G7.2
-- title: shortest ways, and the longest of them
-- group: near G7
-- variant of: G7
-- parameters: course: random 100
WITH RECURSIVE needed (id, steps) AS (
  SELECT requires_id, 1 FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id, n.steps + 1 FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT count(*), max(steps) FROM (SELECT id, min(steps) AS steps FROM needed GROUP BY id) nearest

-- section: junction
SELECT count(*), max(steps)
FROM GRAPH_TABLE (* MATCH p = ANY SHORTEST (c IS course WHERE c.id = $1)-[IS prerequisite]->+(n IS course)
  COLUMNS (path_length(p) AS steps))

-- id: G7.3
-- title: only those of odd numbers
-- group: near G7
-- variant of: G7
-- parameters: course: random 100
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT count(*) FROM needed WHERE id % 2 = 1

-- section: junction
SELECT count(*)
FROM GRAPH_TABLE (* MATCH ANY (c IS course WHERE c.id = $1)-[IS prerequisite]->+(n IS course WHERE n.id % 2 = 1)
  COLUMNS (n.id AS needed))

-- id: G7.4
-- title: their names, in order
-- group: near G7
-- variant of: G7
-- touches more: courses' names
-- parameters: course: random 100
-- ordered: yes
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT c.name FROM needed n JOIN course c ON c.id = n.id ORDER BY c.name

-- section: junction
SELECT name
FROM GRAPH_TABLE (* MATCH ANY (c IS course WHERE c.id = $1)-[IS prerequisite]->+(n IS course)
  COLUMNS (n.name AS name))
ORDER BY name

-- id: G7.5
-- title: the sum of their numbers
-- group: near G7
-- variant of: G7
-- parameters: course: random 100
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT sum(id) FROM needed

-- section: junction
SELECT sum(needed)
FROM GRAPH_TABLE (* MATCH ANY (c IS course WHERE c.id = $1)-[IS prerequisite]->+(n IS course)
  COLUMNS (n.id AS needed))
