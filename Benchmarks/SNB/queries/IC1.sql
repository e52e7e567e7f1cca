-- id: IC1
-- title: persons of a first name within three steps
-- group: complex reads
-- ordered: yes
WITH RECURSIVE reach(id, distance) AS (
  SELECT $1::bigint, 0
  UNION
  SELECT k.person2_id, r.distance + 1 FROM reach r JOIN knows k ON k.person1_id = r.id WHERE r.distance < 3
), friend AS (
  SELECT p.*, r.distance
  FROM (SELECT id, min(distance) AS distance FROM reach GROUP BY id) r JOIN person p ON p.id = r.id
  WHERE p.first_name = $2 AND p.id <> $1
  ORDER BY r.distance, p.last_name, p.id LIMIT 20
)
SELECT f.id, f.last_name, f.distance, f.birthday, f.created, f.gender, f.browser, f.location_ip, f.emails, f.languages,
  c.name AS city,
  (SELECT string_agg(s.studies, ', ' ORDER BY s.studies)
   FROM (SELECT o.name || ' ' || a.class_year || ' ' || c.name AS studies
         FROM study_at a JOIN organisation o ON o.id = a.organisation_id JOIN place c ON c.id = o.place_id
         WHERE a.person_id = f.id) s) AS universities,
  (SELECT string_agg(w.works, ', ' ORDER BY w.works)
   FROM (SELECT o.name || ' ' || a.work_from || ' ' || c.name AS works
         FROM work_at a JOIN organisation o ON o.id = a.organisation_id JOIN place c ON c.id = o.place_id
         WHERE a.person_id = f.id) w) AS companies
FROM friend f JOIN place c ON c.id = f.city_id
ORDER BY f.distance, f.last_name, f.id

-- section: graph
WITH friend AS (
  SELECT * FROM GRAPH_TABLE (social
    MATCH w = ANY SHORTEST (p IS person WHERE p.id = $1)-[IS knows]->{1,3}(f IS person WHERE f.first_name = $2 AND f.id <> $1),
      (f)-[IS lives_in]->(c IS place)
    COLUMNS (f.id, f.last_name, path_length(w) AS distance, f.birthday, f.created, f.gender, f.browser, f.location_ip,
      f.emails, f.languages, c.name AS city))
  ORDER BY distance, last_name, id LIMIT 20
)
SELECT f.*,
  (SELECT string_agg(studies, ', ' ORDER BY studies) FROM GRAPH_TABLE (social
     MATCH (x IS person WHERE x.id = f.id)-[a IS study_at]->(o IS organisation)-[IS seated_in]->(c IS place)
     COLUMNS (o.name || ' ' || a.class_year || ' ' || c.name AS studies))) AS universities,
  (SELECT string_agg(works, ', ' ORDER BY works) FROM GRAPH_TABLE (social
     MATCH (x IS person WHERE x.id = f.id)-[a IS work_at]->(o IS organisation)-[IS seated_in]->(c IS place)
     COLUMNS (o.name || ' ' || a.work_from || ' ' || c.name AS works))) AS companies
FROM friend f
ORDER BY f.distance, f.last_name, f.id

-- section: ladybug
MATCH (p:person {id: $p1})-[e:knows* SHORTEST 1..3]->(f:person)
WHERE f.first_name = $p2 AND f.id <> $p1
WITH f, length(e) AS distance ORDER BY distance, f.last_name, f.id LIMIT 20
MATCH (f)-[:lives_in]->(c:place)
OPTIONAL MATCH (f)-[s:study_at]->(u:organisation)-[:seated_in]->(uc:place)
WITH f, distance, c, list_sort(collect(CASE WHEN u.id IS NULL THEN NULL ELSE u.name + ' ' + CAST(s.class_year AS STRING) + ' ' + uc.name END)) AS studies
OPTIONAL MATCH (f)-[w:work_at]->(o:organisation)-[:seated_in]->(oc:place)
WITH f, distance, c, studies, list_sort(collect(CASE WHEN o.id IS NULL THEN NULL ELSE o.name + ' ' + CAST(w.work_from AS STRING) + ' ' + oc.name END)) AS works
RETURN f.id, f.last_name, distance, f.birthday, f.created, f.gender, f.browser, f.location_ip, f.emails, f.languages, c.name,
  CASE WHEN size(studies) = 0 THEN NULL ELSE list_to_string(', ', studies) END,
  CASE WHEN size(works) = 0 THEN NULL ELSE list_to_string(', ', works) END
ORDER BY distance, f.last_name, f.id
