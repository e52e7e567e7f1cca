-- id: IC3
-- title: friends and theirs who wrote from two countries
-- group: complex reads
-- ordered: yes
WITH friend AS (
  SELECT person2_id AS id FROM knows WHERE person1_id = $1
  UNION
  SELECT b.person2_id FROM knows a JOIN knows b ON b.person1_id = a.person2_id
  WHERE a.person1_id = $1 AND b.person2_id <> $1
)
SELECT p.id, p.first_name, p.last_name, n.x_count, n.y_count, n.x_count + n.y_count AS total
FROM (
    SELECT m.creator_id, count(*) FILTER (WHERE c.name = $2) AS x_count, count(*) FILTER (WHERE c.name = $3) AS y_count
    FROM friend f JOIN message m ON m.creator_id = f.id JOIN place c ON c.id = m.place_id
    WHERE c.name IN ($2, $3) AND m.created >= $4::timestamp AND m.created < $4::timestamp + $5::int * interval '1 day'
    GROUP BY m.creator_id
  ) n
  JOIN person p ON p.id = n.creator_id
  JOIN place city ON city.id = p.city_id
  JOIN place country ON country.id = city.part_of
WHERE n.x_count > 0 AND n.y_count > 0 AND country.name NOT IN ($2, $3)
ORDER BY total DESC, p.id LIMIT 20

-- section: graph
SELECT id, first_name, last_name, count(*) FILTER (WHERE name = $2) AS x_count, count(*) FILTER (WHERE name = $3) AS y_count,
  count(*) AS total
FROM GRAPH_TABLE (social
  MATCH ANY (p IS person WHERE p.id = $1)-[IS knows]->{1,2}(f IS person WHERE f.id <> $1),
    (f)-[IS lives_in]->(IS place)-[IS part_of]->(h IS place WHERE h.name NOT IN ($2, $3)),
    (f)<-[IS has_creator]-(m IS message WHERE m.created >= $4::timestamp AND m.created < $4::timestamp + $5::int * interval '1 day')
      -[IS sent_from]->(c IS place WHERE c.name IN ($2, $3))
  COLUMNS (f.id, f.first_name, f.last_name, c.name))
GROUP BY id, first_name, last_name
HAVING count(*) FILTER (WHERE name = $2) > 0 AND count(*) FILTER (WHERE name = $3) > 0
ORDER BY total DESC, id LIMIT 20

-- section: ladybug
MATCH (p:person {id: $p1})-[:knows* SHORTEST 1..2]->(f:person) WHERE f.id <> $p1
WITH f MATCH (f)-[:lives_in]->(:place)-[:part_of]->(h:place) WHERE h.name <> $p2 AND h.name <> $p3
WITH f MATCH (f)<-[:has_creator]-(m:message) WHERE m.created >= timestamp($p4) AND m.created < timestamp($p4) + to_days($p5)
WITH f, m MATCH (m)-[:sent_from]->(c:place) WHERE c.name = $p2 OR c.name = $p3
WITH f, sum(CASE WHEN c.name = $p2 THEN 1 ELSE 0 END) AS x, sum(CASE WHEN c.name = $p3 THEN 1 ELSE 0 END) AS y
WHERE x > 0 AND y > 0
RETURN f.id, f.first_name, f.last_name, x, y, x + y AS total
ORDER BY total DESC, f.id LIMIT 20
