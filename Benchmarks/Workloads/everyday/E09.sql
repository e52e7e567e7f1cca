-- id: E09
-- title: triangles of friends that point upwards
-- group: everyday
-- expect XS (): 1 rows 00000000f3b61b38
-- expect S (): 1 rows 000000006dd28e9b
-- expect M (): 1 rows 000000006dd28e9b
-- expect L (): 1 rows 000000008d076785
SELECT count(*)
FROM friend x
JOIN friend y ON y.a = x.b AND x.b < y.b
JOIN friend z ON z.a = x.a AND z.b = y.b
WHERE x.a < x.b
