-- id: IC10
-- title: friends of friends who share interests
-- group: complex reads
-- ordered: yes
WITH friend AS (
  SELECT DISTINCT b.person2_id AS id FROM knows a JOIN knows b ON b.person1_id = a.person2_id
  WHERE a.person1_id = $1 AND b.person2_id <> $1
    AND NOT EXISTS (SELECT 1 FROM knows k WHERE k.person1_id = $1 AND k.person2_id = b.person2_id)
)
SELECT p.id, p.first_name, p.last_name,
  (SELECT coalesce(sum(CASE WHEN EXISTS (
      SELECT 1 FROM message_tag mt JOIN interest i ON i.tag_id = mt.tag_id
      WHERE mt.message_id = m.id AND i.person_id = $1) THEN 1 ELSE -1 END), 0)
   FROM message m WHERE m.creator_id = p.id AND m.reply_of IS NULL) AS score,
  p.gender, c.name AS city
FROM friend f JOIN person p ON p.id = f.id JOIN place c ON c.id = p.city_id
WHERE (extract(month FROM p.birthday) = $2::int AND extract(day FROM p.birthday) >= 21
    OR extract(month FROM p.birthday) = $2::int % 12 + 1 AND extract(day FROM p.birthday) < 22)
ORDER BY score DESC, p.id LIMIT 10

-- section: graph
SELECT id, first_name, last_name,
  (SELECT coalesce(sum(CASE WHEN EXISTS (
      SELECT 1 FROM GRAPH_TABLE (social
        MATCH (n IS message WHERE n.id = m.message_id)-[IS has_tag]->(IS tag)<-[IS interest]-(x IS person WHERE x.id = $1)
        COLUMNS (1 AS one))) THEN 1 ELSE -1 END), 0)
   FROM GRAPH_TABLE (social
     MATCH (y IS person WHERE y.id = f.id)<-[IS has_creator]-(m IS message WHERE m.reply_of IS NULL) COLUMNS (m.id AS message_id)) m
  ) AS score, gender, city
FROM (
    SELECT DISTINCT * FROM GRAPH_TABLE (social
      MATCH (p IS person WHERE p.id = $1)-[IS knows]->(IS person)-[IS knows]->(f IS person WHERE f.id <> $1),
        (f)-[IS lives_in]->(c IS place)
      WHERE (extract(month FROM f.birthday) = $2::int AND extract(day FROM f.birthday) >= 21
    OR extract(month FROM f.birthday) = $2::int % 12 + 1 AND extract(day FROM f.birthday) < 22)
      COLUMNS (f.id, f.first_name, f.last_name, f.gender, c.name AS city))
  ) f
WHERE NOT EXISTS (
  SELECT 1 FROM GRAPH_TABLE (social MATCH (a IS person WHERE a.id = $1)-[IS knows]->(b IS person WHERE b.id = f.id) COLUMNS (1 AS one)))
ORDER BY score DESC, id LIMIT 10

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows]->(:person)-[:knows]->(f:person)-[:lives_in]->(c:place)
WHERE f.id <> $p1 AND NOT EXISTS { MATCH (p)-[:knows]->(f) }
  AND (date_part('month', f.birthday) = $p2 AND date_part('day', f.birthday) >= 21
    OR date_part('month', f.birthday) = $p2 % 12 + 1 AND date_part('day', f.birthday) < 22)
WITH DISTINCT p, f, c
OPTIONAL MATCH (f)<-[:has_creator]-(m:message) WHERE m.post
OPTIONAL MATCH (m)-[:message_tag]->(:tag)<-[i:interest]-(p)
WITH f, c, m.id AS post, count(i) AS shared
WITH f, c, sum(CASE WHEN post IS NULL THEN 0 WHEN shared > 0 THEN 1 ELSE -1 END) AS score
RETURN f.id, f.first_name, f.last_name, score, f.gender, c.name
ORDER BY score DESC, f.id LIMIT 10
