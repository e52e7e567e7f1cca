-- id: IC7
-- title: who has liked a person's messages last
-- group: complex reads
-- ordered: yes
SELECT l.person_id, p.first_name, p.last_name, l.created, l.message_id, coalesce(l.image_file, l.content) AS content,
  floor(extract(epoch FROM l.created - l.sent) / 60)::int AS minutes,
  (NOT EXISTS (SELECT 1 FROM knows k WHERE k.person1_id = $1 AND k.person2_id = p.id))::int AS is_new
FROM (
    SELECT DISTINCT ON (l.person_id) l.person_id, l.created, l.message_id, m.image_file, m.content, m.created AS sent
    FROM message m JOIN likes l ON l.message_id = m.id
    WHERE m.creator_id = $1
    ORDER BY l.person_id, l.created DESC, m.id
  ) l
  JOIN person p ON p.id = l.person_id
ORDER BY l.created DESC, l.person_id LIMIT 20

-- section: graph
SELECT person_id, first_name, last_name, created, message_id, content,
  floor(extract(epoch FROM created - sent) / 60)::int AS minutes,
  (NOT EXISTS (
    SELECT 1 FROM GRAPH_TABLE (social
      MATCH (a IS person WHERE a.id = $1)-[IS knows]->(b IS person WHERE b.id = person_id) COLUMNS (1 AS one))))::int AS is_new
FROM (
    SELECT DISTINCT ON (person_id) *
    FROM GRAPH_TABLE (social
      MATCH (a IS person WHERE a.id = $1)<-[IS has_creator]-(m IS message)<-[l IS likes]-(p IS person)
      COLUMNS (p.id AS person_id, p.first_name, p.last_name, l.created, m.id AS message_id,
        coalesce(m.image_file, m.content) AS content, m.created AS sent))
    ORDER BY person_id, created DESC, message_id
  ) l
ORDER BY created DESC, person_id LIMIT 20

-- section: ladybug
MATCH (a:person {id: $p1})<-[:has_creator]-(m:message)<-[l:likes]-(p:person)
WITH a, p, max(l.created) AS latest ORDER BY latest DESC, p.id LIMIT 20
MATCH (m:message)<-[l:likes]-(p) WHERE l.created = latest
WITH a, p, latest, m MATCH (m)-[:has_creator]->(b:person) WHERE b.id = $p1
WITH a, p, latest, min(m.id) AS id
MATCH (m:message) WHERE m.id = id
RETURN p.id, p.first_name, p.last_name, latest, m.id, coalesce(m.image_file, m.content),
  (to_epoch_ms(latest) - to_epoch_ms(m.created)) / 60000,
  CASE WHEN EXISTS { MATCH (a)-[:knows]->(p) } THEN 0 ELSE 1 END
ORDER BY latest DESC, p.id
