-- id: G5.1
-- title: courses that the student takes
-- group: near G5
-- variant of: G5
-- parameters: student: random 16
-- ordered: yes
SELECT e.course_id, count(*) AS classmates
FROM enrols_in e
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> $1)
  AND e.course_id IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: hyper
SELECT e.course_id, count(*) AS classmates
FROM enrols_in e
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id)
  AND e.course_id IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: junction
SELECT course, count(*) AS classmates
FROM GRAPH_TABLE (* MATCH (m IS student)-[IS enrols_in]->(c IS course)
  COLUMNS (m.id AS mate, c.id AS course))
WHERE mate IN (
    SELECT mate
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
      WHERE m.id <> $1
      COLUMNS (m.id AS mate)))
  AND course IN (
    SELECT course
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)
      COLUMNS (c.id AS course)))
GROUP BY course
ORDER BY classmates DESC, course
LIMIT 10

-- id: G5.2
-- title: each classmate counted once
-- group: near G5
-- variant of: G5
-- parameters: student: random 16
-- ordered: yes
SELECT e.course_id, count(DISTINCT e.student_id) AS classmates
FROM enrols_in e
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> $1)
  AND e.course_id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: hyper
SELECT e.course_id, count(DISTINCT e.student_id) AS classmates
FROM enrols_in e
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id)
  AND e.course_id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: junction
SELECT course, count(DISTINCT mate) AS classmates
FROM GRAPH_TABLE (* MATCH (m IS student)-[IS enrols_in]->(c IS course)
  COLUMNS (m.id AS mate, c.id AS course))
WHERE mate IN (
    SELECT mate
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
      WHERE m.id <> $1
      COLUMNS (m.id AS mate)))
  AND course NOT IN (
    SELECT course
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)
      COLUMNS (c.id AS course)))
GROUP BY course
ORDER BY classmates DESC, course
LIMIT 10

-- id: G5.3
-- title: by NOT EXISTS
-- group: near G5
-- variant of: G5
-- parameters: student: random 16
-- ordered: yes
SELECT e.course_id, count(*) AS classmates
FROM enrols_in e
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> $1)
  AND NOT EXISTS (
    SELECT 1 FROM enrols_in x WHERE x.student_id = $1 AND x.course_id = e.course_id)
GROUP BY e.course_id
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: hyper
SELECT e.course_id, count(*) AS classmates
FROM enrols_in e
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id)
  AND NOT EXISTS (
    SELECT 1 FROM enrols_in x WHERE x.student_id = $1 AND x.course_id = e.course_id)
GROUP BY e.course_id
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: junction
SELECT course, count(*) AS classmates
FROM GRAPH_TABLE (* MATCH (m IS student)-[IS enrols_in]->(c IS course)
  COLUMNS (m.id AS mate, c.id AS course))
WHERE mate IN (
    SELECT mate
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
      WHERE m.id <> $1
      COLUMNS (m.id AS mate)))
  AND NOT EXISTS (
    SELECT 1
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)
      COLUMNS (c.id AS taken)) AS mine
    WHERE taken = course)
GROUP BY course
ORDER BY classmates DESC, course
LIMIT 10

-- id: G5.4
-- title: with the courses' names
-- group: near G5
-- variant of: G5
-- parameters: student: random 16
-- ordered: yes
SELECT e.course_id, c.name, count(*) AS classmates
FROM enrols_in e
JOIN course c ON c.id = e.course_id
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> $1)
  AND e.course_id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id, c.name
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: hyper
SELECT e.course_id, c.name, count(*) AS classmates
FROM enrols_in e
JOIN course c ON c.id = e.course_id
WHERE e.student_id IN (
    SELECT theirs.student_id
    FROM enrols_in mine
    JOIN enrols_in theirs ON theirs.course_id = mine.course_id
    WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id)
  AND e.course_id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id, c.name
ORDER BY classmates DESC, e.course_id
LIMIT 10

-- section: junction
SELECT course, name, count(*) AS classmates
FROM GRAPH_TABLE (* MATCH (m IS student)-[IS enrols_in]->(c IS course)
  COLUMNS (m.id AS mate, c.id AS course, c.name AS name))
WHERE mate IN (
    SELECT mate
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
      WHERE m.id <> $1
      COLUMNS (m.id AS mate)))
  AND course NOT IN (
    SELECT course
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)
      COLUMNS (c.id AS course)))
GROUP BY course, name
ORDER BY classmates DESC, course
LIMIT 10

-- id: G5.5
-- title: weighed by the courses shared
-- group: near G5
-- variant of: G5
-- touches more: every way to a course instead of every classmate
-- parameters: student: random 16
-- ordered: yes
SELECT e.course_id, count(*) AS ways
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
JOIN enrols_in e ON e.student_id = theirs.student_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1
  AND e.course_id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id
ORDER BY ways DESC, e.course_id
LIMIT 10

-- section: hyper
SELECT e.course_id, count(*) AS ways
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
JOIN enrols_in e ON e.student_id = theirs.student_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id
  AND e.course_id NOT IN (SELECT course_id FROM enrols_in WHERE student_id = $1)
GROUP BY e.course_id
ORDER BY ways DESC, e.course_id
LIMIT 10

-- section: junction
SELECT course, count(*) AS ways
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)-[IS enrols_in]->(c IS course)
  WHERE m.id <> $1
  COLUMNS (c.id AS course))
WHERE course NOT IN (
    SELECT course
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)
      COLUMNS (c.id AS course)))
GROUP BY course
ORDER BY ways DESC, course
LIMIT 10
