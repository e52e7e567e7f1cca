-- id: G6-2.1
-- title: the greatest number instead of how many
-- group: near G6-2
-- variant of: G6-2
-- parameters: student: random 16
SELECT max(student_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- section: junction
SELECT max(mate)
FROM GRAPH_TABLE (* MATCH ANY (x IS student WHERE x.id = $1)
  ((IS student)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(IS student)){1,2} (m IS student)
  COLUMNS (m.id AS mate))

-- id: G6-2.2
-- title: shortest ways instead of any
-- group: near G6-2
-- variant of: G6-2
-- parameters: student: random 16
SELECT count(DISTINCT student_id)
FROM enrols_in
WHERE course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- section: junction
SELECT count(*)
FROM GRAPH_TABLE (* MATCH ANY SHORTEST (x IS student WHERE x.id = $1)
  ((IS student)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(IS student)){1,2} (m IS student)
  COLUMNS (m.id AS mate))

-- id: G6-2.3
-- title: only students of odd numbers
-- group: near G6-2
-- variant of: G6-2
-- parameters: student: random 16
SELECT count(DISTINCT student_id)
FROM enrols_in
WHERE student_id % 2 = 1 AND course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- section: junction
SELECT count(*)
FROM GRAPH_TABLE (* MATCH ANY (x IS student WHERE x.id = $1)
  ((IS student)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(IS student)){1,2} (m IS student WHERE m.id % 2 = 1)
  COLUMNS (m.id AS mate))

-- id: G6-2.4
-- title: different last names
-- group: near G6-2
-- variant of: G6-2
-- touches more: students' names
-- parameters: student: random 16
SELECT count(DISTINCT s.last_name)
FROM enrols_in e
JOIN student s ON s.id = e.student_id
WHERE e.course_id IN (
  SELECT course_id FROM enrols_in WHERE student_id IN (
    SELECT student_id FROM enrols_in WHERE course_id IN (
      SELECT course_id FROM enrols_in WHERE student_id = $1)))

-- section: junction
SELECT count(DISTINCT name)
FROM GRAPH_TABLE (* MATCH ANY (x IS student WHERE x.id = $1)
  ((IS student)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(IS student)){1,2} (m IS student)
  COLUMNS (m.last_name AS name))

-- id: G6-2.5
-- title: by two patterns in a row
-- group: near G6-2
-- variant of: G6-2
-- parameters: student: random 16
SELECT count(DISTINCT d.student_id)
FROM enrols_in a
JOIN enrols_in b ON b.course_id = a.course_id
JOIN enrols_in c ON c.student_id = b.student_id
JOIN enrols_in d ON d.course_id = c.course_id
WHERE a.student_id = $1

-- section: junction
SELECT count(DISTINCT mate)
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(IS student)
    -[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
  COLUMNS (m.id AS mate))
