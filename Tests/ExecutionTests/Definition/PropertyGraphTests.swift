import Catalog
import Columnar
import Diagnostics
import SQLSyntax
import Testing

@testable import Execution

/// The schema that most tests of property graphs begin with.
private let school = """
  create table student (id int primary key, name text, born date);
  create table course (id int primary key, title text, credits int);
  create table takes (student int references student, course int references course, grade int,
    primary key (student, course));
  create table needs (course int references course, other int references course,
    primary key (course, other));
  """

private let graph = """
  create property graph g
    vertex tables (student, course label course properties (id, title))
    edge tables (takes source student destination course no properties);
  """

private let dropHint = "Use DROP ... CASCADE to drop the dependent objects too."

@Suite("Property graphs are refused with a reason")
struct PropertyGraphRefusalTests {
  static let definitions: [Refusal] = [
    Refusal(
      name: "a name that a table has", setup: school,
      statement: "create property graph course", state: "42P07",
      message: "relation \"course\" already exists"),
    Refusal(
      name: "a table of a graph's name", setup: school + graph,
      statement: "create table g (a int)", state: "42P07",
      message: "relation \"g\" already exists"),
    Refusal(
      name: "a table that is not there", setup: school,
      statement: "create property graph g vertex tables (curse)", state: "42P01",
      message: "relation \"curse\" does not exist",
      hint: "Perhaps you meant the table \"course\"."),
    Refusal(
      name: "a view", setup: school + "create view v as select * from course;",
      statement: "create property graph g vertex tables (v key (id))", state: "0A000",
      message: "views as element tables of property graphs are not supported",
      detail: "\"v\" is a view."),
    Refusal(
      name: "UNLOGGED", setup: "", statement: "create unlogged property graph g",
      state: "0A000",
      message: "property graphs cannot be unlogged because they do not have storage"),
    Refusal(
      name: "a table without a key", setup: "create table t (a int);",
      statement: "create property graph g vertex tables (t)", state: "42P16",
      message:
        "no key specified and no suitable primary key exists for definition of element \"t\"",
      detail: "Table \"t\" has no primary key.",
      hint: "Write KEY (column, ...) behind the table with the columns that tell its rows apart."),
    Refusal(
      name: "a key of a column that is not there", setup: school,
      statement: "create property graph g vertex tables (course key (titel))", state: "42703",
      message: "column \"titel\" of relation \"course\" does not exist",
      hint: "Perhaps you meant the column \"title\"."),
    Refusal(
      name: "a key with a column twice", setup: school,
      statement: "create property graph g vertex tables (course key (id, id))", state: "42701",
      message: "column \"id\" appears twice in key"),
    Refusal(
      name: "an alias twice", setup: school,
      statement: "create property graph g vertex tables (course, course)", state: "42710",
      message: "alias \"course\" used more than once as element table",
      hint: "Give the element table another name with AS."),
  ]

