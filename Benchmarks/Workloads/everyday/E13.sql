-- id: E13
-- title: students who passed every compulsory course, by counting
-- group: everyday
-- ordered: yes
-- expect XS (): 5 rows 80b871d56a8ea243
-- expect S (): 13 rows dfb7dc37e38377fe
-- expect M (): 4 rows e4b26a489fe19041
-- expect L (): 2 rows a346a98feb7bb4b4
SELECT t.student_id, max(t.taken_on) AS since
FROM takes t
JOIN course c ON c.id = t.course_id
WHERE c.compulsory AND t.grade >= 1
GROUP BY t.student_id
HAVING count(DISTINCT t.course_id) = (SELECT count(*) FROM course WHERE compulsory)
ORDER BY since, t.student_id
LIMIT 50
