-- id: B4
-- title: top 20 pairs of courses by shared students
-- group: bulk
-- ordered: yes
-- reference: topPairs
-- expect XS (): 20 rows 06f9128bfbb23524
-- expect S (): 20 rows 0360bc06dccad431
-- expect M (): 20 rows 4c361b1b3593d723
-- expect L (): 20 rows e932abb49c6a4f6e
SELECT a.course_id, b.course_id, count(*) AS shared
FROM enrols_in a
JOIN enrols_in b ON b.student_id = a.student_id AND a.course_id < b.course_id
GROUP BY a.course_id, b.course_id
ORDER BY shared DESC, a.course_id, b.course_id
LIMIT 20

-- section: ladybug
MATCH (a:course)<-[:enrols_in]-(:student)-[:enrols_in]->(b:course)
WHERE a.id < b.id
RETURN a.id, b.id, count(*) AS shared
ORDER BY shared DESC, a.id, b.id
LIMIT 20