  static let ends: [Refusal] = [
    Refusal(
      name: "a vertex that is not there", setup: school,
      statement: """
        create property graph g vertex tables (student, course)
          edge tables (takes source students destination course)
        """, state: "42P01", message: "source vertex \"students\" of edge \"takes\" does not exist",
      hint: "Perhaps you meant the vertex table \"student\"."),
    Refusal(
      name: "a vertex by the name of its table", setup: school,
      statement: """
        create property graph g vertex tables (student, course as c)
          edge tables (takes source student destination course)
        """, state: "42P01",
      message: "destination vertex \"course\" of edge \"takes\" does not exist",
      hint: "Perhaps you meant the vertex table \"c\"."),
    Refusal(
      name: "two foreign keys to one table", setup: school,
      statement: """
        create property graph g vertex tables (course)
          edge tables (needs source course destination course)
        """, state: "42830",
      message: "more than one suitable foreign key exists for source key of edge \"needs\"",
      detail: "Table \"needs\" has these foreign keys to table \"course\":"
        + " \"needs_course_fkey\", \"needs_other_fkey\".",
      hint: "Write, for example, SOURCE KEY (course) REFERENCES course (id)."),
    Refusal(
      name: "no foreign key", setup: school + "create table pairs (a int primary key, b int);",
      statement: """
        create property graph g vertex tables (course)
          edge tables (pairs source key (a) references course (id) destination course)
        """, state: "42830",
      message: "no destination key specified and no suitable foreign key exists for definition of"
        + " edge \"pairs\"", detail: "Table \"pairs\" has no foreign key to table \"course\".",
      hint: "Write DESTINATION KEY (column, ...) REFERENCES course (id)."),
    Refusal(
      name: "more columns here than there", setup: school,
      statement: """
        create property graph g vertex tables (course)
          edge tables (needs source key (course, other) references course (id)
            destination key (other) references course)
        """, state: "42830",
      message: "mismatching number of columns in source vertex definition of edge \"needs\""),
    Refusal(
      name: "types that cannot be compared", setup: school,
      statement: """
        create property graph g vertex tables (course)
          edge tables (needs source key (course) references course (title)
            destination key (other) references course)
        """, state: "42804", message: "source key of edge \"needs\" cannot be implemented",
      detail: "Key columns \"course\" and \"title\" are of incompatible types: integer and text."),
  ]

  static let properties: [Refusal] = [
    Refusal(
      name: "a label twice", setup: school,
      statement: "create property graph g vertex tables (course label a label a)", state: "42710",
      message: "label \"a\" specified more than once for element \"course\""),
    Refusal(
      name: "a property twice", setup: school,
      statement: "create property graph g vertex tables (course properties (id, title as id))",
      state: "42701", message: "property \"id\" specified more than once"),
    Refusal(
      name: "two types of a property",
      setup: "create table a (id int primary key); create table b (id bigint primary key);",
      statement: "create property graph g vertex tables (a, b)", state: "42804",
      message: "property \"id\" data type mismatch: bigint in element \"b\" vs. integer in element"
        + " \"a\"",
      detail: "In a property graph, a property of the same name has to have the same data type in"
        + " each label.",
      hint: "Write PROPERTIES (...) with a cast or another name, or leave the column out with"
        + " PROPERTIES ALL COLUMNS EXCEPT (id)."),
    Refusal(
      name: "two values of a property", setup: school,
      statement: """
        create property graph g
          vertex tables (course label a properties (id as x) label b properties (credits + 1 as x))
        """, state: "42P17",
      message: "element \"course\" property \"x\" expression mismatch: credits + 1 vs. id",
      detail: "In a property graph element, a property of the same name has to have the same"
        + " expression in each label."),
    Refusal(
      name: "a label with other properties elsewhere", setup: school,
      statement: """
        create property graph g
          vertex tables (course label thing properties (id, title), student label thing properties (id))
        """, state: "42P17", message: "mismatching properties in definition of label \"thing\"",
      detail: "Element \"course\" has \"title\", and \"student\" has not. The elements of a label"
        + " have to have properties of the same names."),
    Refusal(
      name: "an expression without a name", setup: school,
      statement: "create property graph g vertex tables (course properties (id + 1))",
      state: "42601", message: "property name required",
      hint: "Write AS and a name behind the expression."),
    Refusal(
      name: "a column that is not there", setup: school,
      statement: "create property graph g vertex tables (course properties (titel))",
      state: "42703", message: "column \"titel\" does not exist",
      hint: "Perhaps you meant to reference the column \"course.title\"."),
    Refusal(
      name: "a column that cannot be left out", setup: school,
      statement: "create property graph g vertex tables (course properties all columns except (x))",
      state: "42703", message: "column \"x\" of relation \"course\" does not exist"),
    Refusal(
      name: "an aggregate", setup: school,
      statement: "create property graph g vertex tables (course properties (sum(id) as s))",
      state: "42803", message: "aggregate functions are not allowed in property expressions"),
    Refusal(
      name: "a window function", setup: school,
      statement: "create property graph g vertex tables (course properties (rank() over () as s))",
      state: "42P20", message: "window functions are not allowed in property expressions"),
    Refusal(
      name: "a set of rows", setup: school,
      statement: """
        create property graph g vertex tables (course properties (generate_series(1, id) as s))
        """, state: "0A000",
      message: "set-returning functions are not allowed in property expressions"),
    Refusal(
      name: "a subquery", setup: school,
      statement: "create property graph g vertex tables (course properties ((select 1) as s))",
      state: "0A000", message: "cannot use subquery in property expression"),
    Refusal(
      name: "a parameter", setup: school,
      statement: "create property graph g vertex tables (course properties (id + $2 as s))",
      state: "42P02", message: "there is no parameter $2"),
    Refusal(
      name: "a whole row", setup: school,
      statement: "create property graph g vertex tables (course properties (course as s))",
      state: "0A000", message: "a whole row in a property expression is not supported"),
    Refusal(
      name: "another table's column", setup: school,
      statement: "create property graph g vertex tables (course properties (student.id))",
      state: "42P01", message: "missing FROM-clause entry for table \"student\""),
    Refusal(
      name: "a random value", setup: school,
      statement: "create property graph g vertex tables (course properties (random() as s))",
      state: "42P17", message: "functions in property expression must not be volatile"),
  ]

