-- id: G3.1
-- title: with repetition
-- group: near G3
-- variant of: G3
-- parameters: student: random 16
SELECT count(theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT count(theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id

-- section: junction
SELECT count(mate)
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
  WHERE m.id <> $1
  COLUMNS (m.id AS mate))

-- id: G3.2
-- title: only those of greater numbers
-- group: near G3
-- variant of: G3
-- parameters: student: random 16
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id > $1

-- section: junction
SELECT count(DISTINCT mate)
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
  WHERE m.id > $1
  COLUMNS (m.id AS mate))

-- id: G3.3
-- title: in courses of even numbers
-- group: near G3
-- variant of: G3
-- parameters: student: random 16
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1 AND mine.course_id % 2 = 0

-- section: hyper
SELECT count(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id AND mine.course_id % 2 = 0

-- section: junction
SELECT count(DISTINCT mate)
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)<-[IS enrols_in]-(m IS student)
  WHERE m.id <> $1 AND c.id % 2 = 0
  COLUMNS (m.id AS mate))

-- id: G3.4
-- title: the sum of their numbers
-- group: near G3
-- variant of: G3
-- parameters: student: random 16
SELECT sum(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT sum(DISTINCT theirs.student_id)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id

-- section: junction
SELECT sum(DISTINCT mate)
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
  WHERE m.id <> $1
  COLUMNS (m.id AS mate))

-- id: G3.5
-- title: different last names of theirs
-- group: near G3
-- variant of: G3
-- touches more: classmates' names
-- parameters: student: random 16
SELECT count(DISTINCT s.last_name)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
JOIN student s ON s.id = theirs.student_id
WHERE mine.student_id = $1 AND theirs.student_id <> $1

-- section: hyper
SELECT count(DISTINCT s.last_name)
FROM enrols_in mine
JOIN enrols_in theirs ON theirs.course_id = mine.course_id
JOIN student s ON s.id = theirs.student_id
WHERE mine.student_id = $1 AND theirs.student_id <> mine.student_id

-- section: junction
SELECT count(DISTINCT name)
FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(IS course)<-[IS enrols_in]-(m IS student)
  WHERE m.id <> $1
  COLUMNS (m.last_name AS name))
