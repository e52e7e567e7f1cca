-- id: E20
-- title: 10 students of the same city who have most friends in common with a student
-- group: everyday
-- parameters: student: random 16
-- ordered: yes
-- expect XS (181): 2 rows da88839a17ed7e25
-- expect XS (76): 3 rows 9f5598700de08df0
-- expect S (9019): 4 rows c37c2ade8844e0f4
-- expect S (3777): 0 rows 0000000000000000
-- expect M (90186): 7 rows 8f7830e612954564
-- expect M (37768): 3 rows 10c5b9f74ccbba19
-- expect L (270556): 2 rows c0722f833614b18c
-- expect L (113302): 0 rows 0000000000000000
SELECT f2.b, count(*) AS common
FROM friend f1
JOIN friend f2 ON f2.a = f1.b
JOIN student me ON me.id = f1.a
JOIN student other ON other.id = f2.b
WHERE f1.a = $1 AND f2.b <> me.id AND other.city = me.city
  AND NOT EXISTS (SELECT 1 FROM friend f WHERE f.a = $1 AND f.b = f2.b)
GROUP BY f2.b
ORDER BY common DESC, f2.b
LIMIT 10