  static let alterations: [Refusal] = [
    Refusal(
      name: "a graph that is not there", setup: "",
      statement: "alter property graph g drop vertex tables (a)", state: "42P01",
      message: "relation \"g\" does not exist"),
    Refusal(
      name: "a table as a graph", setup: school,
      statement: "alter property graph course rename to g", state: "42809",
      message: "\"course\" is not a property graph"),
    Refusal(
      name: "a graph as a table", setup: school + graph,
      statement: "alter table g add column a int", state: "42809",
      message: "\"g\" is not a table", hint: "Use ALTER PROPERTY GRAPH instead."),
    Refusal(
      name: "an element that is not there", setup: school + graph,
      statement: "alter property graph g drop vertex tables (curse)", state: "42704",
      message: "property graph \"g\" has no element with alias \"curse\"",
      hint: "Perhaps you meant the element \"course\"."),
    Refusal(
      name: "an edge among vertices", setup: school + graph,
      statement: "alter property graph g drop vertex tables (takes)", state: "42809",
      message: "element \"takes\" of property graph \"g\" is not a vertex"),
    Refusal(
      name: "a vertex with edges", setup: school + graph,
      statement: "alter property graph g drop vertex tables (course)", state: "2BP01",
      message: "cannot drop vertex course of property graph g because other objects depend on it",
      detail: "edge takes of property graph g depends on vertex course of property graph g",
      hint: dropHint),
    Refusal(
      name: "an alias that there is", setup: school + graph,
      statement: "alter property graph g add vertex tables (needs as takes)", state: "42710",
      message: "alias \"takes\" used more than once as element table",
      hint: "Give the element table another name with AS."),
    Refusal(
      name: "a temporary table for a lasting graph",
      setup: school + graph + "create temporary table t (a int primary key);",
      statement: "alter property graph g add vertex tables (t)", state: "42P16",
      message: "cannot add temporary element table to non-temporary property graph",
      detail: "Table \"t\" is a temporary table."),
    Refusal(
      name: "a label that is not there", setup: school + graph,
      statement: "alter property graph g alter vertex table course drop label curse",
      state: "42704", message: "property graph \"g\" element \"course\" has no label \"curse\"",
      hint: "Perhaps you meant the label \"course\"."),
    Refusal(
      name: "the only label", setup: school + graph,
      statement: "alter property graph g alter vertex table course drop label course",
      state: "42P17",
      message: "cannot drop label \"course\" because element \"course\" has no other",
      hint: "Add another label first, or drop the element table."),
    Refusal(
      name: "a property that there is", setup: school + graph,
      statement: """
        alter property graph g alter vertex table course alter label course add properties (title)
        """, state: "42710",
      message: "property \"title\" of label \"course\" already exists in element \"course\""),
    Refusal(
      name: "a property that is not there", setup: school + graph,
      statement: """
        alter property graph g alter vertex table course alter label course drop properties (titel)
        """, state: "42704",
      message: "property graph \"g\" element \"course\" label \"course\" has no property \"titel\"",
      hint: "Perhaps you meant the property \"title\"."),
    Refusal(
      name: "a property that other elements of the label keep",
      setup: school + """
        create property graph g vertex tables (course label thing properties (id),
          student label thing properties (id));
        """,
      statement: """
        alter property graph g alter vertex table course alter label thing drop properties (id)
        """, state: "42P17", message: "mismatching properties in definition of label \"thing\"",
      detail: "Element \"student\" has \"id\", and \"course\" has not. The elements of a label have"
        + " to have properties of the same names."),
    Refusal(
      name: "a name that is taken", setup: school + graph,
      statement: "alter property graph g rename to course", state: "42P07",
      message: "relation \"course\" already exists"),
    Refusal(
      name: "a schema that is not there", setup: school + graph,
      statement: "alter property graph g set schema s", state: "3F000",
      message: "schema \"s\" does not exist"),
  ]

