-- NOT EXISTS, u
SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM u AS v WHERE v.a = t.a);
-- NOT IN, u
SELECT * FROM t WHERE t.a NOT IN (SELECT v.a FROM u AS v);
-- <> ALL, u
SELECT * FROM t WHERE t.a <> ALL (SELECT v.a FROM u AS v);
-- NOT = ANY, u
SELECT * FROM t WHERE NOT t.a = ANY (SELECT v.a FROM u AS v);
-- <> ALL of an array, u
SELECT * FROM t WHERE t.a <> ALL (ARRAY(SELECT v.a FROM u AS v ORDER BY 1));
-- outer join, u
SELECT t.* FROM t LEFT JOIN u AS v ON v.a = t.a WHERE v.a IS NULL;
-- EXCEPT, u
SELECT t.a FROM t EXCEPT SELECT v.a FROM u AS v;
-- EXCEPT ALL, u
SELECT t.a FROM t EXCEPT ALL SELECT v.a FROM u AS v;
-- count of none, u
SELECT * FROM t WHERE (SELECT count(*) FROM u AS v WHERE v.a = t.a) = 0;
-- LEFT ANTI JOIN, u
SELECT * FROM t LEFT ANTI JOIN u AS v ON v.a = t.a;
-- NOT IN of two columns, u
SELECT * FROM t WHERE (t.a, t.b) NOT IN (SELECT v.a, v.b FROM u AS v);
-- groups without a match, u
SELECT t.a, t.b FROM t LEFT JOIN u AS v ON v.a = t.a GROUP BY t.a, t.b HAVING count(v.a) = 0;
-- NOT EXISTS in the select list, u
SELECT t.a, t.b, NOT EXISTS (SELECT 1 FROM u AS v WHERE v.a = t.a) AS found FROM t;
-- NOT EXISTS under OR, u
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM u AS v WHERE v.a = t.a)) OR t.b = 3;
-- NOT EXISTS under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN NOT EXISTS (SELECT 1 FROM u AS v WHERE v.a = t.a) THEN 1 WHEN NOT (NOT EXISTS (SELECT 1 FROM u AS v WHERE v.a = t.a)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT EXISTS IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM u AS v WHERE v.a = t.a)) IS UNKNOWN;
-- IN in the select list, u
SELECT t.a, t.b, t.a IN (SELECT v.a FROM u AS v) AS found FROM t;
-- IN under OR, u
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM u AS v)) OR t.b = 3;
-- IN under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM u AS v) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM u AS v)) IS UNKNOWN;
-- NOT IN in the select list, u
SELECT t.a, t.b, t.a NOT IN (SELECT v.a FROM u AS v) AS found FROM t;
-- NOT IN under OR, u
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM u AS v)) OR t.b = 3;
-- NOT IN under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a NOT IN (SELECT v.a FROM u AS v) THEN 1 WHEN NOT (t.a NOT IN (SELECT v.a FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM u AS v)) IS UNKNOWN;
-- <> ALL in the select list, u
SELECT t.a, t.b, t.a <> ALL (SELECT v.a FROM u AS v) AS found FROM t;
-- <> ALL under OR, u
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM u AS v)) OR t.b = 3;
-- <> ALL under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a <> ALL (SELECT v.a FROM u AS v) THEN 1 WHEN NOT (t.a <> ALL (SELECT v.a FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM u AS v)) IS UNKNOWN;
-- NOT = ANY in the select list, u
SELECT t.a, t.b, NOT t.a = ANY (SELECT v.a FROM u AS v) AS found FROM t;
-- NOT = ANY under OR, u
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM u AS v)) OR t.b = 3;
-- NOT = ANY under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN NOT t.a = ANY (SELECT v.a FROM u AS v) THEN 1 WHEN NOT (NOT t.a = ANY (SELECT v.a FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT = ANY IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM u AS v)) IS UNKNOWN;
-- > ALL in the select list, u
SELECT t.a, t.b, t.a > ALL (SELECT v.a FROM u AS v) AS found FROM t;
-- > ALL under OR, u
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM u AS v)) OR t.b = 3;
-- > ALL under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a > ALL (SELECT v.a FROM u AS v) THEN 1 WHEN NOT (t.a > ALL (SELECT v.a FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ALL IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM u AS v)) IS UNKNOWN;
-- > ANY in the select list, u
SELECT t.a, t.b, t.a > ANY (SELECT v.a FROM u AS v) AS found FROM t;
-- > ANY under OR, u
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM u AS v)) OR t.b = 3;
-- > ANY under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a > ANY (SELECT v.a FROM u AS v) THEN 1 WHEN NOT (t.a > ANY (SELECT v.a FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ANY IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM u AS v)) IS UNKNOWN;
-- IN of two columns in the select list, u
SELECT t.a, t.b, (t.a, t.b) IN (SELECT v.a, v.b FROM u AS v) AS found FROM t;
-- IN of two columns under OR, u
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM u AS v)) OR t.b = 3;
-- IN of two columns under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN (t.a, t.b) IN (SELECT v.a, v.b FROM u AS v) THEN 1 WHEN NOT ((t.a, t.b) IN (SELECT v.a, v.b FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN of two columns IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM u AS v)) IS UNKNOWN;
-- NOT IN of two columns in the select list, u
SELECT t.a, t.b, (t.a, t.b) NOT IN (SELECT v.a, v.b FROM u AS v) AS found FROM t;
-- NOT IN of two columns under OR, u
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM u AS v)) OR t.b = 3;
-- NOT IN of two columns under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN (t.a, t.b) NOT IN (SELECT v.a, v.b FROM u AS v) THEN 1 WHEN NOT ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM u AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN of two columns IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM u AS v)) IS UNKNOWN;
-- count of none in the select list, u
SELECT t.a, t.b, (SELECT count(*) FROM u AS v WHERE v.a = t.a) = 0 AS found FROM t;
-- count of none under OR, u
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM u AS v WHERE v.a = t.a) = 0) OR t.b = 3;
-- count of none under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN (SELECT count(*) FROM u AS v WHERE v.a = t.a) = 0 THEN 1 WHEN NOT ((SELECT count(*) FROM u AS v WHERE v.a = t.a) = 0) THEN 0 ELSE -1 END AS found FROM t;
-- count of none IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM u AS v WHERE v.a = t.a) = 0) IS UNKNOWN;
-- IN with a correlated condition in the select list, u
SELECT t.a, t.b, t.a IN (SELECT v.a FROM u AS v WHERE v.b = t.b) AS found FROM t;
-- IN with a correlated condition under OR, u
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM u AS v WHERE v.b = t.b)) OR t.b = 3;
-- IN with a correlated condition under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM u AS v WHERE v.b = t.b) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM u AS v WHERE v.b = t.b)) THEN 0 ELSE -1 END AS found FROM t;
-- IN with a correlated condition IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM u AS v WHERE v.b = t.b)) IS UNKNOWN;
-- <> ALL of an array in the select list, u
SELECT t.a, t.b, t.a <> ALL (ARRAY(SELECT v.a FROM u AS v ORDER BY 1)) AS found FROM t;
-- <> ALL of an array under OR, u
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM u AS v ORDER BY 1))) OR t.b = 3;
-- <> ALL of an array under CASE and NOT, u
SELECT t.a, t.b, CASE WHEN t.a <> ALL (ARRAY(SELECT v.a FROM u AS v ORDER BY 1)) THEN 1 WHEN NOT (t.a <> ALL (ARRAY(SELECT v.a FROM u AS v ORDER BY 1))) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL of an array IS UNKNOWN, u
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM u AS v ORDER BY 1))) IS UNKNOWN;
-- NOT EXISTS, u without NULLs
SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a);
-- NOT IN, u without NULLs
SELECT * FROM t WHERE t.a NOT IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v);
-- <> ALL, u without NULLs
SELECT * FROM t WHERE t.a <> ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v);
-- NOT = ANY, u without NULLs
SELECT * FROM t WHERE NOT t.a = ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v);
-- <> ALL of an array, u without NULLs
SELECT * FROM t WHERE t.a <> ALL (ARRAY(SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v ORDER BY 1));
-- outer join, u without NULLs
SELECT t.* FROM t LEFT JOIN (SELECT * FROM u WHERE a IS NOT NULL) AS v ON v.a = t.a WHERE v.a IS NULL;
-- EXCEPT, u without NULLs
SELECT t.a FROM t EXCEPT SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v;
-- EXCEPT ALL, u without NULLs
SELECT t.a FROM t EXCEPT ALL SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v;
-- count of none, u without NULLs
SELECT * FROM t WHERE (SELECT count(*) FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) = 0;
-- LEFT ANTI JOIN, u without NULLs
SELECT * FROM t LEFT ANTI JOIN (SELECT * FROM u WHERE a IS NOT NULL) AS v ON v.a = t.a;
-- NOT IN of two columns, u without NULLs
SELECT * FROM t WHERE (t.a, t.b) NOT IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v);
-- groups without a match, u without NULLs
SELECT t.a, t.b FROM t LEFT JOIN (SELECT * FROM u WHERE a IS NOT NULL) AS v ON v.a = t.a GROUP BY t.a, t.b HAVING count(v.a) = 0;
-- NOT EXISTS in the select list, u without NULLs
SELECT t.a, t.b, NOT EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) AS found FROM t;
-- NOT EXISTS under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a)) OR t.b = 3;
-- NOT EXISTS under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN NOT EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) THEN 1 WHEN NOT (NOT EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT EXISTS IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a)) IS UNKNOWN;
-- IN in the select list, u without NULLs
SELECT t.a, t.b, t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- IN under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- IN under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- NOT IN in the select list, u without NULLs
SELECT t.a, t.b, t.a NOT IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- NOT IN under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- NOT IN under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a NOT IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT (t.a NOT IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- <> ALL in the select list, u without NULLs
SELECT t.a, t.b, t.a <> ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- <> ALL under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- <> ALL under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a <> ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT (t.a <> ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- NOT = ANY in the select list, u without NULLs
SELECT t.a, t.b, NOT t.a = ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- NOT = ANY under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- NOT = ANY under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN NOT t.a = ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT (NOT t.a = ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT = ANY IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- > ALL in the select list, u without NULLs
SELECT t.a, t.b, t.a > ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- > ALL under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- > ALL under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a > ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT (t.a > ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ALL IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- > ANY in the select list, u without NULLs
SELECT t.a, t.b, t.a > ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- > ANY under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- > ANY under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a > ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT (t.a > ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ANY IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- IN of two columns in the select list, u without NULLs
SELECT t.a, t.b, (t.a, t.b) IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- IN of two columns under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- IN of two columns under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN (t.a, t.b) IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT ((t.a, t.b) IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN of two columns IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- NOT IN of two columns in the select list, u without NULLs
SELECT t.a, t.b, (t.a, t.b) NOT IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) AS found FROM t;
-- NOT IN of two columns under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) OR t.b = 3;
-- NOT IN of two columns under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN (t.a, t.b) NOT IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v) THEN 1 WHEN NOT ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN of two columns IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v)) IS UNKNOWN;
-- count of none in the select list, u without NULLs
SELECT t.a, t.b, (SELECT count(*) FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) = 0 AS found FROM t;
-- count of none under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) = 0) OR t.b = 3;
-- count of none under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN (SELECT count(*) FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) = 0 THEN 1 WHEN NOT ((SELECT count(*) FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) = 0) THEN 0 ELSE -1 END AS found FROM t;
-- count of none IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.a = t.a) = 0) IS UNKNOWN;
-- IN with a correlated condition in the select list, u without NULLs
SELECT t.a, t.b, t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.b = t.b) AS found FROM t;
-- IN with a correlated condition under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.b = t.b)) OR t.b = 3;
-- IN with a correlated condition under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.b = t.b) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.b = t.b)) THEN 0 ELSE -1 END AS found FROM t;
-- IN with a correlated condition IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v WHERE v.b = t.b)) IS UNKNOWN;
-- <> ALL of an array in the select list, u without NULLs
SELECT t.a, t.b, t.a <> ALL (ARRAY(SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v ORDER BY 1)) AS found FROM t;
-- <> ALL of an array under OR, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v ORDER BY 1))) OR t.b = 3;
-- <> ALL of an array under CASE and NOT, u without NULLs
SELECT t.a, t.b, CASE WHEN t.a <> ALL (ARRAY(SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v ORDER BY 1)) THEN 1 WHEN NOT (t.a <> ALL (ARRAY(SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v ORDER BY 1))) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL of an array IS UNKNOWN, u without NULLs
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM (SELECT * FROM u WHERE a IS NOT NULL) AS v ORDER BY 1))) IS UNKNOWN;
-- NOT EXISTS, no rows
SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM empty AS v WHERE v.a = t.a);
-- NOT IN, no rows
SELECT * FROM t WHERE t.a NOT IN (SELECT v.a FROM empty AS v);
-- <> ALL, no rows
SELECT * FROM t WHERE t.a <> ALL (SELECT v.a FROM empty AS v);
-- NOT = ANY, no rows
SELECT * FROM t WHERE NOT t.a = ANY (SELECT v.a FROM empty AS v);
-- <> ALL of an array, no rows
SELECT * FROM t WHERE t.a <> ALL (ARRAY(SELECT v.a FROM empty AS v ORDER BY 1));
-- outer join, no rows
SELECT t.* FROM t LEFT JOIN empty AS v ON v.a = t.a WHERE v.a IS NULL;
-- EXCEPT, no rows
SELECT t.a FROM t EXCEPT SELECT v.a FROM empty AS v;
-- EXCEPT ALL, no rows
SELECT t.a FROM t EXCEPT ALL SELECT v.a FROM empty AS v;
-- count of none, no rows
SELECT * FROM t WHERE (SELECT count(*) FROM empty AS v WHERE v.a = t.a) = 0;
-- LEFT ANTI JOIN, no rows
SELECT * FROM t LEFT ANTI JOIN empty AS v ON v.a = t.a;
-- NOT IN of two columns, no rows
SELECT * FROM t WHERE (t.a, t.b) NOT IN (SELECT v.a, v.b FROM empty AS v);
-- groups without a match, no rows
SELECT t.a, t.b FROM t LEFT JOIN empty AS v ON v.a = t.a GROUP BY t.a, t.b HAVING count(v.a) = 0;
-- NOT EXISTS in the select list, no rows
SELECT t.a, t.b, NOT EXISTS (SELECT 1 FROM empty AS v WHERE v.a = t.a) AS found FROM t;
-- NOT EXISTS under OR, no rows
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM empty AS v WHERE v.a = t.a)) OR t.b = 3;
-- NOT EXISTS under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN NOT EXISTS (SELECT 1 FROM empty AS v WHERE v.a = t.a) THEN 1 WHEN NOT (NOT EXISTS (SELECT 1 FROM empty AS v WHERE v.a = t.a)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT EXISTS IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM empty AS v WHERE v.a = t.a)) IS UNKNOWN;
-- IN in the select list, no rows
SELECT t.a, t.b, t.a IN (SELECT v.a FROM empty AS v) AS found FROM t;
-- IN under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM empty AS v)) OR t.b = 3;
-- IN under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM empty AS v) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM empty AS v)) IS UNKNOWN;
-- NOT IN in the select list, no rows
SELECT t.a, t.b, t.a NOT IN (SELECT v.a FROM empty AS v) AS found FROM t;
-- NOT IN under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM empty AS v)) OR t.b = 3;
-- NOT IN under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a NOT IN (SELECT v.a FROM empty AS v) THEN 1 WHEN NOT (t.a NOT IN (SELECT v.a FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM empty AS v)) IS UNKNOWN;
-- <> ALL in the select list, no rows
SELECT t.a, t.b, t.a <> ALL (SELECT v.a FROM empty AS v) AS found FROM t;
-- <> ALL under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM empty AS v)) OR t.b = 3;
-- <> ALL under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a <> ALL (SELECT v.a FROM empty AS v) THEN 1 WHEN NOT (t.a <> ALL (SELECT v.a FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM empty AS v)) IS UNKNOWN;
-- NOT = ANY in the select list, no rows
SELECT t.a, t.b, NOT t.a = ANY (SELECT v.a FROM empty AS v) AS found FROM t;
-- NOT = ANY under OR, no rows
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM empty AS v)) OR t.b = 3;
-- NOT = ANY under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN NOT t.a = ANY (SELECT v.a FROM empty AS v) THEN 1 WHEN NOT (NOT t.a = ANY (SELECT v.a FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT = ANY IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM empty AS v)) IS UNKNOWN;
-- > ALL in the select list, no rows
SELECT t.a, t.b, t.a > ALL (SELECT v.a FROM empty AS v) AS found FROM t;
-- > ALL under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM empty AS v)) OR t.b = 3;
-- > ALL under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a > ALL (SELECT v.a FROM empty AS v) THEN 1 WHEN NOT (t.a > ALL (SELECT v.a FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ALL IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM empty AS v)) IS UNKNOWN;
-- > ANY in the select list, no rows
SELECT t.a, t.b, t.a > ANY (SELECT v.a FROM empty AS v) AS found FROM t;
-- > ANY under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM empty AS v)) OR t.b = 3;
-- > ANY under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a > ANY (SELECT v.a FROM empty AS v) THEN 1 WHEN NOT (t.a > ANY (SELECT v.a FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ANY IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM empty AS v)) IS UNKNOWN;
-- IN of two columns in the select list, no rows
SELECT t.a, t.b, (t.a, t.b) IN (SELECT v.a, v.b FROM empty AS v) AS found FROM t;
-- IN of two columns under OR, no rows
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM empty AS v)) OR t.b = 3;
-- IN of two columns under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN (t.a, t.b) IN (SELECT v.a, v.b FROM empty AS v) THEN 1 WHEN NOT ((t.a, t.b) IN (SELECT v.a, v.b FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN of two columns IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM empty AS v)) IS UNKNOWN;
-- NOT IN of two columns in the select list, no rows
SELECT t.a, t.b, (t.a, t.b) NOT IN (SELECT v.a, v.b FROM empty AS v) AS found FROM t;
-- NOT IN of two columns under OR, no rows
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM empty AS v)) OR t.b = 3;
-- NOT IN of two columns under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN (t.a, t.b) NOT IN (SELECT v.a, v.b FROM empty AS v) THEN 1 WHEN NOT ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM empty AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN of two columns IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM empty AS v)) IS UNKNOWN;
-- count of none in the select list, no rows
SELECT t.a, t.b, (SELECT count(*) FROM empty AS v WHERE v.a = t.a) = 0 AS found FROM t;
-- count of none under OR, no rows
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM empty AS v WHERE v.a = t.a) = 0) OR t.b = 3;
-- count of none under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN (SELECT count(*) FROM empty AS v WHERE v.a = t.a) = 0 THEN 1 WHEN NOT ((SELECT count(*) FROM empty AS v WHERE v.a = t.a) = 0) THEN 0 ELSE -1 END AS found FROM t;
-- count of none IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM empty AS v WHERE v.a = t.a) = 0) IS UNKNOWN;
-- IN with a correlated condition in the select list, no rows
SELECT t.a, t.b, t.a IN (SELECT v.a FROM empty AS v WHERE v.b = t.b) AS found FROM t;
-- IN with a correlated condition under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM empty AS v WHERE v.b = t.b)) OR t.b = 3;
-- IN with a correlated condition under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM empty AS v WHERE v.b = t.b) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM empty AS v WHERE v.b = t.b)) THEN 0 ELSE -1 END AS found FROM t;
-- IN with a correlated condition IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM empty AS v WHERE v.b = t.b)) IS UNKNOWN;
-- <> ALL of an array in the select list, no rows
SELECT t.a, t.b, t.a <> ALL (ARRAY(SELECT v.a FROM empty AS v ORDER BY 1)) AS found FROM t;
-- <> ALL of an array under OR, no rows
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM empty AS v ORDER BY 1))) OR t.b = 3;
-- <> ALL of an array under CASE and NOT, no rows
SELECT t.a, t.b, CASE WHEN t.a <> ALL (ARRAY(SELECT v.a FROM empty AS v ORDER BY 1)) THEN 1 WHEN NOT (t.a <> ALL (ARRAY(SELECT v.a FROM empty AS v ORDER BY 1))) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL of an array IS UNKNOWN, no rows
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM empty AS v ORDER BY 1))) IS UNKNOWN;
