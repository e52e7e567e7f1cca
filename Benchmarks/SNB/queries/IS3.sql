-- id: IS3
-- title: friends of a person
-- group: short reads
-- ordered: yes
SELECT p.id, p.first_name, p.last_name, k.created FROM knows k JOIN person p ON p.id = k.person2_id
WHERE k.person1_id = $1 ORDER BY k.created DESC, p.id

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH (a IS person WHERE a.id = $1)-[k IS knows]->(p IS person)
  COLUMNS (p.id, p.first_name, p.last_name, k.created))
ORDER BY created DESC, id

-- section: ladybug
MATCH (a:person {id: $p1})-[k:knows]->(p:person)
RETURN p.id, p.first_name, p.last_name, k.created ORDER BY k.created DESC, p.id
