-- id: IC12
-- title: friends who answer posts on a class of things
-- group: complex reads
-- ordered: yes
WITH RECURSIVE class(id) AS (
  SELECT id FROM tagclass WHERE name = $2
  UNION
  SELECT t.id FROM class c JOIN tagclass t ON t.subclass_of = c.id
)
SELECT p.id, p.first_name, p.last_name, string_agg(DISTINCT t.name, ',' ORDER BY t.name) AS tags, count(DISTINCT c.id) AS replies
FROM knows k
  JOIN person p ON p.id = k.person2_id
  JOIN message c ON c.creator_id = p.id
  JOIN message m ON m.id = c.reply_of
  JOIN message_tag mt ON mt.message_id = m.id
  JOIN tag t ON t.id = mt.tag_id
WHERE k.person1_id = $1 AND m.reply_of IS NULL AND t.class_id IN (SELECT id FROM class)
GROUP BY p.id, p.first_name, p.last_name
ORDER BY replies DESC, p.id LIMIT 20

-- section: graph
SELECT id, first_name, last_name, string_agg(DISTINCT name, ',' ORDER BY name) AS tags, count(DISTINCT comment_id) AS replies
FROM GRAPH_TABLE (social
  MATCH (p IS person WHERE p.id = $1)-[IS knows]->(f IS person)<-[IS has_creator]-(c IS message)
      -[IS reply_of]->(m IS message WHERE m.reply_of IS NULL)-[IS has_tag]->(t IS tag),
    ANY (t)-[IS has_type]->(IS tagclass)-[IS subclass_of]->*(x IS tagclass WHERE x.name = $2)
  COLUMNS (f.id, f.first_name, f.last_name, t.name, c.id AS comment_id))
GROUP BY id, first_name, last_name
ORDER BY replies DESC, id LIMIT 20

-- section: ladybug
MATCH (x:tagclass)<-[:subclass_of* ACYCLIC 0..20]-(:tagclass)<-[:has_type]-(t:tag) WHERE x.name = $p2
WITH collect(t.id) AS ids
MATCH (p:person {id: $p1})-[:knows]->(f:person)<-[:has_creator]-(c:message)-[:reply_of]->(m:message)-[:message_tag]->(t:tag)
WHERE m.post AND list_contains(ids, t.id)
WITH f, collect(DISTINCT t.name) AS names, count(DISTINCT c.id) AS replies
RETURN f.id, f.first_name, f.last_name, list_to_string(',', list_sort(names)), replies
ORDER BY replies DESC, f.id LIMIT 20
