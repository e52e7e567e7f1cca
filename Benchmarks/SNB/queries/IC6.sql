-- id: IC6
-- title: tags beside a tag on posts of friends and theirs
-- group: complex reads
-- ordered: yes
WITH friend AS (
  SELECT person2_id AS id FROM knows WHERE person1_id = $1
  UNION
  SELECT b.person2_id FROM knows a JOIN knows b ON b.person1_id = a.person2_id
  WHERE a.person1_id = $1 AND b.person2_id <> $1
)
SELECT t.name, count(*) AS posts
FROM friend f
  JOIN message m ON m.creator_id = f.id
  JOIN message_tag known ON known.message_id = m.id
  JOIN tag k ON k.id = known.tag_id
  JOIN message_tag other ON other.message_id = m.id
  JOIN tag t ON t.id = other.tag_id
WHERE m.reply_of IS NULL AND k.name = $2 AND t.name <> $2
GROUP BY t.name
ORDER BY posts DESC, t.name LIMIT 10

-- section: graph
SELECT name, count(*) AS posts
FROM GRAPH_TABLE (social
  MATCH ANY (p IS person WHERE p.id = $1)-[IS knows]->{1,2}(f IS person WHERE f.id <> $1),
    (f)<-[IS has_creator]-(m IS message WHERE m.reply_of IS NULL)-[IS has_tag]->(k IS tag WHERE k.name = $2),
    (m)-[IS has_tag]->(t IS tag WHERE t.name <> $2)
  COLUMNS (t.name))
GROUP BY name
ORDER BY posts DESC, name LIMIT 10

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows* SHORTEST 1..2]->(f:person) WHERE f.id <> $p1
MATCH (f)<-[:has_creator]-(m:message)-[:message_tag]->(k:tag)
WHERE m.post AND k.name = $p2
MATCH (m)-[:message_tag]->(t:tag) WHERE t.name <> $p2
RETURN t.name, count(*) AS posts ORDER BY posts DESC, t.name LIMIT 10