  static let dependencies: [Refusal] = [
    Refusal(
      name: "dropping a graph as a table", setup: school + graph, statement: "drop table g",
      state: "42809", message: "\"g\" is not a table",
      hint: "Use DROP PROPERTY GRAPH to remove a property graph."),
    Refusal(
      name: "dropping a table as a graph", setup: school, statement: "drop property graph course",
      state: "42809", message: "\"course\" is not a property graph",
      hint: "Use DROP TABLE to remove a table."),
    Refusal(
      name: "dropping what is not there", setup: "", statement: "drop property graph g",
      state: "42P01", message: "property graph \"g\" does not exist"),
    Refusal(
      name: "dropping an edge's table", setup: school + graph, statement: "drop table takes",
      state: "2BP01", message: "cannot drop table takes because other objects depend on it",
      detail: "edge takes of property graph g depends on table takes", hint: dropHint),
    Refusal(
      name: "dropping a vertex's table",
      setup: "create table a (id int primary key); create property graph g vertex tables (a as v);",
      statement: "drop table a", state: "2BP01",
      message: "cannot drop table a because other objects depend on it",
      detail: "vertex v of property graph g depends on table a", hint: dropHint),
    Refusal(
      name: "dropping a property's column", setup: school + graph,
      statement: "alter table student drop column born", state: "2BP01",
      message: "cannot drop column born of table student because other objects depend on it",
      detail: "property born of label student of property graph g depends on column born of table"
        + " student", hint: dropHint),
    Refusal(
      name: "dropping a column of an expression",
      setup: school + """
        create property graph g vertex tables (course properties (credits * 2 as double));
        """, statement: "alter table course drop column credits", state: "2BP01",
      message: "cannot drop column credits of table course because other objects depend on it",
      detail: "property double of label course of property graph g depends on column credits of"
        + " table course", hint: dropHint),
    Refusal(
      name: "dropping an end's column",
      setup: """
        create table a (id int primary key, x int);
        create property graph g vertex tables (a no properties)
          edge tables (a as e source key (id) references a (id) destination key (x) references a (id)
            no properties);
        """, statement: "alter table a drop column x", state: "2BP01",
      message: "cannot drop column x of table a because other objects depend on it",
      detail: "edge e of property graph g depends on column x of table a", hint: dropHint),
    Refusal(
      name: "dropping a property's function",
      setup: school + """
        create function f(a int) returns int language sql immutable as 'select a + 1';
        create property graph g vertex tables (course properties (f(credits) as more));
        """, statement: "drop function f", state: "2BP01",
      message: "cannot drop function f(integer) because other objects depend on it",
      detail: "property more of label course of property graph g depends on function f(integer)",
      hint: dropHint),
    Refusal(
      name: "dropping a schema with a graph",
      setup: "create schema s; create property graph s.g;", statement: "drop schema s",
      state: "2BP01", message: "cannot drop schema s because other objects depend on it",
      detail: "property graph s.g depends on schema s", hint: dropHint),
    Refusal(
      name: "a type that other elements do not have",
      setup: school + "create property graph g vertex tables (student, course);",
      statement: "alter table course alter column id type bigint", state: "42804",
      message: "property \"id\" data type mismatch: integer in element \"student\" vs. bigint in"
        + " element \"course\"",
      detail: "In a property graph, a property of the same name has to have the same data type in"
        + " each label.",
      hint: "Write PROPERTIES (...) with a cast or another name, or leave the column out with"
        + " PROPERTIES ALL COLUMNS EXCEPT (id)."),
    Refusal(
      name: "a comment on a graph that is a table", setup: school,
      statement: "comment on property graph course is 'x'", state: "42809",
      message: "\"course\" is not a property graph"),
    Refusal(
      name: "columns of a graph", setup: school + graph, statement: "create table t (like g)",
      state: "42809", message: "relation \"g\" is invalid in LIKE clause",
      detail: "This operation is not supported for property graphs."),
  ]

