-- id: V07
-- title: 20 pairs of courses most often taken in the same semester
-- group: everyday
-- ordered: yes
-- expect XS (): 20 rows b5e439a13408344c
-- expect S (): 20 rows 2e5ecbc2ce5cb8ad
-- expect M (): 20 rows 5256e62fd6518749
-- expect L (): 20 rows 18aa58bf9cba6cee
SELECT a.course_id, b.course_id, count(*) AS n
FROM takes a
JOIN takes b
  ON a.student_id = b.student_id AND a.semester = b.semester AND a.course_id < b.course_id
GROUP BY 1, 2
ORDER BY n DESC, 1, 2
LIMIT 20
