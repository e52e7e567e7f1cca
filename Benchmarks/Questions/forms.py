"""More kinds of questions, with numbers from 100,000 on: windows over rows, lists and percentiles, correlated and divided
ones, tables made on the way, texts and days.

Here too there is one right answer, in one order.
"""
from grammar import Question

FIRST = 100_000


class FurtherQuestion(Question):
    def where(self, *more):
        found = [condition for condition in more if condition]
        return " WHERE " + " AND ".join(found) if found else ""

    def sometimes(self, percent, make):
        return make() if self.chance(percent) else ""

    def windowed(self):
        """A window over the rows of one table, of which groups or the first rows are shown."""
        part, order, value = self.one(
            ("t.student_id", "t.taken_on, t.course_id, t.semester", "t.grade"),
            ("t.course_id", "t.taken_on, t.student_id, t.semester", "t.grade"),
            ("t.student_id", "t.semester, t.course_id", "t.semester"),
            ("t.course_id, t.semester", "t.grade DESC NULLS LAST, t.student_id", "t.grade"),
            ("t.semester", "t.taken_on, t.student_id, t.course_id", "t.grade"),
        )
        over = f"PARTITION BY {part} ORDER BY {order}"
        function = self.one(
            f"row_number() OVER ({over})", f"lag({value}) OVER ({over})", f"lead({value}) OVER ({over})",
            f"sum({value}) OVER ({over})", f"count({value}) OVER ({over})", f"max({value}) OVER ({over})",
            f"sum({value}) OVER ({over} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)",
            f"max({value}) OVER (PARTITION BY {part})", f"count(*) OVER (PARTITION BY {part})",
            f"first_value({value}) OVER ({over})", f"ntile(4) OVER ({over})",
            f"t.taken_on - lag(t.taken_on) OVER ({over})")
        rows = f"SELECT t.student_id, t.course_id, t.semester, t.grade, {function} AS w FROM takes t"
        rows += self.where(self.sometimes(60, lambda: self.on_takes("t")))
        return self.one(
            f"SELECT w, count(*) AS n FROM ({rows}) q GROUP BY w ORDER BY n DESC, w NULLS LAST LIMIT 30",
            f"SELECT * FROM ({rows}) q ORDER BY w DESC NULLS LAST, student_id, course_id, semester LIMIT 20",
            f"SELECT count(*), min(w), max(w) FROM ({rows}) q WHERE w > grade",
            f"SELECT * FROM ({rows}) q WHERE student_id = {self.some_student()} ORDER BY course_id, semester",
            f"SELECT q.semester, count(DISTINCT w) AS n, max(w) AS m FROM ({rows}) q GROUP BY 1 ORDER BY 1")

    def measured(self):
        """Percentiles, modes, deviations and lists of a group."""
        source = self.source()
        number = self.one(*[f"{t}.grade" for t in source.takes] + [f"{s}.gpa" for s in source.student]
                          + [f"{c}.credits" for c in source.course] + [f"{f}.b" for f in source.friend])
        measure = self.one(
            f"percentile_cont(0.5) WITHIN GROUP (ORDER BY {number})",
            f"percentile_disc(0.{self.number(1, 9)}) WITHIN GROUP (ORDER BY {number})",
            f"round(stddev({number})::numeric(20, 10) + 0.0000001, 4)", f"round(variance({number})::numeric(20, 10) + 0.0000001, 4)",
            f"count(DISTINCT {number}) FILTER (WHERE {number} > 1)",
            f"sum(DISTINCT {number})", f"string_agg(DISTINCT {number}::text, ',' ORDER BY {number}::text)",
            f"length(string_agg({number}::text, ','))", f"bool_and({number} > 1)", f"sum({number} * {number})",
            f"max({number}) FILTER (WHERE {number} < 3)")
        key = self.keys(source)[0]
        return (f"SELECT {key} AS k, {measure} AS v, count(*) AS n FROM {source.text}{self.conditions(source)}"
                f" GROUP BY 1 ORDER BY {self.one('k NULLS LAST', 'v DESC NULLS LAST, k NULLS LAST')}"
                f" LIMIT {self.one(10, 50, 500)}")

    def compared(self):
        """Rows compared with what an aggregate says of their like."""
        same = self.one("student_id", "course_id", "semester")
        aggregate = self.one("avg", "max", "min")
        sign = self.one(">", "<", "=", ">=") if aggregate != "avg" else self.one(">", "<")
        more = self.sometimes(50, lambda: self.on_takes("t"))
        inner = self.sometimes(40, lambda: " AND " + self.on_takes("u"))
        by = f"t.grade {sign} (SELECT {aggregate}(u.grade) FROM takes u WHERE u.{same} = t.{same}{inner})"
        what = self.one("count(*)", "count(DISTINCT t.student_id)", "count(*), sum(t.semester)")
        return self.one(
            lambda: f"SELECT {what} FROM takes t{self.where(by, more)}",
            lambda: f"SELECT t.course_id, count(*) AS n FROM takes t{self.where(by, more)} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 20",
            lambda: f"WITH m AS (SELECT {same}, {aggregate}(grade) AS g FROM takes GROUP BY 1) SELECT {what} FROM takes t"
                    f" JOIN m ON m.{same} = t.{same} AND t.grade {sign} m.g{self.where(more)}",
            lambda: f"SELECT t.student_id, t.course_id, t.semester FROM takes t{self.where(by, more)}"
                    " ORDER BY t.grade DESC NULLS LAST, 1, 2, 3 LIMIT 20",
            lambda: f"SELECT s.id, s.gpa, (SELECT {aggregate}(t.semester) FROM takes t WHERE t.student_id = s.id"
                    f"{' AND ' + more if more else ''}) AS m FROM student s{self.where(self.on_student('s'))}"
                    " ORDER BY m DESC NULLS LAST, s.id LIMIT 20",
            lambda: f"SELECT count(*) FROM student s WHERE {self.number(1, 8)} {self.one('<', '=', '>')} (SELECT count(*)"
                    f" FROM takes t WHERE t.student_id = s.id{' AND ' + more if more else ''})",
        )()

    def divided(self):
        """Those who are linked to all of some, or to so many of them."""
        some = self.one(
            f"SELECT t.course_id FROM takes t WHERE t.student_id = {self.some_student()}",
            f"SELECT c.id FROM course c WHERE {self.on_course('c')} AND c.id <= {self.number(5, 60)}",
            f"VALUES ({self.number(1, 9)}), ({self.number(10, 40)})")
        more = self.sometimes(40, lambda: self.on_takes("x"))
        return self.one(
            lambda: f"SELECT count(*), min(s.id) FROM student s WHERE NOT EXISTS (SELECT 1 FROM ({some}) w(c) WHERE NOT EXISTS"
                    f" (SELECT 1 FROM takes x{self.where('x.student_id = s.id', 'x.course_id = w.c', more)}))",
            lambda: f"SELECT x.student_id, count(DISTINCT x.course_id) AS n FROM takes x"
                    f"{self.where(f'x.course_id IN ({some})', more)} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 20",
            lambda: f"SELECT count(*) FROM (SELECT x.student_id FROM takes x{self.where(f'x.course_id IN ({some})', more)}"
                    f" GROUP BY 1 HAVING count(DISTINCT x.course_id) >= {self.number(2, 3)}) q",
            lambda: f"SELECT s.city, count(*) AS n FROM student s WHERE EXISTS (SELECT 1 FROM takes x"
                    f"{self.where('x.student_id = s.id', f'x.course_id IN ({some})', more)}) AND NOT EXISTS (SELECT 1 FROM takes"
                    f" y WHERE y.student_id = s.id AND {self.on_takes('y')}) GROUP BY 1 ORDER BY n DESC, 1 NULLS LAST LIMIT 20",
        )()

    def first_of_each(self):
        """The first of each, in three ways of saying so."""
        of, rest = self.one(("student_id", "course_id"), ("course_id", "student_id"), ("semester", "student_id, course_id"))
        order = self.one("grade DESC NULLS LAST", "taken_on", "taken_on DESC", "grade NULLS LAST")
        keys = f"{rest}, semester"
        where = self.where(self.sometimes(60, lambda: self.on_takes("t")))
        return self.one(
            lambda: f"SELECT count(*), sum(x.semester), min(x.taken_on) FROM (SELECT DISTINCT ON (t.{of}) * FROM takes t{where}"
                    f" ORDER BY t.{of}, {order}, {keys}) x",
            lambda: f"SELECT DISTINCT ON (t.{of}) t.* FROM takes t{where} ORDER BY t.{of}, {order}, {keys} LIMIT 50",
            lambda: f"SELECT semester, count(*) AS n, max(grade) FROM (SELECT t.*, row_number() OVER (PARTITION BY t.{of} ORDER BY"
                    f" {order}, {keys}) AS p FROM takes t{where}) q WHERE p = {self.number(1, 3)} GROUP BY 1 ORDER BY n DESC, 1",
            lambda: f"SELECT count(*), sum(t.semester) FROM takes t JOIN (SELECT t.{of} AS k, max(t.taken_on) AS d FROM takes t{where}"
                    f" GROUP BY 1) m ON m.k = t.{of} AND m.d = t.taken_on",
            lambda: f"SELECT t.{of}, min(t.grade) AS low, max(t.grade) AS high FROM takes t{where} GROUP BY 1 HAVING min(t.grade) <"
                    f" max(t.grade) - {self.number(1, 3)} ORDER BY max(t.grade) - min(t.grade) DESC, 1 LIMIT 20",
        )()

    def made_tables(self):
        """Tables of the WITH clause, read once or twice, and joined."""
        one = f"a AS (SELECT t.course_id AS c, count(*) AS n, sum(t.grade) AS g FROM takes t{self.where(self.on_takes('t'))} GROUP BY 1)"
        two = f"b AS (SELECT t.course_id AS c, count(*) AS n FROM takes t{self.where(self.on_takes('t'))} GROUP BY 1)"
        per = f"p AS (SELECT t.student_id AS s, count(*) AS n, max(t.semester) AS m FROM takes t{self.where(self.on_takes('t'))} GROUP BY 1)"
        return self.one(
            f"WITH {one}, {two} SELECT a.c, a.n, b.n FROM a {self.one('', 'LEFT ', 'FULL ')}JOIN b ON b.c = a.c"
            " ORDER BY a.n DESC NULLS LAST, a.c NULLS LAST, b.c NULLS LAST LIMIT 20",
            f"WITH {one} SELECT x.c, y.c FROM a x JOIN a y ON y.n = x.n AND x.c < y.c ORDER BY 1, 2 LIMIT 30",
            f"WITH {one} SELECT c.department, sum(a.n) AS n, max(a.g) AS g FROM course c LEFT JOIN a ON a.c = c.id GROUP BY 1"
            " ORDER BY n DESC NULLS LAST, 1 NULLS LAST",
            f"WITH {per} SELECT p.n, count(*), min(s.gpa), max(s.born) FROM p JOIN student s ON s.id = p.s GROUP BY 1 ORDER BY 1",
            f"WITH {per} SELECT count(*) FROM p WHERE n > (SELECT {self.one('avg(n)', 'max(n) / 2.0', 'min(n)')} FROM p)",
            f"WITH {per} SELECT f.since, count(*) FROM friend f JOIN p x ON x.s = f.a JOIN p y ON y.s = f.b AND y.n = x.n"
            " GROUP BY 1 ORDER BY 2 DESC, 1 NULLS LAST LIMIT 20",
            f"WITH {one}, {per} SELECT t.semester, count(*), sum(a.n), sum(p.n) FROM takes t JOIN a ON a.c = t.course_id JOIN p"
            f" ON p.s = t.student_id{self.where(self.on_takes('t'))} GROUP BY 1 ORDER BY 1")

    def runs(self):
        """Rows compared with those before them: gaps, runs, and what came next."""
        more = self.sometimes(50, lambda: self.on_takes("t"))
        return self.one(
            f"SELECT n, count(*) FROM (SELECT student_id, semester - r AS g, count(*) AS n FROM (SELECT t.student_id, t.semester,"
            f" dense_rank() OVER (PARTITION BY t.student_id ORDER BY t.semester) AS r FROM (SELECT DISTINCT student_id, semester"
            f" FROM takes t{self.where(more)}) t) q GROUP BY 1, 2) z GROUP BY 1 ORDER BY 1",
            f"SELECT d, count(*) FROM (SELECT t.taken_on - lag(t.taken_on) OVER (PARTITION BY t.student_id ORDER BY t.taken_on,"
            f" t.course_id, t.semester) AS d FROM takes t{self.where(more)}) q GROUP BY 1 ORDER BY 2 DESC, 1 NULLS LAST LIMIT 20",
            f"SELECT x.course_id, y.course_id, count(*) AS n FROM takes x JOIN takes y ON y.student_id = x.student_id AND"
            f" y.semester = x.semester + {self.number(1, 2)}{self.where(self.on_takes('x'), f'x.course_id <= {self.some_course()}')}"
            " GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 20",
            f"SELECT count(*) FROM takes t WHERE NOT EXISTS (SELECT 1 FROM takes u WHERE u.student_id = t.student_id AND"
            f" u.semester > t.semester){' AND ' + more if more else ''}",
            f"SELECT t.semester, count(*) FROM takes t WHERE EXISTS (SELECT 1 FROM takes u WHERE u.student_id = t.student_id AND"
            f" u.semester = t.semester - 1 AND u.grade < t.grade) GROUP BY 1 ORDER BY 1")

    def worded(self):
        """Texts, days and numbers, computed of rows."""
        s, c, t = self.on_student("s"), self.on_course("c"), self.on_takes("t")
        return self.one(
            f"SELECT upper(substring(s.last_name, 1, {self.number(1, 3)})) AS p, count(*) AS n FROM student s WHERE {s} GROUP BY 1"
            " ORDER BY n DESC, p LIMIT 20",
            f"SELECT s.first_name || ' ' || s.last_name AS name, count(*) AS n FROM student s WHERE {s} GROUP BY 1 ORDER BY n DESC,"
            " name LIMIT 20",
            f"SELECT position('{self.one('a', 'in', 'o')}' IN c.name) AS p, count(*), min(c.name) FROM course c JOIN takes t ON"
            f" t.course_id = c.id WHERE {t} GROUP BY 1 ORDER BY 1 NULLS LAST",
            f"SELECT replace(c.name, '{self.one('a', 'i', ' ')}', '') AS r, sum(t.grade) AS g FROM course c JOIN takes t ON"
            f" t.course_id = c.id WHERE {c} GROUP BY 1 ORDER BY g DESC NULLS LAST, r LIMIT 20",
            f"SELECT t.taken_on - s.born AS days, count(*) AS n FROM takes t JOIN student s ON s.id = t.student_id WHERE {t}"
            " GROUP BY 1 ORDER BY n DESC, 1 NULLS LAST LIMIT 20",
            f"SELECT extract(month FROM t.taken_on)::int AS m, extract(year FROM s.born)::int AS y, count(*) FROM takes t JOIN"
            f" student s ON s.id = t.student_id WHERE {s} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 NULLS LAST LIMIT 20",
            f"SELECT count(*), max(s.last_name), min(lower(s.city)) FROM student s WHERE {s} AND s.last_name LIKE"
            f" '%{self.one('son', 'er', 'a', 'ez')}'",
            f"SELECT nullif(t.semester, {self.number(0, 5)}) AS x, greatest(c.credits, {self.number(2, 4)}) AS y, count(*) FROM takes"
            f" t JOIN course c ON c.id = t.course_id WHERE {t} GROUP BY 1, 2 ORDER BY 1 NULLS LAST, 2 NULLS LAST",
            f"SELECT count(*) FROM student s JOIN student r ON r.last_name = s.last_name AND r.city = s.city AND r.id < s.id"
            f" WHERE {s}",
            f"SELECT s.city, c.department, count(*) AS n FROM takes t JOIN student s ON s.id = t.student_id JOIN course c ON"
            f" c.id = t.course_id WHERE ({s} OR {c}) GROUP BY 1, 2 ORDER BY n DESC, 1 NULLS LAST, 2 NULLS LAST LIMIT 20",
            f"SELECT count(*) FROM takes t WHERE (t.course_id, t.semester) IN (SELECT u.course_id, u.semester FROM takes u WHERE"
            f" u.student_id = {self.some_student()})")

    def circled(self):
        """Friends of friends, and what they share, with more than one condition on the way."""
        f = self.on_friend("f")
        me = self.some_student()
        return self.one(
            f"SELECT count(*) FROM friend f JOIN friend g ON g.a = f.b AND g.b = f.a WHERE {f}",
            f"SELECT f.a, count(*) AS n FROM friend f JOIN friend g ON g.a = f.b AND g.b = f.a WHERE {f} GROUP BY 1 ORDER BY n DESC,"
            " 1 LIMIT 20",
            f"SELECT g.b, count(*) AS n FROM friend f JOIN friend g ON g.a = f.b WHERE f.a <= {self.number(10, 3000)} AND g.b <> f.a"
            f" AND NOT EXISTS (SELECT 1 FROM friend h WHERE h.a = f.a AND h.b = g.b) GROUP BY 1 ORDER BY n DESC, 1 LIMIT 20",
            f"SELECT count(DISTINCT t.course_id) FROM friend f JOIN takes t ON t.student_id = f.b WHERE f.a IN ({me}, {me // 2 + 1})"
            f" AND t.course_id NOT IN (SELECT course_id FROM takes WHERE student_id = {me})",
            f"SELECT f.a, f.b, count(*) AS n FROM friend f JOIN takes x ON x.student_id = f.a JOIN takes y ON y.student_id = f.b AND"
            f" y.course_id = x.course_id WHERE {f} GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 20",
            f"SELECT count(*) FROM friend f WHERE {f} AND f.a <= {self.number(10, 300)} AND NOT EXISTS (SELECT 1 FROM takes x JOIN takes y ON y.course_id ="
            " x.course_id WHERE x.student_id = f.a AND y.student_id = f.b)",
            f"SELECT s.id, count(DISTINCT f.b) AS friends, count(DISTINCT t.course_id) AS courses FROM student s LEFT JOIN friend f"
            f" ON f.a = s.id LEFT JOIN takes t ON t.student_id = s.id WHERE s.id <= {self.number(100, 5000)} GROUP BY 1 ORDER BY 2"
            " DESC, 3 DESC, 1 LIMIT 20",
            f"SELECT r.city, s.city, count(*) AS n FROM friend f JOIN student r ON r.id = f.a JOIN student s ON s.id = f.b WHERE {f}"
            " AND r.city <> s.city GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 20")

    def stepped(self):
        """Recursions with a bound, forwards or backwards, from one or several."""
        start, bound = self.some_student(), self.number(2, 3)
        ends = self.one(("a", "b"), ("b", "a"))
        more = self.sometimes(50, lambda: f" AND {self.on_friend('f')}")
        return self.one(
            f"WITH RECURSIVE r(id, d) AS (SELECT {start}, 0 UNION ALL SELECT f.{ends[1]}, r.d + 1 FROM r JOIN friend f ON f.{ends[0]} ="
            f" r.id{more} WHERE r.d < {bound}) SELECT d, count(*), count(DISTINCT id), max(id) FROM r GROUP BY d ORDER BY d",
            f"WITH RECURSIVE r(id) AS (SELECT id FROM student WHERE id <= {self.number(1, 5)} UNION SELECT f.{ends[1]} FROM r JOIN friend f"
            f" ON f.{ends[0]} = r.id{more}) SELECT count(*), min(id), max(id) FROM r",
            f"WITH RECURSIVE r(id, d) AS (SELECT {start}, 0 UNION SELECT f.{ends[1]}, r.d + 1 FROM r JOIN friend f ON f.{ends[0]} = r.id{more}"
            f" WHERE r.d < {bound}) SELECT c.department, count(DISTINCT t.student_id) AS n FROM r JOIN takes t ON t.student_id = r.id"
            " JOIN course c ON c.id = t.course_id GROUP BY 1 ORDER BY n DESC, 1 NULLS LAST LIMIT 20",
            f"WITH RECURSIVE d(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM d WHERE x < {self.number(10, 400)}) SELECT x, count(t.grade)"
            f" FROM d LEFT JOIN takes t ON t.taken_on = DATE '2019-01-01' + x::int GROUP BY x ORDER BY 2 DESC, 1 LIMIT 20")

    def made(self):
        return self.one(
            self.windowed, self.windowed, self.measured, self.measured, self.compared, self.compared, self.divided,
            self.first_of_each, self.first_of_each, self.made_tables, self.made_tables, self.runs, self.worded, self.worded,
            self.circled, self.circled, self.stepped)()


def question(number, students, courses):
    """The question of a number."""
    kind = FurtherQuestion if number >= FIRST else Question
    return kind(number, students, courses)
