-- id: G5
-- title: top 10 courses of a student's classmates that the student lacks, as a graph pattern
-- group: bulk
-- parameters: student: random 16
-- ordered: yes
-- limit: classmatesCourses
-- expect XS (181): 10 rows ea2373d6e7791dd0
-- expect XS (76): 10 rows 0c060aa0e81bcd52
-- expect S (9019): 10 rows 50869c1697e3269d
-- expect S (3777): 10 rows 34a5ca95c8af0ddf
-- expect M (90186): 10 rows 917f9a9c977903bd
-- expect M (37768): 10 rows 6fdc1440c712126b
-- expect L (901852): 10 rows 594539491d5b39f0
-- expect L (377673): 10 rows b25eb5a0eb487fc8
SELECT e.course_id, count(*) AS classmates
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
SELECT e.course_id, count(*) AS classmates
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

-- section: ladybug
MATCH (x:student)-[:enrols_in* SHORTEST 1..2]-(mate:student)
WHERE x.id = $p1
MATCH (mate)-[:enrols_in]->(c:course)
WHERE NOT EXISTS { MATCH (x)-[:enrols_in]->(c) }
RETURN c.id, count(*) AS classmates
ORDER BY classmates DESC, c.id
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
  AND course NOT IN (
    SELECT course
    FROM GRAPH_TABLE (* MATCH (x IS student WHERE x.id = $1)-[IS enrols_in]->(c IS course)
      COLUMNS (c.id AS course)))
GROUP BY course
ORDER BY classmates DESC, course
LIMIT 10
