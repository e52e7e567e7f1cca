-- id: IC11
-- title: friends and theirs who work in a country
-- group: complex reads
-- ordered: yes
WITH friend AS (
  SELECT person2_id AS id FROM knows WHERE person1_id = $1
  UNION
  SELECT b.person2_id FROM knows a JOIN knows b ON b.person1_id = a.person2_id
  WHERE a.person1_id = $1 AND b.person2_id <> $1
)
SELECT p.id, p.first_name, p.last_name, o.name AS organisation, w.work_from
FROM friend f
  JOIN person p ON p.id = f.id
  JOIN work_at w ON w.person_id = p.id
  JOIN organisation o ON o.id = w.organisation_id
  JOIN place c ON c.id = o.place_id
WHERE c.name = $2 AND w.work_from < $3::int
ORDER BY w.work_from, p.id, o.name DESC LIMIT 10

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH ANY (p IS person WHERE p.id = $1)-[IS knows]->{1,2}(f IS person WHERE f.id <> $1),
    (f)-[w IS work_at WHERE w.work_from < $3::int]->(o IS organisation)-[IS seated_in]->(c IS place WHERE c.name = $2)
  COLUMNS (f.id, f.first_name, f.last_name, o.name AS organisation, w.work_from))
ORDER BY work_from, id, organisation DESC LIMIT 10

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows* SHORTEST 1..2]->(f:person) WHERE f.id <> $p1
MATCH (f)-[w:work_at]->(o:organisation)-[:seated_in]->(c:place)
WHERE c.name = $p2 AND w.work_from < $p3
RETURN f.id, f.first_name, f.last_name, o.name, w.work_from
ORDER BY w.work_from, f.id, o.name DESC LIMIT 10
