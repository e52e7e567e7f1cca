-- id: V39
-- title: 20 students with most credits
-- group: everyday
-- ordered: yes
-- expect XS (): 20 rows a6aab82a1453389f
-- expect S (): 20 rows 45f1305df5f15aed
-- expect M (): 20 rows 8f6a31a51b566c9c
-- expect L (): 20 rows 69725fe317fa9eca
SELECT t.student_id, sum(c.credits) AS n
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE t.grade >= 1
GROUP BY 1
ORDER BY 2 DESC, 1
LIMIT 20
