-- id: IS4
-- title: content of a message
-- group: short reads
-- ordered: yes
SELECT created, coalesce(image_file, content) AS content FROM message WHERE id = $1

-- section: graph
SELECT * FROM GRAPH_TABLE (social MATCH (m IS message WHERE m.id = $1) COLUMNS (m.created, coalesce(m.image_file, m.content) AS content))

-- section: ladybug
MATCH (m:message {id: $p1}) RETURN m.created, coalesce(m.image_file, m.content)
