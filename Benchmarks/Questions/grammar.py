"""Makes up questions over a school with attributes: a question is a number, and the same number is the same
question on every machine.

Every question has one right answer, in one order: it is sorted by all that it gives, or by a key. What differs
between engines by design is left out (divisions of whole numbers, sums of floats, rounding of halves).
"""
import random
from dataclasses import dataclass, field


@dataclass
class Source:
    """Joined tables: what stands in FROM, the columns by kind, and how many rows come out of one student."""

    text: str
    where: list = field(default_factory=list)
    takes: list = field(default_factory=list)
    course: list = field(default_factory=list)
    student: list = field(default_factory=list)
    friend: list = field(default_factory=list)
    outer: bool = False


class Question:
    def __init__(self, number, students, courses):
        self.random = random.Random(number * 7919 + 17)
        self.students = students
        self.courses = courses
        self.text = self.made()

    # Small choices

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def one(self, *choices):
        return self.random.choice(choices)

    def number(self, low, high):
        return self.random.randint(low, high)

    def some_student(self):
        return self.number(1, self.students)

    def some_course(self):
        return self.number(1, self.courses)

    def day(self, first, years):
        return f"DATE '{first + self.number(0, years)}-{self.number(1, 12):02}-{self.number(1, 28):02}'"

    # Conditions

    def on_takes(self, t):
        return self.one(
            lambda: f"{t}.grade {self.one('>=', '<', '>', '<=')} {self.one('1', '2', '2.5', '3', '3.5', '1.7')}",
            lambda: f"{t}.semester = {self.number(0, 11)}",
            lambda: f"{t}.semester BETWEEN {self.number(0, 5)} AND {self.number(5, 11)}",
            lambda: f"{t}.semester IN ({self.number(0, 3)}, {self.number(4, 7)}, {self.number(8, 11)})",
            lambda: f"{t}.grade IS {self.one('', 'NOT ')}NULL",
            lambda: f"{t}.taken_on {self.one('>=', '<')} {self.day(2018, 5)}",
            lambda: f"extract(year FROM {t}.taken_on) = {self.number(2018, 2023)}",
            lambda: f"extract(month FROM {t}.taken_on) IN ({self.number(1, 6)}, {self.number(7, 12)})",
            lambda: f"coalesce({t}.grade, 0) {self.one('>', '<')} {self.one('1', '2', '3')}",
            lambda: f"({t}.grade > 3.5 OR {t}.semester < {self.number(1, 6)})",
            lambda: f"NOT ({t}.semester = {self.number(0, 11)} AND {t}.grade < 2)",
            lambda: f"{t}.semester % {self.number(2, 4)} = {self.number(0, 1)}",
            lambda: f"{t}.grade IS DISTINCT FROM {self.one('2.0', '0.0', '4.0')}",
        )()

    def on_course(self, c):
        return self.one(
            lambda: f"{c}.department = 'D{self.number(1, 40)}'",
            lambda: f"{c}.department IN ('D{self.number(1, 15)}', 'D{self.number(16, 30)}', 'D{self.number(31, 40)}')",
            lambda: f"{c}.credits {self.one('=', '>', '<=', '<>')} {self.number(1, 5)}",
            lambda: f"{c}.credits BETWEEN {self.number(1, 3)} AND {self.number(3, 6)}",
            lambda: f"{c}.name LIKE '{self.one('A', 'B', 'S', 'In', 'Ad', 'P')}%'",
            lambda: f"{c}.name {self.one('', 'NOT ')}LIKE '%{self.one('an', 'ic', 'th', 'of', 'er')}%'",
            lambda: f"lower({c}.name) LIKE '%{self.one('log', 'ics', 'phys', 'ing')}%'",
            lambda: f"{self.one('', 'NOT ')}{c}.compulsory",
            lambda: f"{c}.id <= {self.some_course()}",
            lambda: f"length({c}.name) > {self.number(8, 24)}",
        )()

    def on_student(self, s):
        return self.one(
            lambda: f"{s}.city = '{self.one('Lisbon', 'Lima', 'Oslo', 'Graz', 'Osaka', 'Zurich')}'",
            lambda: f"{s}.city IS {self.one('', 'NOT ')}NULL",
            lambda: f"{s}.city LIKE '{self.one('L', 'B', 'T', 'S')}%'",
            lambda: f"{s}.gpa {self.one('>=', '<', '>')} {self.one('1', '2.5', '3', '3.5', '3.9', '0.25')}",
            lambda: f"{s}.gpa BETWEEN {self.one('1', '2')} AND {self.one('2.5', '3')}",
            lambda: f"{s}.born {self.one('>=', '<')} {self.day(1990, 15)}",
            lambda: f"extract(year FROM {s}.born) = {self.number(1990, 2005)}",
            lambda: f"{s}.last_name {self.one('<', '>=')} '{self.one('C', 'H', 'M', 'S')}'",
            lambda: f"{s}.first_name = '{self.one('Ada', 'Emily', 'Kai', 'Mei', 'Noah')}'",
            lambda: f"{s}.id % {self.number(2, 20)} = {self.number(0, 1)}",
            lambda: f"{s}.id <= {self.some_student()}",
            lambda: f"({s}.gpa IS NULL OR {s}.city = 'Oslo')",
        )()

    def on_friend(self, f):
        return self.one(
            lambda: f"{f}.since {self.one('>=', '<')} {self.day(2015, 7)}",
            lambda: f"extract(year FROM {f}.since) = {self.number(2015, 2022)}",
            lambda: f"{f}.a < {f}.b",
            lambda: f"{f}.a % {self.number(2, 9)} = 0",
        )()

    def linked(self, student=None, course=None):
        """EXISTS, NOT EXISTS, IN or NOT IN over the junction table."""
        takes = self.random.sample([self.on_takes("x") for _ in range(3)], self.number(0, 2))
        if student:
            if self.chance(40):
                takes.append(f"x.course_id = {self.some_course()}")
            elif self.chance(40):
                takes.append(f"x.course_id IN (SELECT id FROM course k WHERE {self.on_course('k')})")
            outer, inner = student, "x.student_id"
        else:
            if self.chance(50):
                takes.append(f"x.student_id = {self.some_student()}")
            elif self.chance(30):
                takes.append(f"x.student_id IN (SELECT id FROM student k WHERE {self.on_student('k')})")
            outer, inner = course, "x.course_id"
        negated = self.one("", "", "NOT ")
        if self.chance(50):
            where = " AND ".join([f"{inner} = {outer}"] + takes)
            return f"{negated}EXISTS (SELECT 1 FROM takes x WHERE {where})"
        where = " WHERE " + " AND ".join(takes) if takes else ""
        return f"{outer} {negated}IN (SELECT {inner} FROM takes x{where})"

    def befriended(self, student):
        negated = self.one("", "NOT ")
        way = self.one(("a", "b"), ("b", "a"))
        more = f" AND {self.on_friend('y')}" if self.chance(50) else ""
        if self.chance(30):
            more += f" AND y.{way[1]} = {self.some_student()}"
        return f"{negated}EXISTS (SELECT 1 FROM friend y WHERE y.{way[0]} = {student}{more})"

    def conditions(self, source):
        found = list(source.where)
        makers = (
            [lambda t=t: self.on_takes(t) for t in source.takes]
            + [lambda c=c: self.on_course(c) for c in source.course]
            + [lambda s=s: self.on_student(s) for s in source.student]
            + [lambda f=f: self.on_friend(f) for f in source.friend]
        )
        for _ in range(self.one(0, 1, 1, 2, 2, 3)):
            found.append(self.random.choice(makers)())
        if self.chance(30):
            ends = (
                [lambda s=s: self.linked(student=f"{s}.id") for s in source.student]
                + [lambda c=c: self.linked(course=f"{c}.id") for c in source.course]
                + [lambda t=t: self.linked(student=f"{t}.student_id") for t in source.takes]
                + [lambda s=s: self.befriended(f"{s}.id") for s in source.student]
            )
            if ends:
                found.append(self.random.choice(ends)())
        if self.chance(10) and len(found) > len(source.where) + 1:
            second = found.pop()
            found[-1] = f"({found[-1]} OR {second})"
        return " WHERE " + " AND ".join(found) if found else ""

    # What is joined

    def source(self):
        def with_ends(text, t, s, c, **more):
            source = Source(text, takes=[t], **more)
            if self.chance(45):
                source.text += f" JOIN course {c} ON {c}.id = {t}.course_id"
                source.course.append(c)
            if self.chance(35):
                source.text += f" JOIN student {s} ON {s}.id = {t}.student_id"
                source.student.append(s)
            return source

        def pairs_of_one_student():
            on = ["a.student_id = b.student_id"]
            on.append(self.one("a.course_id < b.course_id", "a.course_id = b.course_id AND a.semester < b.semester",
                               "a.semester < b.semester", "a.course_id <> b.course_id"))
            if self.chance(40):
                on.append(self.one("a.semester = b.semester", "b.grade > a.grade", "b.semester = a.semester + 1",
                                   "a.taken_on <= b.taken_on", "a.grade = b.grade"))
            source = Source(f"takes a JOIN takes b ON {' AND '.join(on)}", takes=["a", "b"])
            if self.chance(35):
                source.text += " JOIN course c ON c.id = b.course_id"
                source.course.append("c")
            return source

        def classmates_of_one():
            on = "o.course_id = m.course_id" + self.one("", " AND o.semester = m.semester", " AND o.grade >= m.grade")
            source = Source(f"takes m JOIN takes o ON {on}", takes=["m", "o"],
                            where=[f"m.student_id = {self.some_student()}"])
            if self.chance(40):
                source.text += " JOIN student s ON s.id = o.student_id"
                source.student.append("s")
            return source

        def left_of_course():
            on = f" AND {self.on_takes('t')}" if self.chance(60) else ""
            return Source(f"course c LEFT JOIN takes t ON t.course_id = c.id{on}", takes=["t"], course=["c"], outer=True)

        def left_of_student():
            on = f" AND {self.on_takes('t')}" if self.chance(60) else ""
            return Source(f"student s LEFT JOIN takes t ON t.student_id = s.id{on}", takes=["t"], student=["s"],
                          outer=True)

        def friends():
            source = Source("friend f", friend=["f"])
            if self.chance(50):
                source.text += " JOIN student s ON s.id = f.b"
                source.student.append("s")
            if self.chance(30):
                source.text += " JOIN student r ON r.id = f.a"
                source.student.append("r")
            if self.chance(30):
                source.text += " JOIN takes t ON t.student_id = f.b"
                source.takes.append("t")
            return source

        def friends_of_friends():
            source = Source("friend f JOIN friend g ON g.a = f.b", friend=["f", "g"])
            if self.chance(50):
                source.where.append(f"f.a = {self.some_student()}")
                if self.chance(50):
                    source.text += " JOIN takes t ON t.student_id = g.b"
                    source.takes.append("t")
            elif self.chance(40):
                source.text += " JOIN student s ON s.id = g.b"
                source.student.append("s")
            return source

        def friends_who_share():
            more = self.one("", " AND y.semester = x.semester", " AND y.grade > x.grade")
            return Source(f"friend f JOIN takes x ON x.student_id = f.a JOIN takes y ON y.student_id = f.b"
                          f" AND y.course_id = x.course_id{more}", friend=["f"], takes=["x", "y"])

        def only(table, name, kind):
            return Source(f"{table} {name}", **{kind: [name]})

        return self.one(
            lambda: with_ends("takes t", "t", "s", "c"), lambda: with_ends("takes t", "t", "s", "c"),
            lambda: with_ends("takes t", "t", "s", "c"), lambda: with_ends("takes t", "t", "s", "c"),
            pairs_of_one_student, classmates_of_one, left_of_course, left_of_student, friends, friends_of_friends,
            friends_who_share, lambda: only("student", "s", "student"), lambda: only("course", "c", "course"),
        )()

    # What is asked of it

    def keys(self, source):
        """Keys of a group: few or many, of columns and of expressions."""
        found = []
        for t in source.takes:
            found += [f"{t}.semester", f"{t}.semester", f"{t}.grade", f"{t}.course_id", f"{t}.course_id",
                      f"{t}.student_id", f"date_trunc('month', {t}.taken_on)::date",
                      f"extract(year FROM {t}.taken_on)::int", f"CASE WHEN {t}.grade >= 2 THEN 'good' ELSE 'poor' END",
                      f"{t}.taken_on", f"{t}.grade IS NULL", f"{t}.semester % 4"]
        for c in source.course:
            found += [f"{c}.department", f"{c}.department", f"{c}.credits", f"{c}.id", f"{c}.compulsory",
                      f"left({c}.name, 2)", f"length({c}.name)"]
        for s in source.student:
            found += [f"{s}.city", f"{s}.city", f"{s}.first_name", f"{s}.id", f"extract(year FROM {s}.born)::int",
                      f"{s}.gpa", f"left({s}.last_name, 1)", f"coalesce({s}.city, 'nowhere')", f"{s}.born"]
        for f in source.friend:
            found += [f"{f}.a", f"{f}.b", f"extract(year FROM {f}.since)::int", f"date_trunc('year', {f}.since)::date"]
        self.random.shuffle(found)
        chosen = []
        for key in found:
            if key not in chosen:
                chosen.append(key)
        return chosen[: self.one(1, 1, 1, 2, 2, 3)]

    def aggregate(self, source):
        numbers, anything = [], []
        for t in source.takes:
            numbers += [f"{t}.grade", f"{t}.grade", f"{t}.semester"]
            anything += [f"{t}.grade", f"{t}.taken_on", f"{t}.semester", f"{t}.course_id", f"{t}.student_id"]
        for c in source.course:
            numbers += [f"{c}.credits"]
            anything += [f"{c}.name", f"{c}.department", f"{c}.credits"]
        for s in source.student:
            numbers += [f"{s}.gpa"]
            anything += [f"{s}.city", f"{s}.born", f"{s}.gpa", f"{s}.last_name"]
        for f in source.friend:
            numbers += [f"{f}.b"]
            anything += [f"{f}.since", f"{f}.b"]
        number, any_column = self.random.choice(numbers), self.random.choice(anything)
        condition = self.random.choice(
            [lambda t=t: self.on_takes(t) for t in source.takes] + [lambda c=c: self.on_course(c) for c in source.course]
            + [lambda s=s: self.on_student(s) for s in source.student]
            + [lambda f=f: self.on_friend(f) for f in source.friend])()
        return self.one(
            "count(*)", "count(*)", f"count({any_column})", f"count(DISTINCT {any_column})", f"sum({number})",
            f"round(avg({number}) + 0.0000001, 3)", f"min({any_column})", f"max({any_column})",
            f"count(*) FILTER (WHERE {condition})", f"sum({number}) FILTER (WHERE {condition})",
            f"sum(CASE WHEN {condition} THEN 1 ELSE 0 END)", f"bool_or({condition})", f"max({number}) - min({number})",
            f"sum({number} * 2 + 1)", f"min({any_column}) FILTER (WHERE {condition})")

    def grouped(self):
        source = self.source()
        keys = self.keys(source)
        names = [f"k{i}" for i in range(len(keys))]
        aggregates = [self.aggregate(source) for _ in range(self.one(1, 1, 2, 2, 3, 4))]
        items = [f"{k} AS {n}" for k, n in zip(keys, names)]
        items += [f"{a} AS v{i}" for i, a in enumerate(aggregates)]
        places = ", ".join(str(i + 1) for i in range(len(keys)))
        having = ""
        if self.chance(25):
            having = " HAVING " + self.one(
                f"count(*) > {self.number(1, 50)}", f"count(*) = {self.number(1, 5)}",
                f"{aggregates[0]} IS NOT NULL", f"count(DISTINCT {self.keys(source)[0]}) >= {self.number(2, 5)}")
        group = f"ROLLUP ({', '.join(keys)})" if len(keys) > 1 and self.chance(15) else places
        order = [f"{n} NULLS LAST" for n in names]
        if self.chance(65):
            order.insert(0, f"v0 {self.one('DESC', 'DESC', 'ASC')} NULLS LAST")
        # Rows of a rollup may agree in all of their keys.
        order += [f"v{i} NULLS LAST" for i in range(len(aggregates))]
        return (f"SELECT {', '.join(items)} FROM {source.text}{self.conditions(source)} GROUP BY {group}{having}"
                f" ORDER BY {', '.join(order)} LIMIT {self.one(10, 20, 100, 1000)}")

    def counted(self):
        source = self.source()
        aggregates = [self.aggregate(source) for _ in range(self.number(1, 4))]
        return f"SELECT {', '.join(aggregates)} FROM {source.text}{self.conditions(source)}"

    def distinct(self):
        source = self.source()
        keys = self.keys(source)
        items = ", ".join(f"{k} AS k{i}" for i, k in enumerate(keys))
        order = ", ".join(f"{i + 1} {self.one('', 'DESC ')}NULLS LAST" for i in range(len(keys)))
        text = f"SELECT DISTINCT {items} FROM {source.text}{self.conditions(source)}"
        if self.chance(40):
            return f"SELECT count(*), count(k0) FROM ({text}) q"
        return f"{text} ORDER BY {order} LIMIT {self.one(10, 100, 1000)}"

    def listed(self):
        """Rows in the order of something and then of all keys."""
        source = self.source()
        columns, keys = [], []
        for t in source.takes:
            columns += [f"{t}.grade", f"{t}.taken_on", f"{t}.semester"]
            keys += [f"{t}.student_id", f"{t}.course_id", f"{t}.semester"]
        for c in source.course:
            columns += [f"{c}.name", f"{c}.department", f"{c}.credits"]
            keys += [f"{c}.id"]
        for s in source.student:
            columns += [f"{s}.last_name", f"{s}.city", f"{s}.gpa", f"{s}.born"]
            keys += [f"{s}.id"]
        for f in source.friend:
            columns += [f"{f}.since"]
            keys += [f"{f}.a", f"{f}.b"]
        chosen = self.random.sample(columns, min(len(columns), self.number(1, 3)))
        order = [f"{c} {self.one('', 'DESC ')}NULLS LAST" for c in chosen[: self.number(1, 2)]]
        order += [f"{k} NULLS LAST" for k in keys]
        limit = self.one(5, 10, 50, 500)
        offset = f" OFFSET {self.one(5, 100, 1000)}" if self.chance(15) else ""
        return (f"SELECT {', '.join(dict.fromkeys(keys + chosen))} FROM {source.text}{self.conditions(source)}"
                f" ORDER BY {', '.join(order)} LIMIT {limit}{offset}")

    def histogram(self):
        """Groups of groups: how many have how many."""
        source = self.source()
        key = self.keys(source)[0]
        inner = f"SELECT {key} AS k, {self.aggregate(source)} AS v FROM {source.text}{self.conditions(source)} GROUP BY 1"
        return f"SELECT v, count(*) AS n, min(k::text) FROM ({inner}) q GROUP BY v ORDER BY n DESC, v NULLS LAST LIMIT 50"

    def ranked(self):
        """The best few of each, by a window."""
        source = self.source()
        keys = self.keys(source)
        while len(keys) < 2:
            keys = list(dict.fromkeys(keys + self.keys(source)))[:2]
        value = self.one("count(*)", self.aggregate(source))
        inner = (f"SELECT {keys[0]} AS k0, {keys[1]} AS k1, {value} AS v FROM {source.text}{self.conditions(source)}"
                 " GROUP BY 1, 2")
        window = "PARTITION BY k0 ORDER BY v DESC NULLS LAST, k1 NULLS LAST"
        function = self.one(f"row_number() OVER ({window})", f"rank() OVER ({window})",
                            f"dense_rank() OVER ({window})")
        if self.chance(60):
            return (f"SELECT * FROM (SELECT k0, k1, v, {function} AS place FROM ({inner}) q) r"
                    f" WHERE place <= {self.number(1, 5)} ORDER BY k0 NULLS LAST, place, k1 NULLS LAST LIMIT 200")
        other = self.one(f"lag(v) OVER ({window})", f"count(*) OVER (PARTITION BY k0)", f"first_value(k1) OVER ({window})",
                         f"max(v) OVER (PARTITION BY k0)", f"count(v) OVER ({window} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)")
        return (f"SELECT k0, k1, v, {other} AS w FROM ({inner}) q ORDER BY k0 NULLS LAST, v DESC NULLS LAST, k1 NULLS LAST"
                " LIMIT 200")

    def combined(self):
        """Sets of students or courses, put together."""
        of = self.one("student_id", "course_id")

        def part():
            if of == "student_id" and self.chance(25):
                return f"SELECT id FROM student s WHERE {self.on_student('s')}"
            if of == "course_id" and self.chance(25):
                return f"SELECT id FROM course c WHERE {self.on_course('c')}"
            more = f" AND {self.on_takes('t')}" if self.chance(50) else ""
            if of == "student_id":
                end = self.one(f"t.course_id = {self.some_course()}", self.on_takes("t"),
                               f"t.course_id IN (SELECT id FROM course c WHERE {self.on_course('c')})")
            else:
                end = self.one(f"t.student_id = {self.some_student()}", self.on_takes("t"),
                               f"t.student_id IN (SELECT id FROM student s WHERE {self.on_student('s')})")
            return f"SELECT t.{of} FROM takes t WHERE {end}{more}"

        parts = part()
        for _ in range(self.one(1, 1, 2)):
            parts = f"{parts} {self.one('INTERSECT', 'EXCEPT', 'UNION')} {part()}"
        if self.chance(50):
            return f"SELECT count(*) FROM ({parts}) q"
        return f"SELECT * FROM ({parts}) q(id) ORDER BY id LIMIT 200"

    def lookup(self):
        """What belongs to one student or course, and what does not."""
        student, course = self.some_student(), self.some_course()
        more = f" AND {self.on_takes('t')}" if self.chance(50) else ""
        return self.one(
            lambda: f"SELECT c.id, c.name, t.grade FROM takes t JOIN course c ON c.id = t.course_id"
                    f" WHERE t.student_id = {student}{more} ORDER BY c.name, c.id, t.semester",
            lambda: f"SELECT s.id, s.last_name, t.semester FROM takes t JOIN student s ON s.id = t.student_id"
                    f" WHERE t.course_id = {course}{more} ORDER BY s.last_name, s.id, t.semester LIMIT 100",
            lambda: f"SELECT c.id, c.name FROM course c WHERE {self.on_course('c')} AND NOT EXISTS (SELECT 1 FROM takes t"
                    f" WHERE t.student_id = {student} AND t.course_id = c.id{more}) ORDER BY c.name, c.id LIMIT 50",
            lambda: f"SELECT s.id, s.last_name, (SELECT count(*) FROM takes t WHERE t.student_id = s.id{more}) AS n"
                    f" FROM student s WHERE {self.on_student('s')} ORDER BY n DESC, s.id LIMIT 20",
            lambda: f"SELECT c.id, (SELECT max(t.grade) FROM takes t WHERE t.course_id = c.id{more}) AS m FROM course c"
                    f" WHERE {self.on_course('c')} ORDER BY m DESC NULLS LAST, c.id LIMIT 20",
            lambda: f"SELECT s.id, l.course_id, l.taken_on FROM student s, LATERAL (SELECT course_id, taken_on, semester"
                    f" FROM takes t WHERE t.student_id = s.id{more} ORDER BY taken_on DESC, course_id, semester LIMIT"
                    f" {self.number(1, 3)}) l WHERE {self.on_student('s')} ORDER BY 1, 3 DESC, 2 LIMIT 100",
            lambda: f"SELECT t.course_id, count(*) AS n FROM takes t WHERE t.student_id IN (SELECT f.b FROM friend f"
                    f" WHERE f.a = {student}){more} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 20",
            lambda: f"SELECT t.student_id, count(*) AS n FROM takes t WHERE t.course_id IN (SELECT course_id FROM takes"
                    f" WHERE student_id = {student}) AND t.student_id <> {student}{more} GROUP BY 1 ORDER BY n DESC, 1"
                    " LIMIT 20",
        )()

    def reached(self):
        start, steps = self.some_student(), self.number(2, 4)
        more = f" AND {self.on_friend('f')}" if self.chance(50) else ""
        walk = (f"WITH RECURSIVE r(id, d) AS (SELECT {start}, 0 UNION SELECT f.b, r.d + 1 FROM r JOIN friend f"
                f" ON f.a = r.id{more} WHERE r.d < {steps})")
        return self.one(
            f"{walk} SELECT d, count(DISTINCT id) FROM r GROUP BY d ORDER BY d",
            f"{walk} SELECT s.city, count(DISTINCT s.id) AS n FROM r JOIN student s ON s.id = r.id GROUP BY 1"
            " ORDER BY n DESC, 1 NULLS LAST LIMIT 10",
            f"{walk}, p AS (SELECT DISTINCT id FROM r) SELECT t.course_id, count(*) AS n FROM p JOIN takes t"
            " ON t.student_id = p.id GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10")

    def made(self):
        return self.one(
            self.grouped, self.grouped, self.grouped, self.grouped, self.counted, self.counted, self.distinct, self.listed,
            self.listed, self.histogram, self.ranked, self.combined, self.combined, self.lookup, self.lookup, self.reached,
        )()
