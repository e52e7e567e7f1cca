import Catalog
import Junction
import Testing

@testable import JunctionShell

@Suite("Property graphs in the shell")
struct PropertyGraphTests {
  /// A connection to a database with a graph over the sample's tables.
  private func connection() throws -> Connection {
    let connection = try Sample.connection()
    try connection.execute(
      """
      create property graph school
        vertex tables (
          student label student properties (id, name, age + 1 as "Next age") label person properties (name),
          course no properties)
        edge tables (enrols_in as takes source student destination course properties (grade))
      """)
    return connection
  }

  @Test("A graph is described by its element tables, their labels and their ends")
  func description() throws {
    let catalog = try connection().catalog
    guard case .graph(let graph)? = catalog.relation(schema: nil, "school") else {
      Issue.record("the graph is missing")
      return
    }
    let expected = #"""
                                 Property graph "public.school"
       Element |  Kind  |   Table   |          Key          |  Label  |     Properties     
      ---------+--------+-----------+-----------------------+---------+--------------------
       student | vertex | student   | id                    | student | id, name, Next age
               |        |           |                       | person  | name
       course  | vertex | course    | id                    | course  | 
       takes   | edge   | enrols_in | student_id, course_id | takes   | grade
      Edges:
          (student)-[takes]->(course) SOURCE KEY (student_id) REFERENCES student (id) \#
      DESTINATION KEY (course_id) REFERENCES course (id)


      """#
    #expect(
      Sample.printed(ObjectDescription(catalog: catalog, isVerbose: false).graph(graph))
        == expected)
  }

  @Test("The statement that makes a graph makes the same graph again")
  func source() throws {
    let connection = try connection()
    guard case .graph(let graph)? = connection.catalog.relation(schema: nil, "school") else {
      Issue.record("the graph is missing")
      return
    }
    let source = ObjectDescription(catalog: connection.catalog, isVerbose: false).source(of: graph)
    #expect(
      source == """
        CREATE PROPERTY GRAPH public.school
            VERTEX TABLES (
                student KEY (id)
                    LABEL student PROPERTIES (id, name, age + 1 AS "Next age")
                    LABEL person PROPERTIES (name),
                course KEY (id)
                    LABEL course NO PROPERTIES
            )
            EDGE TABLES (
                enrols_in AS takes KEY (student_id, course_id)
                    SOURCE KEY (student_id) REFERENCES student (id)
                    DESTINATION KEY (course_id) REFERENCES course (id)
                    LABEL takes PROPERTIES (grade)
            )
        """)
    try connection.execute("drop property graph school")
    try connection.execute(source)
    guard case .graph(let again)? = connection.catalog.relation(schema: nil, "school") else {
      Issue.record("the graph was not made")
      return
    }
    #expect(
      ObjectDescription(catalog: connection.catalog, isVerbose: false).source(of: again) == source)
  }

  @Test("Graphs are listed, and tables say which they are part of")
  func lists() throws {
    let connection = try connection()
    try connection.execute("comment on property graph school is 'Who learns what'")
    let catalog = connection.catalog
    #expect(
      ObjectLists(catalog: catalog, pattern: nil, isVerbose: false).graphs().rows
        == [["public", "school", "junction"]])
    #expect(
      ObjectLists(catalog: catalog, pattern: nil, isVerbose: true).graphs().rows
        == [["public", "school", "junction", "student\ncourse", "takes", "Who learns what"]])
    #expect(
      ObjectLists(catalog: catalog, pattern: NamePattern("s*"), isVerbose: false)
        .relations("tg").rows.map { $0[1] + " " + $0[2] } == [
          "school property graph", "student table",
        ])
    guard case .table(let table)? = catalog.relation(schema: nil, "enrols_in") else { return }
    let described = ObjectDescription(catalog: catalog, isVerbose: false).table(table)
    #expect(
      described.footerLines.suffix(2) == ["Property graphs:", "    \"school\" AS edge takes"])
  }

  @Test(
    "Words of graphs are completed",
    arguments: [
      ("create prop", ["property graph"]), ("alter property ", ["GRAPH"]),
      ("drop property graph ", ["school"]), ("comment on property graph s", ["school"]),
      ("select * from graph_t", ["graph_table"]), ("select * from graph_table (", ["school", "*"]),
      ("select * from graph_table (s", ["school"]),
      ("select * from graph_table (school ma", ["match"]),
      ("select * from graph_table (school match (a is ", ["course", "person", "student"]),
      ("select * from graph_table (school match (:s", ["student"]),
      ("select * from graph_table (school match (a)-[e is ", ["takes"]),
      (
        "select * from graph_table (school match (a is student | ", ["course", "person", "student"]
      ),
      (
        "select * from graph_table (school match (a is student where a.",
        ["Next age", "id", "name"]
          .map { quotedName($0) }
      ),
      (
        "select * from graph_table (school match (a is person)-[e]->(c) columns (a.", ["name"]
      ),
      ("select * from graph_table (school match (a)-[e]->(b) columns (e.", ["grade"]),
      ("select * from graph_table (school match (abc)-[abd]->(b) where ab", ["abc", "abd"]),
      ("select * from graph_table (school match (a) columns (a.name)) where na", ["name"]),
      (
        "select * from graph_table (* match (a is ", ["course", "enrols_in", "student"]
      ),
      ("select * from graph_table (* match (a is course)->(b) columns (a.", ["id", "title"]),
      ("select * from sch", []), ("\\dG s", ["school"]), ("\\d sc", ["school"]),
    ])
  func completion(text: String, expected: [String]) throws {
    let words = Completer(catalog: try connection().catalog).complete(text).words
    #expect(words.prefix(max(expected.count, 1)) == expected[...])
  }
}
