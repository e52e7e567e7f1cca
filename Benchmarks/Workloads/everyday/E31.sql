-- id: E31
-- title: mean of students by their year of birth
-- group: everyday
-- ordered: yes
-- numeric: 0 2 3 4
-- expect XS (): 17 rows 3c7394ee3bb64cc1
-- expect S (): 17 rows c06f0ab309b1f94d
-- expect M (): 17 rows 06ef69e72bf0115c
-- expect L (): 17 rows ac85f7d7321e6a56
SELECT extract(year FROM born) AS year, count(*), round(avg(gpa), 3), min(gpa), max(gpa)
FROM student
GROUP BY 1
ORDER BY 1

-- section: sqlite
SELECT CAST(strftime('%Y', born) AS integer) AS year, count(*), round(avg(gpa) + 1e-9, 3), min(gpa), max(gpa)
FROM student
GROUP BY 1
ORDER BY 1

-- section: duckdb
SELECT extract(year FROM born) AS year, count(*), round(avg(gpa) + 1e-9, 3), min(gpa), max(gpa)
FROM student
GROUP BY 1
ORDER BY 1
