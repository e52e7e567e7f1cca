-- id: IC9
-- title: recent messages of friends and theirs
-- group: complex reads
-- ordered: yes
WITH friend AS (
  SELECT person2_id AS id FROM knows WHERE person1_id = $1
  UNION
  SELECT b.person2_id FROM knows a JOIN knows b ON b.person1_id = a.person2_id
  WHERE a.person1_id = $1 AND b.person2_id <> $1
)
SELECT p.id AS person_id, p.first_name, p.last_name, m.id AS message_id, coalesce(m.image_file, m.content) AS content, m.created
FROM friend f JOIN person p ON p.id = f.id JOIN message m ON m.creator_id = p.id
WHERE m.created < $2::timestamp
ORDER BY m.created DESC, m.id LIMIT 20

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH ANY (p IS person WHERE p.id = $1)-[IS knows]->{1,2}(f IS person WHERE f.id <> $1),
    (f)<-[IS has_creator]-(m IS message WHERE m.created < $2::timestamp)
  COLUMNS (f.id AS person_id, f.first_name, f.last_name, m.id AS message_id, coalesce(m.image_file, m.content) AS content, m.created))
ORDER BY created DESC, message_id LIMIT 20

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows* SHORTEST 1..2]->(f:person) WHERE f.id <> $p1
MATCH (f)<-[:has_creator]-(m:message) WHERE m.created < timestamp($p2)
RETURN f.id, f.first_name, f.last_name, m.id, coalesce(m.image_file, m.content), m.created
ORDER BY m.created DESC, m.id LIMIT 20
