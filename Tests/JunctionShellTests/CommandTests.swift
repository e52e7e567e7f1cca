import Catalog
import Junction
import Testing

@testable import JunctionShell

@Suite("Commands and options")
struct CommandTests {
  @Test("Arguments lose their quotes and take in variables")
  func arguments() {
    let variables = VariableTable(["x": "it's"])
    let (command, rest) = MetaCommand.parse(
      "echo 'a b' :x :'x' :\"x\" \"C d\" :none \\q", variables: variables)
    #expect(command.name == "echo")
    #expect(command.arguments == ["a b", "it's", "'it''s'", "\"it's\"", "\"C d\"", ":none"])
    #expect(rest == "\\q")
  }

  @Test(
    "Variables are put into statements outside of quotes",
    arguments: [
      ("select :n", "select 7"), ("select ':n'", "select ':n'"),
      ("select 1::int", "select 1::int"), ("select :'n'", "select '7'"),
      ("select :{?n}", "select TRUE"), ("select 1 -- :n", "select 1 -- :n"),
    ])
  func interpolation(text: String, expected: String) {
    #expect(Interpolation.expand(text, VariableTable(["n": "7"])) == expected)
  }

  @Test("Options are read as psql reads them")
  func options() throws {
    let options = try ShellOptions([
      "-XqAt", "-F,", "-c", "select 1", "--file=x.sql", "-vON_ERROR_STOP=1", "-P", "null=-",
      "folder",
    ])
    #expect(options.skipsStartFile && options.isQuiet && options.print.tuplesOnly)
    #expect(options.print.format == .unaligned && options.print.fieldSeparator == ",")
    #expect(options.actions == [.command("select 1"), .file("x.sql")])
    #expect(options.variables.map(\.name) == ["ON_ERROR_STOP"])
    #expect(options.print.null == "-" && options.database == "folder")
  }

  @Test(
    "A pattern fits names",
    arguments: [
      ("student", "student", true), ("STUDENT", "student", true), ("\"Student\"", "student", false),
      ("st*", "student", true), ("*d*t", "student", true), ("stu?ent", "student", true),
      ("stu?", "student", false), ("public.*", "student", true), ("other.*", "student", false),
    ])
  func patterns(pattern: String, name: String, fits: Bool) {
    #expect(NamePattern(pattern).matches(ObjectName(name)) == fits)
  }

  @Test("Only the branch that is true is run")
  func conditions() {
    var stack = ConditionStack()
    stack.begin(false)
    #expect(!stack.isActive)
    let tookElif = stack.otherwise(if: true)
    #expect(tookElif && stack.isActive)
    let tookElse = stack.otherwise()
    #expect(tookElse && !stack.isActive)
    let tookSecondElse = stack.otherwise()
    #expect(!tookSecondElse)
  }

  @Test(
    "Dot commands stand for backslash commands",
    arguments: [
      ("tables", [], "\\dt"), ("tables", ["st%"], "\\dt st*"),
      ("mode", ["csv"], "\\x off \\pset format csv"),
      ("mode", ["line"], "\\pset format aligned \\x on"), ("read", ["a.sql"], "\\i 'a.sql'"),
      ("headers", ["off"], "\\t on"), ("timer", ["on"], "\\timing on"),
      ("import", ["a b.csv", "t", "--skip", "1"], "\\import 'a b.csv' t header"),
    ])
  func dotCommands(name: String, words: [String], line: String) {
    #expect(DotCommand.named(name)?.translate(words) == .line(line))
  }

  @Test("Words of dot commands are held together by quotes")
  func dotWords() {
    #expect(DotCommand.words(of: "print 'a b' \"c\"d;") == ["print", "a b", "cd"])
  }

  @Test(
    "\\copy takes files as the system's shell names them",
    arguments: [
      ("t from a.csv csv header", "t", CopyCommand.End.file("a.csv"), "csv header"),
      ("t (a, b) to 'a b'", "t (a, b)", .file("a b"), ""),
      ("(select 'from' from t) to stdout;", "(select 'from' from t)", .here, ""),
      ("t from program 'echo ''1''' csv", "t", .program("echo '1'"), "csv"),
      ("binary t from pstdin", "binary t", .standard, ""),
    ])
  func copyCommand(text: String, subject: String, end: CopyCommand.End, options: String) throws {
    let command = try CopyCommand(text)
    #expect(command.subject == subject && command.end == end && command.options == options)
  }

