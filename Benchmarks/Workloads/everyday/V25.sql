-- id: V25
-- title: triangles of friends
-- group: everyday
-- expect XS (): 1 rows 000000005b557546
-- expect S (): 1 rows 000000005ae9b4d8
-- expect M (): 1 rows 000000005426a3c8
-- expect L (): 1 rows 000000001b0def7f
SELECT count(*)
FROM friend x
JOIN friend y ON y.a = x.b
JOIN friend z ON z.a = y.b AND z.b = x.a
