-- id: IC4
-- title: topics that friends wrote of for the first time
-- group: complex reads
-- ordered: yes
SELECT t.name, count(*) FILTER (WHERE m.created >= $2::timestamp) AS posts
FROM knows k JOIN message m ON m.creator_id = k.person2_id JOIN message_tag mt ON mt.message_id = m.id JOIN tag t ON t.id = mt.tag_id
WHERE k.person1_id = $1 AND m.reply_of IS NULL AND m.created < $2::timestamp + $3::int * interval '1 day'
GROUP BY t.name
HAVING min(m.created) >= $2::timestamp
ORDER BY posts DESC, t.name LIMIT 10

-- section: graph
SELECT name, count(*) AS posts
FROM GRAPH_TABLE (social
  MATCH (p IS person WHERE p.id = $1)-[IS knows]->(f IS person)<-[IS has_creator]-
    (m IS message WHERE m.reply_of IS NULL AND m.created < $2::timestamp + $3::int * interval '1 day')-[IS has_tag]->(t IS tag)
  COLUMNS (t.name, m.created))
GROUP BY name
HAVING min(created) >= $2::timestamp
ORDER BY posts DESC, name LIMIT 10

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows]->(f:person)<-[:has_creator]-(m:message)-[:message_tag]->(t:tag)
WHERE m.post AND m.created < timestamp($p2) + to_days($p3)
WITH t.name AS name, count(*) AS posts, min(m.created) AS first
WHERE first >= timestamp($p2)
RETURN name, posts ORDER BY posts DESC, name LIMIT 10
