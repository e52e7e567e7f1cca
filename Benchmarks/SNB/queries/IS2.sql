-- id: IS2
-- title: recent messages of a person and the posts that they answer
-- group: short reads
-- ordered: yes
WITH RECURSIVE recent AS (
  SELECT id, coalesce(image_file, content) AS content, created, reply_of FROM message
  WHERE creator_id = $1
  ORDER BY created DESC, id DESC LIMIT 10
), thread(message_id, id, reply_of) AS (
  SELECT id, id, reply_of FROM recent
  UNION ALL
  SELECT t.message_id, m.id, m.reply_of FROM thread t JOIN message m ON m.id = t.reply_of
)
SELECT r.id AS message_id, r.content, r.created, m.id AS post_id, p.id AS person_id, p.first_name, p.last_name
FROM recent r
  JOIN thread t ON t.message_id = r.id AND t.reply_of IS NULL
  JOIN message m ON m.id = t.id
  JOIN person p ON p.id = m.creator_id
ORDER BY r.created DESC, r.id DESC

-- section: graph
WITH recent AS (
  SELECT * FROM GRAPH_TABLE (social
    MATCH (p IS person WHERE p.id = $1)<-[IS has_creator]-(m IS message)
    COLUMNS (m.id, coalesce(m.image_file, m.content) AS content, m.created))
  ORDER BY created DESC, id DESC LIMIT 10
)
SELECT r.id AS message_id, r.content, r.created, g.post_id, g.person_id, g.first_name, g.last_name
FROM recent r CROSS JOIN LATERAL (
  SELECT * FROM GRAPH_TABLE (social
    MATCH ANY (c IS message WHERE c.id = r.id)-[IS reply_of]->*(m IS message WHERE m.reply_of IS NULL), (m)-[IS has_creator]->(p IS person)
    COLUMNS (m.id AS post_id, p.id AS person_id, p.first_name, p.last_name))) g
ORDER BY r.created DESC, r.id DESC

-- section: ladybug
MATCH (:person {id: $p1})<-[:has_creator]-(m:message)
WITH m ORDER BY m.created DESC, m.id DESC LIMIT 10
OPTIONAL MATCH (m)-[:reply_of* SHORTEST 1..30]->(t:message) WHERE t.post
WITH m, coalesce(t.id, m.id) AS root
MATCH (r:message)-[:has_creator]->(p:person) WHERE r.id = root
RETURN m.id, coalesce(m.image_file, m.content), m.created, r.id, p.id, p.first_name, p.last_name
ORDER BY m.created DESC, m.id DESC
