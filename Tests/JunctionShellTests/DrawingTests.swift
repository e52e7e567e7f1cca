import Catalog
import Diagnostics
import Junction
import Testing

@testable import JunctionShell

@Suite("A drawing of the schema")
struct DrawingTests {
  private func diagram(
    _ schema: String, _ selection: Diagram.Selection = Diagram.Selection()
  ) throws -> Diagram {
    let connection = Database().connect()
    for statement in Shell.statements(of: schema) { try connection.execute(statement) }
    return Diagram(connection.catalog, selection)
  }

  private func text(_ diagram: Diagram, width: Int = 80) -> String {
    TextDrawing(diagram, width: width).lines.joined(separator: "\n")
  }

  // What is drawn.

  @Test("draws a junction table as one edge with its other columns, and no views")
  func junctionAsEdge() throws {
    let diagram = try diagram(Sample.schema)
    #expect(diagram.boxes.map(\.title) == ["course", "student"])
    #expect(diagram.edges.map(\.name) == ["enrols_in"])
    #expect(diagram.edges[0].junction?.columns.map(\.name) == ["grade"])
    #expect(
      text(diagram) == """
        ┌──────────────────┐                 ┌─────────────────┐
        │ course           ├>○─ enrols_in ─○<┤ student         │
        ├──────────────────┤    + grade      ├─────────────────┤
        │ PK id    integer │                 │ PK id   integer │
        │ UK title text    │                 │    name text    │
        └──────────────────┘                 │    age  integer │
                                             └─────────────────┘

        ○< any number
        """)
  }

  @Test("draws a junction table as a box where it is asked for")
  func junctionAsBox() throws {
    let whole = try diagram(Sample.schema, Diagram.Selection(showsJunctions: true))
    #expect(whole.boxes.map(\.title) == ["course", "enrols_in", "student"])
    #expect(whole.edges.map(\.first.multiplicity) == [.exactlyOne, .exactlyOne])
    let named = try diagram(
      Sample.schema,
      Diagram.Selection(patterns: [NamePattern("student"), NamePattern("enrols_in")])
    )
    #expect(named.boxes.map(\.title) == ["enrols_in", "student"])
    #expect(
      text(named) == """
        ┌─────────────────┐     ┌───────────────────────────────┐
        │ student         │     │ enrols_in                     │
        ├─────────────────┤     ├───────────────────────────────┤
        │ PK id   integer ├╫──○<┤ PK,FK student_id integer      │
        │    name text    │     │ PK,FK course_id  integer      │
        │    age  integer │     │       grade      numeric(3,1) │
        └─────────────────┘     └───────────────────────────────┘

        ─╫ exactly one   ○< any number
        """)
  }

  @Test("keeps a junction table that others refer to, or that links three tables, as a box")
  func junctionsWithALife() throws {
    let referred = try diagram(
      Sample.schema + """
        create table mark (s int, c int, at date, foreign key (s, c) references enrols_in);
        """)
    #expect(referred.boxes.map(\.title) == ["course", "enrols_in", "mark", "student"])
    let three = try diagram(
      """
      create table a (id int primary key); create table b (id int primary key);
      create table c (id int primary key);
      create table abc (a int references a, b int references b, c int references c,
        primary key (a, b, c));
      """)
    #expect(three.boxes.map(\.title) == ["a", "abc", "b", "c"])
    #expect(three.edges.allSatisfy { $0.junction == nil })
  }

  @Test("says how many rows may stand at each end")
  func multiplicities() throws {
    let diagram = try diagram(
      """
      create table p (id int primary key);
      create table c (a int references p, b int not null references p, c int unique references p,
        d int primary key references p);
      """)
    let ends = diagram.edges.map { [$0.first.multiplicity, $0.second.multiplicity] }
    #expect(
      ends == [
        [.zeroOrOne, .zeroOrMany], [.exactlyOne, .zeroOrMany], [.zeroOrOne, .zeroOrOne],
        [.exactlyOne, .zeroOrOne],
      ])
  }

  @Test("loops for relations of a table to itself, and tells several junctions apart")
  func selfRelationsAndSeveralJunctions() throws {
    let diagram = try diagram(
      """
      create table person (id int primary key, boss int references person);
      create table follows (a int references person, b int references person, primary key (a, b));
      create table club (id int primary key);
      create table member (p int references person, c int references club, primary key (p, c));
      create table leads (p int references person, c int references club, since date,
        primary key (p, c));
      """)
    #expect(diagram.edges.count { $0.isSelfRelation } == 2)
    #expect(
      text(diagram) == """
        ┌───────────────┐
        │ club          ├>○── leads ──╮   ┌─────────────────┐
        ├───────────────┤     + since ╰─○<┤ person          ├>○──╮
        │ PK id integer ├>○─╮             ├─────────────────┤    │
        └───────────────┘   ╰ member ───○<┤ PK id   integer ├┼○╮ ├ follows
                                          │ FK boss integer ├>○╯ │
                                          │                 ├>○──╯
                                          └─────────────────┘

        ○┼ none or one   ○< any number
        """)
  }

  @Test("numbers foreign keys of several columns, and names other schemas")
  func compositeKeysAndSchemas() throws {
    let diagram = try diagram(
      """
      create table pair (a int, b int, primary key (a, b));
      create schema other;
      create table other.child (id int primary key, a int, b int, c int, d int,
        foreign key (a, b) references pair, foreign key (c, d) references pair);
      """)
    #expect(diagram.boxes.map(\.title) == ["other.child", "pair"])
    #expect(diagram.boxes[0].columns.map(\.marks) == [["PK"], ["FK1"], ["FK1"], ["FK2"], ["FK2"]])
    #expect(
      text(diagram) == """
                              ┌────────────────┐
                              │ other.child    │
        ┌──────────────┐      ├────────────────┤
        │ pair         │      │ PK  id integer │
        ├──────────────┤  ╭┬○<┤ FK1 a  integer │
        │ PK a integer ├┼○╯│  │ FK1 b  integer │
        │ PK b integer │   ╰○<┤ FK2 c  integer │
        └──────────────┘      │ FK2 d  integer │
                              └────────────────┘

        ○┼ none or one   ○< any number
        """)
  }

  @Test("tells tables of one name apart by their schemas")
  func hiddenTables() throws {
    let diagram = try diagram(
      "create table a (x int); create temp table a (y int); create table b (z int);")
    #expect(diagram.boxes.map(\.title) == ["pg_temp.a", "public.a", "b"])
  }

  @Test("says in words what has no room")
  func narrow() throws {
    #expect(
      text(try diagram(Sample.schema), width: 20) == """
        ┌──────────────────┐
        │ course           │
        ├──────────────────┤
        │ PK id    integer │
        │ UK title text    │
        └──────────────────┘
          course <-> student through enrols_in (grade)

        ┌─────────────────┐
        │ student         │
        ├─────────────────┤
        │ PK id   integer │
        │    name text    │
        │    age  integer │
        └─────────────────┘
          student <-> course through enrols_in (grade)
        """)
  }

  @Test("shows less of tables, folds layers and numbers labels before it gives up")
  func little() throws {
    let chain = try diagram(
      """
      create table a (id int primary key, note text);
      create table b (id int primary key, a int references a, note text);
      create table c (id int primary key, b int references b, note text);
      create table d (id int primary key, c int references c, note text);
      create table c_with_d (c int references c, d int references d, primary key (c, d));
      """)
    #expect(
      text(chain, width: 44) == """
                                    ┌─────────┐
        ┌─────────┐                 │ b       │
        │ a       │                 ├─────────┤
        ├─────────┤                 │ PK id   ├┼○╮
        │ PK id   ├┼○─────────────○<┤ FK a    │  │
        │    note │                 │    note │  │
        └─────────┘                 └─────────┘  │
                                                 │
                                                 │
        ┌─────────┐                              │
        │ d       ├>○─ c_with_d ╮   ┌─────────┐  │
        ├─────────┤             ╰─○<┤ c       │  │
        │ PK id   │                 ├─────────┤  │
        │ FK c    ├>○─────────────○┼┤ PK id   │  │
        │    note │                 │ FK b    ├>○╯
        └─────────┘                 │    note │
                                    └─────────┘

        ○┼ none or one   ○< any number
        """)
    #expect(
      text(chain, width: 32) == """
        ┌───┐               ┌───┐
        │ a ├┼○───────────○<┤ b ├┼○╮
        └───┘               └───┘  │
                                   │
                                   │
                ╭────────╮         │
        ┌───┐   │        │  ┌───┐  │
        │ d ├>○─╯╭ (1) ╮ ╰○┼┤ c ├>○╯
        ├───┤    │     │    ├───┤
        │   ├>○──╯     ╰──○<┤   │
        └───┘               └───┘

        (1) c_with_d

        ○┼ none or one   ○< any number
        """)
  }

  // Names.

  private static let odd = #"""
    create table "Odd ""Name"" <b>" ("the id" int primary key, "a&b" text, "select" int);
    create table "学生" (id int primary key, "名字" text not null, "e\f" numeric(10,2));
    create table "link <i>" ("学" int references "学生", o int references "Odd ""Name"" <b>",
      "since & when" date, primary key ("学", o));
    """#

  @Test("counts wide characters as two cells")
  func oddNamesInText() throws {
    let lines = TextDrawing(try diagram(Self.odd), width: 80).lines
    #expect(
      lines.joined(separator: "\n") == #"""
        ┌───────────────────┐                      ┌───────────────────────┐
        │ Odd "Name" <b>    ├>○─ link <i> ───────○<┤ 学生                  │
        ├───────────────────┤    + since & when    ├───────────────────────┤
        │ PK the id integer │                      │ PK id   integer       │
        │    a&b    text    │                      │    名字 text          │
        │    select integer │                      │    e\f  numeric(10,2) │
        └───────────────────┘                      └───────────────────────┘

        ○< any number
        """#)
  }

  @Test("writes names for mermaid so that none means anything")
  func mermaid() throws {
    #expect(
      MermaidDrawing(try diagram(Self.odd)).text == #"""
        erDiagram
          "Odd &quot;Name&quot; &lt;b&gt;" {
            integer the_id PK "the id"
            text a_b "a&amp;b"
            integer select
          }
          "学生" {
            integer id PK
            text 名字
            numeric(10_2) e_f "e&bsol;f"
          }
          "学生" }o--o{ "Odd &quot;Name&quot; &lt;b&gt;" : "link &lt;i&gt; (since &amp; when)"

        """#)
  }

  @Test("writes names for Graphviz in entities and escapes")
  func dot() throws {
    let text = DotDrawing(try diagram(Self.odd), title: "a \"b\\").text
    #expect(text.hasPrefix(#"digraph "a \"b\\" {"#))
    #expect(text.contains("<B>Odd &quot;Name&quot; &lt;b&gt;</B>"))
    #expect(text.contains(#"tooltip="Odd \"Name\" <b>""#))
    #expect(text.contains("<TD ALIGN=\"LEFT\">a&amp;b</TD>"))
    #expect(
      text.contains(
        "t1:t -> t0:t [arrowtail=crowodot, arrowhead=crowodot, edgetooltip=\"link <i>\", "
          + "label=\"link <i>\\n+ since & when\"];"))
  }

  // Requests.

  @Test(
    "is asked for by words",
    arguments: [
      ([], "false [] text nil"), (["full"], "true [] text nil"),
      (["svg", "a b.svg"], "false [] svg a b.svg"),
      (["full", "student", "dot"], "true [\"student\"] dot nil"),
      (["\"svg\"", "st*"], "false [\"\\\"svg\\\"\", \"st*\"] text nil"),
      (["text", "html"], "false [] text html"),
    ])
  func requests(words: [String], expected: String) throws {
    let request = try DrawingRequest(words)
    #expect(
      "\(request.isFull) \(request.tables) \(request.format) \(request.path ?? "nil")" == expected)
  }

  @Test("refuses what follows the file")
  func extraWords() {
    #expect(throws: SQLError.self) { try DrawingRequest(["svg", "file", "more"]) }
  }
}
