-- id: IS6
-- title: forum of a message
-- group: short reads
-- ordered: yes
WITH RECURSIVE thread(id, reply_of, forum_id) AS (
  SELECT id, reply_of, forum_id FROM message WHERE id = $1
  UNION ALL
  SELECT m.id, m.reply_of, m.forum_id FROM thread t JOIN message m ON m.id = t.reply_of
)
SELECT f.id AS forum_id, f.title, p.id AS person_id, p.first_name, p.last_name
FROM thread t JOIN forum f ON f.id = t.forum_id JOIN person p ON p.id = f.moderator_id

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH ANY (c IS message WHERE c.id = $1)-[IS reply_of]->*(m IS message WHERE m.reply_of IS NULL),
    (m)<-[IS container_of]-(f IS forum)-[IS has_moderator]->(p IS person)
  COLUMNS (f.id AS forum_id, f.title, p.id AS person_id, p.first_name, p.last_name))

-- section: ladybug
MATCH (c:message {id: $p1})-[:reply_of* ACYCLIC 0..30]->(m:message)<-[:container_of]-(f:forum)-[:has_moderator]->(p:person)
RETURN f.id, f.title, p.id, p.first_name, p.last_name
