-- id: IS7
-- title: replies to a message
-- group: short reads
-- ordered: yes
SELECT c.id AS comment_id, c.content, c.created, p.id AS person_id, p.first_name, p.last_name,
  (EXISTS (SELECT 1 FROM knows k WHERE k.person1_id = m.creator_id AND k.person2_id = p.id))::int AS knows
FROM message m JOIN message c ON c.reply_of = m.id JOIN person p ON p.id = c.creator_id
WHERE m.id = $1
ORDER BY c.created DESC, p.id

-- section: graph
SELECT comment_id, content, created, person_id, first_name, last_name,
  (EXISTS (SELECT 1 FROM GRAPH_TABLE (social
     MATCH (a IS person WHERE a.id = author_id)-[IS knows]->(b IS person WHERE b.id = person_id) COLUMNS (1 AS one))))::int AS knows
FROM GRAPH_TABLE (social
  MATCH (a IS person)<-[IS has_creator]-(m IS message WHERE m.id = $1)<-[IS reply_of]-(c IS message)-[IS has_creator]->(p IS person)
  COLUMNS (c.id AS comment_id, c.content, c.created, p.id AS person_id, p.first_name, p.last_name, a.id AS author_id))
ORDER BY created DESC, person_id

-- section: ladybug
MATCH (a:person)<-[:has_creator]-(m:message {id: $p1})<-[:reply_of]-(c:message)-[:has_creator]->(p:person)
RETURN c.id, c.content, c.created, p.id, p.first_name, p.last_name, CASE WHEN EXISTS { MATCH (a)-[:knows]->(p) } THEN 1 ELSE 0 END
ORDER BY c.created DESC, p.id
