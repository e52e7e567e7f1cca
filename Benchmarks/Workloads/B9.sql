-- id: B9
-- title: top 20 pairs of courses by shared prerequisites
-- group: bulk
-- ordered: yes
-- limit: topPairsByNeed
-- expect XS (): 13 rows defd17f5fda566e1
-- expect S (): 20 rows e0ce0cbd3fdf7090
-- expect M (): 20 rows 3cc2bb4e36bb5537
-- expect L (): 20 rows 3cc2bb4e36bb5537
SELECT a.course_id, b.course_id, count(*) AS shared
FROM prerequisite a
JOIN prerequisite b ON b.requires_id = a.requires_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- section: ladybug
MATCH (a:course)-[:prerequisite]->(:course)<-[:prerequisite]-(b:course)
WHERE a.id < b.id
RETURN a.id, b.id, count(*) AS shared
ORDER BY shared DESC, a.id, b.id
LIMIT 20
