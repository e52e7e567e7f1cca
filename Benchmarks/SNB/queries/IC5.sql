-- id: IC5
-- title: forums that friends and theirs have joined
-- group: complex reads
-- ordered: yes
WITH friend AS (
  SELECT person2_id AS id FROM knows WHERE person1_id = $1
  UNION
  SELECT b.person2_id FROM knows a JOIN knows b ON b.person1_id = a.person2_id
  WHERE a.person1_id = $1 AND b.person2_id <> $1
)
SELECT o.title, count(m.id) AS posts
FROM friend f
  JOIN member b ON b.person_id = f.id
  JOIN forum o ON o.id = b.forum_id
  LEFT JOIN message m ON m.forum_id = b.forum_id AND m.creator_id = b.person_id
WHERE b.joined > $2::timestamp
GROUP BY o.id, o.title
ORDER BY posts DESC, o.id LIMIT 20

-- section: graph
SELECT g.title, count(m.id) AS posts
FROM GRAPH_TABLE (social
    MATCH ANY (p IS person WHERE p.id = $1)-[IS knows]->{1,2}(f IS person WHERE f.id <> $1),
      (f)<-[b IS has_member WHERE b.joined > $2::timestamp]-(o IS forum)
    COLUMNS (f.id AS person_id, o.id AS forum_id, o.title)) g
  LEFT JOIN message m ON m.forum_id = g.forum_id AND m.creator_id = g.person_id
GROUP BY g.forum_id, g.title
ORDER BY posts DESC, g.forum_id LIMIT 20

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows* SHORTEST 1..2]->(f:person) WHERE f.id <> $p1
MATCH (f)<-[b:has_member]-(o:forum) WHERE b.joined > timestamp($p2)
OPTIONAL MATCH (f)<-[:has_creator]-(m:message)<-[:container_of]-(o)
WITH o, count(m.id) AS posts
RETURN o.title, posts ORDER BY posts DESC, o.id LIMIT 20
