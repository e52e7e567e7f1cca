-- id: IS1
-- title: profile of a person
-- group: short reads
-- ordered: yes
SELECT first_name, last_name, birthday, location_ip, browser, city_id, gender, created FROM person WHERE id = $1

-- section: graph
SELECT * FROM GRAPH_TABLE (social
  MATCH (p IS person WHERE p.id = $1)-[IS lives_in]->(c IS place)
  COLUMNS (p.first_name, p.last_name, p.birthday, p.location_ip, p.browser, c.id AS city_id, p.gender, p.created))

-- section: ladybug
MATCH (p:person {id: $p1})-[:lives_in]->(c:place)
RETURN p.first_name, p.last_name, p.birthday, p.location_ip, p.browser, c.id, p.gender, p.created
