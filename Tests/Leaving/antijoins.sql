-- NOT EXISTS
SELECT * FROM t WHERE NOT EXISTS (SELECT 1 FROM :source AS v WHERE v.a = t.a);
-- NOT IN
SELECT * FROM t WHERE t.a NOT IN (SELECT v.a FROM :source AS v);
-- <> ALL
SELECT * FROM t WHERE t.a <> ALL (SELECT v.a FROM :source AS v);
-- NOT = ANY
SELECT * FROM t WHERE NOT t.a = ANY (SELECT v.a FROM :source AS v);
-- <> ALL of an array
SELECT * FROM t WHERE t.a <> ALL (ARRAY(SELECT v.a FROM :source AS v ORDER BY 1));
-- outer join
SELECT t.* FROM t LEFT JOIN :source AS v ON v.a = t.a WHERE v.a IS NULL;
-- EXCEPT
SELECT t.a FROM t EXCEPT SELECT v.a FROM :source AS v;
-- EXCEPT ALL
SELECT t.a FROM t EXCEPT ALL SELECT v.a FROM :source AS v;
-- count of none
SELECT * FROM t WHERE (SELECT count(*) FROM :source AS v WHERE v.a = t.a) = 0;
-- LEFT ANTI JOIN
SELECT * FROM t LEFT ANTI JOIN :source AS v ON v.a = t.a;
-- NOT IN of two columns
SELECT * FROM t WHERE (t.a, t.b) NOT IN (SELECT v.a, v.b FROM :source AS v);
-- groups without a match
SELECT t.a, t.b FROM t LEFT JOIN :source AS v ON v.a = t.a GROUP BY t.a, t.b HAVING count(v.a) = 0;
-- NOT EXISTS in the select list
SELECT t.a, t.b, NOT EXISTS (SELECT 1 FROM :source AS v WHERE v.a = t.a) AS found FROM t;
-- NOT EXISTS under OR
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM :source AS v WHERE v.a = t.a)) OR t.b = 3;
-- NOT EXISTS under CASE and NOT
SELECT t.a, t.b, CASE WHEN NOT EXISTS (SELECT 1 FROM :source AS v WHERE v.a = t.a) THEN 1 WHEN NOT (NOT EXISTS (SELECT 1 FROM :source AS v WHERE v.a = t.a)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT EXISTS IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (NOT EXISTS (SELECT 1 FROM :source AS v WHERE v.a = t.a)) IS UNKNOWN;
-- IN in the select list
SELECT t.a, t.b, t.a IN (SELECT v.a FROM :source AS v) AS found FROM t;
-- IN under OR
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM :source AS v)) OR t.b = 3;
-- IN under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM :source AS v) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM :source AS v)) IS UNKNOWN;
-- NOT IN in the select list
SELECT t.a, t.b, t.a NOT IN (SELECT v.a FROM :source AS v) AS found FROM t;
-- NOT IN under OR
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM :source AS v)) OR t.b = 3;
-- NOT IN under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a NOT IN (SELECT v.a FROM :source AS v) THEN 1 WHEN NOT (t.a NOT IN (SELECT v.a FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a NOT IN (SELECT v.a FROM :source AS v)) IS UNKNOWN;
-- <> ALL in the select list
SELECT t.a, t.b, t.a <> ALL (SELECT v.a FROM :source AS v) AS found FROM t;
-- <> ALL under OR
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM :source AS v)) OR t.b = 3;
-- <> ALL under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a <> ALL (SELECT v.a FROM :source AS v) THEN 1 WHEN NOT (t.a <> ALL (SELECT v.a FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (SELECT v.a FROM :source AS v)) IS UNKNOWN;
-- NOT = ANY in the select list
SELECT t.a, t.b, NOT t.a = ANY (SELECT v.a FROM :source AS v) AS found FROM t;
-- NOT = ANY under OR
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM :source AS v)) OR t.b = 3;
-- NOT = ANY under CASE and NOT
SELECT t.a, t.b, CASE WHEN NOT t.a = ANY (SELECT v.a FROM :source AS v) THEN 1 WHEN NOT (NOT t.a = ANY (SELECT v.a FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT = ANY IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (NOT t.a = ANY (SELECT v.a FROM :source AS v)) IS UNKNOWN;
-- > ALL in the select list
SELECT t.a, t.b, t.a > ALL (SELECT v.a FROM :source AS v) AS found FROM t;
-- > ALL under OR
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM :source AS v)) OR t.b = 3;
-- > ALL under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a > ALL (SELECT v.a FROM :source AS v) THEN 1 WHEN NOT (t.a > ALL (SELECT v.a FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ALL IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a > ALL (SELECT v.a FROM :source AS v)) IS UNKNOWN;
-- > ANY in the select list
SELECT t.a, t.b, t.a > ANY (SELECT v.a FROM :source AS v) AS found FROM t;
-- > ANY under OR
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM :source AS v)) OR t.b = 3;
-- > ANY under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a > ANY (SELECT v.a FROM :source AS v) THEN 1 WHEN NOT (t.a > ANY (SELECT v.a FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- > ANY IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a > ANY (SELECT v.a FROM :source AS v)) IS UNKNOWN;
-- IN of two columns in the select list
SELECT t.a, t.b, (t.a, t.b) IN (SELECT v.a, v.b FROM :source AS v) AS found FROM t;
-- IN of two columns under OR
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM :source AS v)) OR t.b = 3;
-- IN of two columns under CASE and NOT
SELECT t.a, t.b, CASE WHEN (t.a, t.b) IN (SELECT v.a, v.b FROM :source AS v) THEN 1 WHEN NOT ((t.a, t.b) IN (SELECT v.a, v.b FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- IN of two columns IS UNKNOWN
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) IN (SELECT v.a, v.b FROM :source AS v)) IS UNKNOWN;
-- NOT IN of two columns in the select list
SELECT t.a, t.b, (t.a, t.b) NOT IN (SELECT v.a, v.b FROM :source AS v) AS found FROM t;
-- NOT IN of two columns under OR
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM :source AS v)) OR t.b = 3;
-- NOT IN of two columns under CASE and NOT
SELECT t.a, t.b, CASE WHEN (t.a, t.b) NOT IN (SELECT v.a, v.b FROM :source AS v) THEN 1 WHEN NOT ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM :source AS v)) THEN 0 ELSE -1 END AS found FROM t;
-- NOT IN of two columns IS UNKNOWN
SELECT t.a, t.b FROM t WHERE ((t.a, t.b) NOT IN (SELECT v.a, v.b FROM :source AS v)) IS UNKNOWN;
-- count of none in the select list
SELECT t.a, t.b, (SELECT count(*) FROM :source AS v WHERE v.a = t.a) = 0 AS found FROM t;
-- count of none under OR
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM :source AS v WHERE v.a = t.a) = 0) OR t.b = 3;
-- count of none under CASE and NOT
SELECT t.a, t.b, CASE WHEN (SELECT count(*) FROM :source AS v WHERE v.a = t.a) = 0 THEN 1 WHEN NOT ((SELECT count(*) FROM :source AS v WHERE v.a = t.a) = 0) THEN 0 ELSE -1 END AS found FROM t;
-- count of none IS UNKNOWN
SELECT t.a, t.b FROM t WHERE ((SELECT count(*) FROM :source AS v WHERE v.a = t.a) = 0) IS UNKNOWN;
-- IN with a correlated condition in the select list
SELECT t.a, t.b, t.a IN (SELECT v.a FROM :source AS v WHERE v.b = t.b) AS found FROM t;
-- IN with a correlated condition under OR
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM :source AS v WHERE v.b = t.b)) OR t.b = 3;
-- IN with a correlated condition under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a IN (SELECT v.a FROM :source AS v WHERE v.b = t.b) THEN 1 WHEN NOT (t.a IN (SELECT v.a FROM :source AS v WHERE v.b = t.b)) THEN 0 ELSE -1 END AS found FROM t;
-- IN with a correlated condition IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a IN (SELECT v.a FROM :source AS v WHERE v.b = t.b)) IS UNKNOWN;
-- <> ALL of an array in the select list
SELECT t.a, t.b, t.a <> ALL (ARRAY(SELECT v.a FROM :source AS v ORDER BY 1)) AS found FROM t;
-- <> ALL of an array under OR
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM :source AS v ORDER BY 1))) OR t.b = 3;
-- <> ALL of an array under CASE and NOT
SELECT t.a, t.b, CASE WHEN t.a <> ALL (ARRAY(SELECT v.a FROM :source AS v ORDER BY 1)) THEN 1 WHEN NOT (t.a <> ALL (ARRAY(SELECT v.a FROM :source AS v ORDER BY 1))) THEN 0 ELSE -1 END AS found FROM t;
-- <> ALL of an array IS UNKNOWN
SELECT t.a, t.b FROM t WHERE (t.a <> ALL (ARRAY(SELECT v.a FROM :source AS v ORDER BY 1))) IS UNKNOWN;
