-- id: V37
-- title: enrolments of the last seven days, by day
-- group: everyday
-- ordered: yes
-- numeric: 2
-- expect XS (): 30 rows 11342915bf32557a
-- expect S (): 30 rows 35f1a94f6f7f0264
-- expect M (): 30 rows dcbb1672ccb81849
-- expect L (): 30 rows 1b9da6f1f150a7a7
SELECT day, n, sum(n) OVER (ORDER BY day ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week
FROM (SELECT taken_on AS day, count(*) AS n FROM takes GROUP BY 1) days
ORDER BY day DESC
LIMIT 30
