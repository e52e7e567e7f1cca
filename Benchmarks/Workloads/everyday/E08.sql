-- id: E08
-- title: pairs of students who call each other a friend
-- group: everyday
-- expect XS (): 1 rows 00000000483e80d4
-- expect S (): 1 rows 000000000d717969
-- expect M (): 1 rows 00000000eddd3264
-- expect L (): 1 rows 000000006c091030
SELECT count(*)
FROM friend x
JOIN friend y ON y.a = x.b AND y.b = x.a
WHERE x.a < x.b
