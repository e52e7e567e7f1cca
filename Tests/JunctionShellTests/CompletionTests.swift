import Junction
import Testing

@testable import JunctionShell

@Suite("Completion")
struct CompletionTests {
  private func words(_ text: String) throws -> [String] {
    Completer(catalog: try Sample.connection().catalog, variables: ["FETCH_COUNT"])
      .complete(text).words
  }

  @Test(
    "After a join the condition of the foreign key is offered whole",
    arguments: [
      (
        "select * from student join enrols_in ", "ON enrols_in.student_id = student.id"
      ),
      ("select * from student s join enrols_in e ", "ON e.student_id = s.id"),
      ("select * from student as s join enrols_in as e o", "on e.student_id = s.id"),
      ("select * from enrols_in e join course c ", "ON c.id = e.course_id"),
      (
        "select * from student s join enrols_in e on e.student_id = s.id join course c ",
        "ON c.id = e.course_id"
      ),
    ])
  func foreignKeyCondition(text: String, condition: String) throws {
    #expect(try words(text) == [condition])
  }

  @Test("After ON the condition comes before the columns")
  func conditionAfterOn() throws {
    let words = try words("select * from student s join enrols_in e on ")
    #expect(words.first == "e.student_id = s.id")
  }

  @Test("After \\into the relationships of the current row are offered")
  func relationships() throws {
    let completer = Completer(
      catalog: try Sample.connection().catalog, relationships: ["course", "\"Odd one\""])
    #expect(completer.complete("\\into co").words == ["course"])
    #expect(completer.complete("\\into ").words == ["course", "\"Odd one\""])
  }

  @Test("After JOIN related tables come first")
  func relatedTables() throws {
    #expect(try words("select * from course join ").first == "enrols_in")
  }

  @Test("The tables may be named behind the cursor")
  func tablesBehindCursor() throws {
    let completer = Completer(catalog: try Sample.connection().catalog)
    #expect(
      completer.complete("select ", before: " from course; select 1 from student").words
        == ["id", "title"])
    #expect(completer.complete("select ").words == [])
    #expect(completer.complete("select gra").words == ["grade"])
  }

  @Test(
    "Words that must follow are offered",
    arguments: [
      ("drop ta", ["table"]), ("select * from student order ", ["BY"]),
      ("alter table student DROP", ["DROP COLUMN"]),
      ("alter table course drop column ti", ["title"]),
      ("create index on course (", ["id", "title"]), ("select * from student left j", ["join"]),
      ("create table x (a int references course (tit", ["title"]),
    ])
  func wordsThatFollow(text: String, expected: [String]) throws {
    #expect(try words(text) == expected)
  }

  @Test(
    "Settings and their values are offered",
    arguments: [
      ("set timez", ["timezone"]), ("SET timezone ", ["TO"]), ("set datestyle to i", ["iso"]),
      ("set intervalstyle = p", ["postgres", "postgres_verbose"]),
      ("set local timez", ["timezone"]), ("show search_p", ["search_path"]),
      ("set timezone to 'Europe/Ber", ["Europe/Berlin'"]),
    ])
  func settings(text: String, expected: [String]) throws {
    #expect(try words(text) == expected)
  }

  @Test(
    "Keywords are completed in the case that is asked for",
    arguments: [
      ("lower", "SELEC", "select"), ("upper", "selec", "SELECT"),
      ("preserve-lower", "SELEC", "SELECT"),
      ("preserve-upper", "selec", "select"),
    ])
  func keywordCase(setting: String, text: String, word: String) throws {
    let completer = Completer(catalog: try Sample.connection().catalog, keywordCase: setting)
    #expect(completer.complete(text).words == [word])
  }

  @Test("Behind an open quote names stand in quotes")
  func quotedNames() throws {
    let connection = try Sample.connection()
    try connection.execute("create table \"Odd one\" (\"A b\" int)")
    let completer = Completer(catalog: connection.catalog)
    #expect(completer.complete("select * from \"Od").words == ["\"Odd one\""])
    #expect(completer.complete("select * from \"Odd o").words == ["\"Odd one\""])
    #expect(completer.complete("select \"A").words == ["\"A b\"", "\"age\""])
    #expect(completer.complete("select * from \"stu").words == ["\"student\""])
    #expect(completer.complete("\\d \"Odd o").words == ["\"Odd one\""])
  }

  @Test("Behind the parenthesis of a function its arguments are shown")
  func arguments() throws {
    let completer = Completer(catalog: try Sample.connection().catalog)
    let completion = completer.complete("select left(")
    #expect(completion.words.isEmpty && completion.notes == ["left(text, integer) → text"])
    #expect(completer.complete("select substr").words.contains("substring("))
    #expect(completer.complete("select substring", before: "(x)").words == ["substring"])
  }

  @Test(
    "Commands with a dot, variables and words of commands are offered",
    arguments: [
      (".tab", [".tables"]), (".mode mark", ["markdown"]), (".tables cou", ["course"]),
      ("select :FETCH", ["FETCH_COUNT"]), ("\\set VERBO", ["VERBOSITY"]),
      ("\\set VERBOSITY t", ["terse"]), ("\\h trunc", ["truncate"]),
      ("\\h alter pro", ["property graph"]), ("\\copy stu", ["student"]),
      ("\\copy student f", ["from"]), ("\\plot hist", ["histogram"]),
      ("\\graph enr", ["enrols_in"]),
      ("\\? opt", ["options"]), ("\\x a", ["auto"]), ("\\dn pub", ["public"]),
      ("\\dv ", ["attendance"]), ("\\ef ", []),
    ])
  func commandWords(text: String, expected: [String]) throws {
    #expect(try words(text) == expected)
  }

  @Test(
    "Names fit the place",
    arguments: [
      ("select * from st", ["student"]), ("insert into cou", ["course"]),
      ("select s. from student s where s.na", ["name"]),
      ("select * from attendance where cour", ["course_id"]), ("selec", ["select"]),
      ("SELEC", ["SELECT"]), ("\\pset for", ["format"]), ("\\pset format un", ["unaligned"]),
      ("\\d cou", ["course"]), ("\\set FETCH", ["FETCH_COUNT"]), ("\\timi", ["\\timing"]),
      ("\\erd s", ["svg", "student"]), ("\\graph student h", ["html"]),
      ("\\erd full m", ["mermaid"]), ("\\erd svg /nowhere", []),
      ("\\nav en", ["enrols_in"]), ("\\explore stu", ["student"]), ("\\nav course 1", []),
      ("\\expl", ["\\explore"]), ("\\into ", []),
      ("select 'st", []),
      ("select 1 -- st", []), ("select 1 \\gs", ["\\gset"]),
      ("select 1\nfrom st", ["student"]), ("/* it's */ select * from st", ["student"]),
    ])
  func namesFitThePlace(text: String, expected: [String]) throws {
    #expect(try words(text) == expected)
  }
}
