-- id: IC13
-- title: length of the shortest way between two persons
-- group: complex reads
-- ordered: yes
WITH RECURSIVE search(id, depth) AS (
  SELECT $1::bigint, 0
  UNION ALL
  (WITH latest AS (SELECT id, depth FROM search)
   SELECT DISTINCT k.person2_id, l.depth + 1
   FROM latest l JOIN knows k ON k.person1_id = l.id
   WHERE NOT EXISTS (SELECT 1 FROM latest x WHERE x.id = $2) AND NOT EXISTS (SELECT 1 FROM latest x WHERE x.id = k.person2_id))
)
SELECT coalesce(max(depth), -1) AS length FROM search WHERE id = $2

-- section: graph
SELECT coalesce(max(steps), -1) AS length
FROM GRAPH_TABLE (social
  MATCH w = ANY SHORTEST (a IS person WHERE a.id = $1)-[IS knows]->*(b IS person WHERE b.id = $2)
  COLUMNS (path_length(w) AS steps))

-- section: ladybug
OPTIONAL MATCH (a:person {id: $p1})-[e:knows* SHORTEST 1..30]->(b:person {id: $p2})
RETURN coalesce(length(e), -1)
