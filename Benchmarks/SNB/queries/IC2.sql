-- id: IC2
-- title: recent messages of friends
-- group: complex reads
-- ordered: yes
SELECT p.id AS person_id, p.first_name, p.last_name, m.id AS message_id, coalesce(m.image_file, m.content) AS content, m.created
FROM knows k JOIN person p ON p.id = k.person2_id JOIN message m ON m.creator_id = p.id
WHERE k.person1_id = $1 AND m.created <= $2::timestamp
ORDER BY m.created DESC, m.id LIMIT 20

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH (p IS person WHERE p.id = $1)-[IS knows]->(f IS person)<-[IS has_creator]-(m IS message WHERE m.created <= $2::timestamp)
  COLUMNS (f.id AS person_id, f.first_name, f.last_name, m.id AS message_id, coalesce(m.image_file, m.content) AS content, m.created))
ORDER BY created DESC, message_id LIMIT 20

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows]->(f:person)<-[:has_creator]-(m:message)
WHERE m.created <= timestamp($p2)
RETURN f.id, f.first_name, f.last_name, m.id, coalesce(m.image_file, m.content), m.created
ORDER BY m.created DESC, m.id LIMIT 20