  @Test("No two commands have the same name, and help has a line for each")
  func commandTable() {
    let commands = CommandTable.sections.flatMap(\.commands) + CommandTable.absent
    let names = commands.flatMap(\.names)
    #expect(Set(names).count == names.count)
    for name in names { #expect(CommandTable.command(named: name) != nil) }
    for line in CommandTable.text.split(separator: "\n") { #expect(line.count < 110, "\(line)") }
  }

  @Test("A foreign key is spelled as an export spells it, but for schemas that need no name")
  func foreignKeys() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE SCHEMA old;
      CREATE TABLE old.place (a int, "B c" int, PRIMARY KEY (a, "B c"));
      CREATE TABLE town (x int, y int, PRIMARY KEY (x, y));
      CREATE TABLE house (a int, b int, c int DEFAULT 1,
        CONSTRAINT in_place FOREIGN KEY (a, b) REFERENCES old.place MATCH FULL
          ON UPDATE CASCADE ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
        CONSTRAINT in_town FOREIGN KEY (a, c) REFERENCES town ON UPDATE RESTRICT
          ON DELETE SET DEFAULT (c) DEFERRABLE);
      """)
    let catalog = connection.catalog
    guard case .table(let house)? = catalog.relation(schema: nil, "house") else {
      Issue.record("the table is missing")
      return
    }
    let place =
      "FOREIGN KEY (a, b) REFERENCES old.place(a, \"B c\") MATCH FULL ON UPDATE CASCADE"
      + " ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED"
    let town =
      "(x, y) ON UPDATE RESTRICT ON DELETE SET DEFAULT (c) DEFERRABLE"
    let described = Sample.printed(
      ObjectDescription(catalog: catalog, isVerbose: false).table(house))
    #expect(described.contains("\"in_place\" \(place)\n"))
    #expect(described.contains("\"in_town\" FOREIGN KEY (a, c) REFERENCES town\(town)\n"))
    let exported = try connection.query("EXPORT").map { row in
      if case .text(let text)? = row["sql"] { text } else { "" }
    }
    #expect(exported.contains { $0.hasSuffix("ADD CONSTRAINT in_place \(place);") })
    #expect(exported.contains { $0.hasSuffix("FOREIGN KEY (a, c) REFERENCES public.town\(town);") })
  }

  @Test("Cardinality constraints and keys that are not enforced are described as they are written")
  func ownConstraints() throws {
    let connection = Database().connect()
    try connection.execute(
      """
      CREATE TABLE room (id int PRIMARY KEY);
      CREATE TABLE desk (room int REFERENCES room, old int REFERENCES room NOT ENFORCED,
        CARDINALITY (room) BETWEEN 0 AND 4, CONSTRAINT few CARDINALITY (room) BETWEEN 0 AND 5);
      """)
    guard case .table(let desk)? = connection.catalog.relation(schema: nil, "desk") else {
      Issue.record("the table is missing")
      return
    }
    let described = Sample.printed(
      ObjectDescription(catalog: connection.catalog, isVerbose: false).table(desk))
    #expect(
      described.contains(
        """
        Foreign-key constraints:
            "desk_old_fkey" FOREIGN KEY (old) REFERENCES room(id) NOT ENFORCED
            "desk_room_fkey" FOREIGN KEY (room) REFERENCES room(id)
        Cardinality constraints:
            "desk_room_cardinality" CARDINALITY (room) BETWEEN 0 AND 4
            "few" CARDINALITY (room) BETWEEN 0 AND 5

        """))
  }

  @Test("A table is described with its keys, constraints and relationships")
  func description() throws {
    let catalog = try Sample.connection().catalog
    guard case .table(let table)? = catalog.relation(schema: nil, "enrols_in") else {
      Issue.record("the table is missing")
      return
    }
    let described = ObjectDescription(catalog: catalog, isVerbose: false).table(table)
    let expected = """
                        Table "public.enrols_in"
         Column   |     Type     | Collation | Nullable | Default 
      ------------+--------------+-----------+----------+---------
       student_id | integer      |           | not null | 
       course_id  | integer      |           | not null | 
       grade      | numeric(3,1) |           |          | 
      Indexes:
          "enrols_in_pkey" PRIMARY KEY, hash (student_id, course_id)
      Foreign-key constraints:
          "enrols_in_course_id_fkey" FOREIGN KEY (course_id) REFERENCES course(id)
          "enrols_in_student_id_fkey" FOREIGN KEY (student_id) REFERENCES student(id) \
      ON DELETE CASCADE
      Relationships:
          enrols_in -> course (course_id)
          enrols_in -> student (student_id)
          student <-> course through enrols_in


      """
    #expect(Sample.printed(described) == expected)
  }
}
