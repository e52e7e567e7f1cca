-- id: IC8
-- title: recent replies to a person's messages
-- group: complex reads
-- ordered: yes
SELECT p.id AS person_id, p.first_name, p.last_name, c.created, c.id AS comment_id, c.content
FROM message m JOIN message c ON c.reply_of = m.id JOIN person p ON p.id = c.creator_id
WHERE m.creator_id = $1
ORDER BY c.created DESC, c.id LIMIT 20

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH (a IS person WHERE a.id = $1)<-[IS has_creator]-(m IS message)<-[IS reply_of]-(c IS message)-[IS has_creator]->(p IS person)
  COLUMNS (p.id AS person_id, p.first_name, p.last_name, c.created, c.id AS comment_id, c.content))
ORDER BY created DESC, comment_id LIMIT 20

-- section: ladybug
MATCH (a:person {id: $p1})<-[:has_creator]-(m:message)<-[:reply_of]-(c:message)-[:has_creator]->(p:person)
RETURN p.id, p.first_name, p.last_name, c.created, c.id, c.content
ORDER BY c.created DESC, c.id LIMIT 20
