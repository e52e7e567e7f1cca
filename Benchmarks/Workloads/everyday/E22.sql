-- id: E22
-- title: enrolments and mean grade by year and quarter
-- group: everyday
-- ordered: yes
-- numeric: 0 1 3
-- expect XS (): 21 rows 561a537ab6383847
-- expect S (): 21 rows 231bb4d5a4b9194f
-- expect M (): 21 rows 18e2e4e34e0de8e3
-- expect L (): 21 rows 2bda11bf0cb99c12
SELECT extract(year FROM taken_on), extract(quarter FROM taken_on), count(*), round(avg(grade), 3)
FROM takes
GROUP BY 1, 2
ORDER BY 1, 2

-- section: sqlite
SELECT CAST(strftime('%Y', taken_on) AS integer), (strftime('%m', taken_on) + 2) / 3, count(*),
  round(avg(grade) + 1e-9, 3)
FROM takes
GROUP BY 1, 2
ORDER BY 1, 2

-- section: duckdb
SELECT extract(year FROM taken_on), extract(quarter FROM taken_on), count(*), round(avg(grade) + 1e-9, 3)
FROM takes
GROUP BY 1, 2
ORDER BY 1, 2