  @Test(
    "What cannot be fails and leaves nothing",
    arguments: definitions + ends + properties + alterations + dependencies)
  func refusal(_ case: Refusal) throws {
    let session = ScriptSession()
    try session.run(`case`.setup)
    let before = session.state.current
    let error = session.failure(`case`.statement)
    #expect(error?.state.code == `case`.state)
    #expect(error?.message == `case`.message)
    #expect(error?.detail == `case`.detail)
    #expect(error?.hint == `case`.hint)
    #expect(session.state.current === before)
  }
}

@Suite("Property graphs hold what was written of them")
struct PropertyGraphTests {
  /// What a script leaves of the graph `g`, a line for each element; nil if it is gone.
  private func elements(after script: String) throws -> [String]? {
    let session = ScriptSession()
    try session.run(script)
    let catalog = session.state.current.catalog
    guard case .graph(let graph)? = catalog.relation(schema: nil, "g") else { return nil }
    return (graph.vertices + graph.edges).map { text(of: $0, in: graph, catalog) }
  }

  /// An element with its key, its ends, and its labels with their properties.
  private func text(
    of element: PropertyGraphDefinition.Element, in graph: PropertyGraphDefinition,
    _ catalog: CatalogSnapshot
  ) -> String {
    let columns = catalog.tables[element.table]?.columns.map(\.name) ?? []
    func names(_ list: [Int]) -> String { list.map { columns[$0] }.joined(separator: ", ") }
    var text = "\(element.name)(\(names(element.key)))"
    if let ends = element.ends {
      for (sign, end) in [(":", ends.source), (" ->", ends.destination)] {
        let vertex = graph.vertices[end.vertex]
        let others = catalog.tables[vertex.table]?.columns.map(\.name) ?? []
        let there = end.vertexColumns.map { others[$0] }.joined(separator: ", ")
        text += "\(sign) \(names(end.columns)) = \(vertex.name).\(there)"
      }
    }
    for label in element.labels {
      let properties = label.properties.map { property in
        switch property.value {
        case .column(let column):
          let own = columns[column]
          return (own == property.name ? own : "\(property.name) = \(own)")
            + " \(property.type.name)"
        case .expression(let expression):
          return "\(property.name) = \(SQLPrinter.text(of: expression)) \(property.type.name)"
        }
      }
      text += "; \(label.name) (\(properties.joined(separator: ", ")))"
    }
    return text
  }

