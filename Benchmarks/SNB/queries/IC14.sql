-- id: IC14
-- title: all shortest ways between two persons, by how much they talk
-- group: complex reads
-- ordered: yes
-- numeric: 1
WITH RECURSIVE search(id, depth) AS (
  SELECT $1::bigint, 0
  UNION ALL
  (WITH latest AS (SELECT id, depth FROM search)
   SELECT DISTINCT k.person2_id, l.depth + 1
   FROM latest l JOIN knows k ON k.person1_id = l.id
   WHERE NOT EXISTS (SELECT 1 FROM latest x WHERE x.id = $2) AND NOT EXISTS (SELECT 1 FROM latest x WHERE x.id = k.person2_id))
), level AS (
  SELECT id, min(depth) AS depth FROM search GROUP BY id
), back(id, depth) AS (
  SELECT id, depth FROM level WHERE id = $2
  UNION
  SELECT l.id, l.depth
  FROM back b JOIN knows k ON k.person1_id = b.id JOIN level l ON l.id = k.person2_id AND l.depth = b.depth - 1
), step AS (
  SELECT a.id AS a, b.id AS b
  FROM back a JOIN knows k ON k.person1_id = a.id JOIN back b ON b.id = k.person2_id AND b.depth = a.depth + 1
), reply AS (
  SELECT s.a, s.b, CASE WHEN m.reply_of IS NULL THEN 1.0 ELSE 0.5 END AS weight
  FROM step s JOIN message c ON c.creator_id = s.a JOIN message m ON m.id = c.reply_of AND m.creator_id = s.b
  UNION ALL
  SELECT s.a, s.b, CASE WHEN m.reply_of IS NULL THEN 1.0 ELSE 0.5 END
  FROM step s JOIN message c ON c.creator_id = s.b JOIN message m ON m.id = c.reply_of AND m.creator_id = s.a
), weighted AS (
  SELECT s.a, s.b, coalesce(sum(r.weight), 0.0) AS weight
  FROM step s LEFT JOIN reply r ON r.a = s.a AND r.b = s.b GROUP BY s.a, s.b
), path(id, ids, weight) AS (
  SELECT $1::bigint, ($1::bigint)::text, 0.0::double precision
  UNION ALL
  SELECT w.b, p.ids || ',' || w.b, p.weight + w.weight::double precision FROM path p JOIN weighted w ON w.a = p.id
)
SELECT ids, weight FROM path WHERE id = $2 ORDER BY weight DESC, ids

-- section: graph
WITH path AS (
  SELECT row_number() OVER () AS number, g.*
  FROM GRAPH_TABLE (social
    MATCH ALL SHORTEST (a IS person WHERE a.id = $1)((x)-[IS knows]->(y))*(b IS person WHERE b.id = $2)
    COLUMNS (x.id AS starts, y.id AS ends)) g
), step AS (
  SELECT number, u.a, u.b FROM path, unnest(starts, ends) AS u(a, b)
), reply AS (
  SELECT s.a, s.b, CASE WHEN r.parent IS NULL THEN 1.0 ELSE 0.5 END AS weight
  FROM (SELECT DISTINCT a, b FROM step) s CROSS JOIN LATERAL (SELECT * FROM GRAPH_TABLE (social
      MATCH (x IS person WHERE x.id = s.a)<-[IS has_creator]-(c IS message)-[IS reply_of]->(m IS message)-[IS has_creator]->(y IS person WHERE y.id = s.b)
      COLUMNS (m.reply_of AS parent))) r
  UNION ALL
  SELECT s.a, s.b, CASE WHEN r.parent IS NULL THEN 1.0 ELSE 0.5 END
  FROM (SELECT DISTINCT a, b FROM step) s CROSS JOIN LATERAL (SELECT * FROM GRAPH_TABLE (social
      MATCH (x IS person WHERE x.id = s.b)<-[IS has_creator]-(c IS message)-[IS reply_of]->(m IS message)-[IS has_creator]->(y IS person WHERE y.id = s.a)
      COLUMNS (m.reply_of AS parent))) r
)
SELECT $1::text || ',' || array_to_string(p.ends, ',') AS ids, coalesce(w.weight, 0.0)::double precision AS weight
FROM path p LEFT JOIN (
    SELECT s.number, sum(r.weight) AS weight FROM step s JOIN reply r ON r.a = s.a AND r.b = s.b GROUP BY s.number
  ) w ON w.number = p.number
ORDER BY weight DESC, ids

-- section: ladybug
MATCH (a:person {id: $p1})-[e:knows* ALL SHORTEST 1..30]->(b:person {id: $p2})
WITH list_concat(list_concat([a.id], properties(nodes(e), 'id')), [b.id]) AS ids
UNWIND range(1, size(ids) - 1) AS i
WITH ids, ids[i] AS x, ids[i + 1] AS y
OPTIONAL MATCH (:person {id: x})<-[:has_creator]-(:message)-[r:reply_of]->(m:message)-[:has_creator]->(:person {id: y})
WITH ids, x, y, sum(CASE WHEN m.id IS NULL THEN 0.0 WHEN m.post THEN 1.0 ELSE 0.5 END) AS there
OPTIONAL MATCH (:person {id: y})<-[:has_creator]-(:message)-[r:reply_of]->(m:message)-[:has_creator]->(:person {id: x})
WITH ids, x, y, there, sum(CASE WHEN m.id IS NULL THEN 0.0 WHEN m.post THEN 1.0 ELSE 0.5 END) AS back
WITH ids, sum(there + back) AS weight
RETURN list_to_string(',', ids) AS way, weight ORDER BY weight DESC, way
