-- id: G4.1
-- title: pairs both ways round
-- group: near G4
-- variant of: G4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id <> b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- section: junction
SELECT a, b, count(*) AS shared
FROM GRAPH_TABLE (* MATCH (a IS course)<-[IS enrols_in]-(s IS student)-[IS enrols_in]->(b IS course)
  WHERE a.id <> b.id
  COLUMNS (a.id AS a, b.id AS b, s.id AS s))
GROUP BY a, b
ORDER BY shared DESC, a, b
LIMIT 20

-- id: G4.2
-- title: only students of odd numbers
-- group: near G4
-- variant of: G4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
WHERE a.student_id % 2 = 1
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- section: junction
SELECT a, b, count(*) AS shared
FROM GRAPH_TABLE (* MATCH (a IS course)<-[IS enrols_in]-(s IS student)-[IS enrols_in]->(b IS course)
  WHERE a.id < b.id AND s.id % 2 = 1
  COLUMNS (a.id AS a, b.id AS b, s.id AS s))
GROUP BY a, b
ORDER BY shared DESC, a, b
LIMIT 20

-- id: G4.3
-- title: the sum of students' numbers too
-- group: near G4
-- variant of: G4
-- touches more: the student of every pair
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared, sum(a.student_id)
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- section: junction
SELECT a, b, count(*) AS shared, sum(s)
FROM GRAPH_TABLE (* MATCH (a IS course)<-[IS enrols_in]-(s IS student)-[IS enrols_in]->(b IS course)
  WHERE a.id < b.id
  COLUMNS (a.id AS a, b.id AS b, s.id AS s))
GROUP BY a, b
ORDER BY shared DESC, a, b
LIMIT 20

-- id: G4.4
-- title: pairs that share more than ten students
-- group: near G4
-- variant of: G4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
HAVING count(*) > 10
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- section: junction
SELECT a, b, count(*) AS shared
FROM GRAPH_TABLE (* MATCH (a IS course)<-[IS enrols_in]-(s IS student)-[IS enrols_in]->(b IS course)
  WHERE a.id < b.id
  COLUMNS (a.id AS a, b.id AS b, s.id AS s))
GROUP BY a, b
HAVING count(*) > 10
ORDER BY shared DESC, a, b
LIMIT 20

-- id: G4.5
-- title: pairs that share fewest
-- group: near G4
-- variant of: G4
-- ordered: yes
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared, a.course_id, b.course_id
LIMIT 20

-- section: junction
SELECT a, b, count(*) AS shared
FROM GRAPH_TABLE (* MATCH (a IS course)<-[IS enrols_in]-(s IS student)-[IS enrols_in]->(b IS course)
  WHERE a.id < b.id
  COLUMNS (a.id AS a, b.id AS b, s.id AS s))
GROUP BY a, b
ORDER BY shared, a, b
LIMIT 20
