-- id: IS5
-- title: creator of a message
-- group: short reads
-- ordered: yes
SELECT p.id, p.first_name, p.last_name FROM message m JOIN person p ON p.id = m.creator_id WHERE m.id = $1

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH (m IS message WHERE m.id = $1)-[IS has_creator]->(p IS person) COLUMNS (p.id, p.first_name, p.last_name))

-- section: ladybug
MATCH (m:message {id: $p1})-[:has_creator]->(p:person) RETURN p.id, p.first_name, p.last_name
