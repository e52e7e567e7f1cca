-- id: V19
-- title: enrolments by month
-- group: everyday
-- ordered: yes
-- expect XS (): 45 rows ecd2052a60bf7daa
-- expect S (): 45 rows 48e39b04d6953e75
-- expect M (): 45 rows d231e8cac4894406
-- expect L (): 45 rows 416f7e720b6753ab
SELECT date_trunc('month', taken_on)::date AS month, count(*)
FROM takes
GROUP BY 1
ORDER BY 1

-- section: sqlite
SELECT date(taken_on, 'start of month') AS month, count(*)
FROM takes
GROUP BY 1
ORDER BY 1
