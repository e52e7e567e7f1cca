-- id: E35
-- title: friends within the city and beyond, by city
-- group: everyday
-- expect XS (): 34 rows 0000000ec7a4bea9
-- expect S (): 41 rows 000000112d922cea
-- expect M (): 41 rows 000000162b01b139
-- expect L (): 41 rows 00000013a0b3b505
SELECT x.city,
  count(CASE WHEN y.city = x.city THEN 1 END) AS near,
  count(CASE WHEN y.city <> x.city THEN 1 END) AS far
FROM friend f
JOIN student x ON x.id = f.a
JOIN student y ON y.id = f.b
GROUP BY x.city
