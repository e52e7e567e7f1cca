-- id: E09
-- title: triangles of friends that point upwards
-- group: everyday
-- expect XS (): 1 rows 00000000f3b61b38
-- expect S (): 1 rows 000000006dd28e9b
SELECT count(*)
FROM friend x
JOIN friend y ON y.a = x.b AND x.b < y.b
JOIN friend z ON z.a = x.a AND z.b = y.b
WHERE x.a < x.b