  @Test("Keys and ends come from the tables where they are not written")
  func defaults() throws {
    #expect(
      try elements(after: school + graph) == [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer, title text)",
        "takes(student, course): student = student.id -> course = course.id; takes ()",
      ])
  }

  @Test("All that can be written is kept")
  func everything() throws {
    let script =
      school + """
        create property graph g
          node tables (
            student as s key (id) label person properties (id, public.student.name, 'x' || name as called)
              label named properties (name::varchar(5) as short),
            course properties are all columns except (credits, title))
          relationship tables (
            needs key (course, other)
              source key (course) references course (id)
              destination key (other) references course
              default label properties (course + 1 as next) label link no properties,
            takes source s destination course no properties);
        """
    #expect(
      try elements(after: script) == [
        "s(id); person (id integer, name text, called = 'x' || name text);"
          + " named (short = name::character varying(5) character varying(5))",
        "course(id); course (id integer)",
        "needs(course, other): course = course.id -> other = course.id;"
          + " needs (next = course + 1 integer); link ()",
        "takes(student, course): student = s.id -> course = course.id; takes ()",
      ])
  }

  @Test("Lengths are given up where elements differ in them")
  func modifiers() throws {
    let script = """
      create table a (id int primary key, n varchar(5), m numeric(4, 1));
      create table b (id int primary key, n varchar(9), m numeric(4, 1));
      create property graph g vertex tables (a, b);
      """
    #expect(
      try elements(after: script) == [
        "a(id); a (id integer, n character varying, m numeric(4,1))",
        "b(id); b (id integer, n character varying, m numeric(4,1))",
      ])
  }

  static let changes: [(script: String, elements: [String]?)] = [
    (
      "alter property graph g add vertex tables (needs as n no properties) edge tables (needs source"
        + " key (course) references course destination key (other) references course no properties)",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer, title text)", "n(course, other); n ()",
        "takes(student, course): student = student.id -> course = course.id; takes ()",
        "needs(course, other): course = course.id -> other = course.id; needs ()",
      ]
    ),
    (
      "alter property graph g drop edge tables (takes)",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer, title text)",
      ]
    ),
    (
      "alter property graph g drop vertex tables (student) cascade",
      ["course(id); course (id integer, title text)"]
    ),
    (
      "alter property graph g alter node table course add label a no properties add label b"
        + " properties (credits); alter property graph g alter node table course drop label course;"
        + " alter property graph g alter node table course alter label a add properties (id, id + 1 as"
        + " j); alter property graph g alter node table course alter label a drop properties (id)",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); a (j = id + 1 integer); b (credits integer)",
        "takes(student, course): student = student.id -> course = course.id; takes ()",
      ]
    ),
    ("drop property graph g", nil), ("drop table student, course, takes, needs cascade", []),
    (
      "drop table student cascade", ["course(id); course (id integer, title text)"]
    ),
    (
      "alter table course drop column title cascade",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer)",
        "takes(student, course): student = student.id -> course = course.id; takes ()",
      ]
    ),
    (
      "alter table takes drop column course cascade",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer, title text)",
      ]
    ),
    (
      "alter table takes drop constraint takes_student_fkey, drop constraint takes_pkey",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer, title text)",
        "takes(student, course): student = student.id -> course = course.id; takes ()",
      ]
    ),
    (
      "alter table student rename to pupil; alter table pupil rename column id to number; alter table"
        + " takes rename column student to pupil",
      [
        "student(number); student (id = number integer, name text, born date)",
        "course(id); course (id integer, title text)",
        "takes(pupil, course): pupil = student.number -> course = course.id; takes ()",
      ]
    ),
    (
      "alter table course alter column title type varchar(7)",
      [
        "student(id); student (id integer, name text, born date)",
        "course(id); course (id integer, title character varying(7))",
        "takes(student, course): student = student.id -> course = course.id; takes ()",
      ]
    ),
  ]

  @Test("A graph follows what happens to it and to its tables", arguments: changes.indices)
  func change(_ index: Int) throws {
    let change = Self.changes[index]
    #expect(try elements(after: school + graph + change.script) == change.elements)
  }

  @Test("Columns keep their place when others before them go")
  func shifts() throws {
    let script = """
      create table a (x int, id int primary key, y int, n text);
      create table e (x int, a int references a, y int, b int, n text, primary key (a, b));
      create property graph g vertex tables (a properties (id, n || '!' as loud, n as name))
        edge tables (e source a destination key (b) references a (id) properties (n as note));
      alter table a drop column x, drop column y; alter table e drop column x, drop column y;
      alter table a rename n to m;
      """
    #expect(
      try elements(after: script) == [
        "a(id); a (id integer, loud = m || '!' text, name = m text)",
        "e(a, b): a = a.id -> b = a.id; e (note = n text)",
      ])
  }

  @Test("A label that elements share loses a property in all of them")
  func sharedLabel() throws {
    let script = """
      create table a (id int primary key, n text); create table b (id int primary key, n text);
      create property graph g vertex tables (a label thing, b label thing label b);
      alter table a drop column n cascade;
      """
    #expect(
      try elements(after: script) == [
        "a(id); thing (id integer)", "b(id); thing (id integer); b (id integer, n text)",
      ])
  }

  @Test("New labels of an enumeration come to the properties of its type")
  func enumeration() throws {
    let session = ScriptSession()
    try session.run(
      """
      create type m as enum ('a', 'c'); create table t (id int primary key, m m);
      create property graph g vertex tables (t properties (m, coalesce(m, 'a') as n));
      alter type m add value 'b' before 'c';
      """)
    let catalog = session.state.current.catalog
    guard case .graph(let graph)? = catalog.relation(schema: nil, "g"),
      case .table(let table)? = catalog.relation(schema: nil, "t")
    else {
      Issue.record("the graph is not there")
      return
    }
    #expect(
      graph.vertices[0].properties.map(\.type.type) == [
        table.columns[1].type, table.columns[1].type,
      ])
  }

  @Test("What happens by the way is said")
  func notices() throws {
    let session = ScriptSession()
    try session.run(school + graph + "create temporary table t (id int primary key)")
    try session.run("create property graph h vertex tables (t)")
    #expect(
      session.notices.map(\.message) == [
        "property graph \"h\" will be a temporary property graph"
      ])
    #expect(session.lastTag == "CREATE PROPERTY GRAPH")
    try session.run("alter property graph if exists i rename to j")
    #expect(session.notices.map(\.message) == ["relation \"i\" does not exist, skipping"])
    try session.run("alter property graph if exists i drop vertex tables (a)")
    #expect(session.notices.map(\.message) == ["relation \"i\" does not exist, skipping"])
    #expect(session.lastTag == "ALTER PROPERTY GRAPH")
    try session.run("drop property graph if exists i, h")
    #expect(
      session.notices.map(\.message) == ["property graph \"i\" does not exist, skipping"])
    #expect(session.lastTag == "DROP PROPERTY GRAPH")
    try session.run("drop table student cascade")
    #expect(
      session.notices.first?.detail == """
        drop cascades to constraint takes_student_fkey on table takes
        drop cascades to vertex student of property graph g
        drop cascades to edge takes of property graph g
        """)
  }

  @Test("Transactions take graphs back")
  func rollback() throws {
    let session = ScriptSession()
    try session.run(school + "begin;" + graph + "rollback")
    #expect(session.failure("drop property graph g")?.state == .undefinedTable)
    try session.run(graph + "begin; drop property graph g; savepoint s; rollback;")
    try session.run("begin; alter property graph g drop edge tables (takes); rollback;")
    #expect(session.failure("drop table takes")?.state == .dependentObjectsStillExist)
    try session.run("comment on property graph g is 'a comment'; alter property graph g owner to x")
    try session.run("create schema s; alter property graph g set schema s")
    guard
      case .graph(let graph)? = session.state.current.catalog.relation(schema: "s", "g")
    else {
      Issue.record("the graph is not there")
      return
    }
    #expect(graph.comment == "a comment")
    try session.run("alter schema s rename to r; drop property graph r.g; drop table takes")
  }
}
