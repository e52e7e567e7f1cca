-- id: E18
-- title: new friends who took a course together and both did well
-- group: everyday
-- expect XS (): 1 rows 00000000d60ab38d
-- expect S (): 1 rows 000000004c7bdee0
-- expect M (): 1 rows 00000000e95d19de
-- expect L (): 1 rows 000000003b1afb3a
SELECT count(*), count(DISTINCT f.a)
FROM friend f
JOIN takes x ON x.student_id = f.a
JOIN takes y ON y.student_id = f.b AND y.course_id = x.course_id AND y.semester = x.semester
WHERE f.since >= DATE '2018-01-01' AND x.grade >= 3 AND y.grade >= 3

-- section: sqlite
SELECT count(*), count(DISTINCT f.a)
FROM friend f
JOIN takes x ON x.student_id = f.a
JOIN takes y ON y.student_id = f.b AND y.course_id = x.course_id AND y.semester = x.semester
WHERE f.since >= '2018-01-01' AND x.grade >= 3 AND y.grade >= 3
