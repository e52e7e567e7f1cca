-- id: V09
-- title: 10 courses recommended by the grades of classmates
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- numeric: 1
-- expect XS (181): 10 rows 2ba9ebe572e2bc45
-- expect XS (76): 10 rows ec93a2f01f6c5388
-- expect S (9019): 10 rows 1a5444fffa5999ad
-- expect S (3777): 10 rows 22e8722667ea3396
-- expect M (90186): 10 rows 4f682a1b113a0422
-- expect M (37768): 10 rows 3ff72fc78cf8f7f4
-- expect L (270556): 10 rows 1b654f8605c218b7
-- expect L (113302): 10 rows 774871a45d8d4229
SELECT t.course_id, sum(t.grade) AS weight
FROM takes t
WHERE t.student_id IN (
    SELECT o.student_id
    FROM takes m
    JOIN takes o ON o.course_id = m.course_id AND o.semester = m.semester
    WHERE m.student_id = $1 AND o.student_id <> $1)
  AND NOT EXISTS (
    SELECT 1 FROM takes x WHERE x.student_id = $1 AND x.course_id = t.course_id)
GROUP BY t.course_id
ORDER BY weight DESC NULLS LAST, t.course_id
LIMIT 10

-- section: hyper
SELECT t.course_id, sum(t.grade) AS weight
FROM takes t
WHERE t.student_id IN (
    SELECT o.student_id
    FROM takes m
    JOIN takes o ON o.course_id = m.course_id AND o.semester = m.semester
    WHERE m.student_id = $1 AND o.student_id <> m.student_id)
  AND NOT EXISTS (
    SELECT 1 FROM takes x WHERE x.student_id = $1 AND x.course_id = t.course_id)
GROUP BY t.course_id
ORDER BY weight DESC NULLS LAST, t.course_id
LIMIT 10
