-- id: B7.1
-- title: the other way: courses that need it
-- group: near B7
-- variant of: B7
-- parameters: course: random 100
WITH RECURSIVE needed (id) AS (
  SELECT course_id FROM prerequisite WHERE requires_id = $1
  UNION
  SELECT p.course_id FROM needed n JOIN prerequisite p ON p.requires_id = n.id)
SELECT count(*) FROM needed

-- id: B7.2
-- title: with the number of steps, at most five
-- group: near B7
-- variant of: B7
-- touches more: a course once for each number of steps
-- parameters: course: random 100
WITH RECURSIVE needed (id, steps) AS (
  SELECT requires_id, 1 FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id, n.steps + 1
  FROM needed n
  JOIN prerequisite p ON p.course_id = n.id
  WHERE n.steps < 5)
SELECT count(*), max(steps) FROM needed

-- id: B7.3
-- title: only by courses of odd numbers
-- group: near B7
-- variant of: B7
-- parameters: course: random 100
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id AND p.requires_id % 2 = 1)
SELECT count(*) FROM needed

-- id: B7.4
-- title: their names, in order
-- group: near B7
-- variant of: B7
-- touches more: courses' names
-- parameters: course: random 100
-- ordered: yes
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT c.name FROM needed n JOIN course c ON c.id = n.id ORDER BY c.name

-- id: B7.5
-- title: the sum of their numbers
-- group: near B7
-- variant of: B7
-- parameters: course: random 100
WITH RECURSIVE needed (id) AS (
  SELECT requires_id FROM prerequisite WHERE course_id = $1
  UNION
  SELECT p.requires_id FROM needed n JOIN prerequisite p ON p.course_id = n.id)
SELECT sum(id) FROM needed
