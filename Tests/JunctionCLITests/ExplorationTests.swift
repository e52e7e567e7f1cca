import Foundation
import Testing

#if os(Linux)
  @Suite("Walking from row to row")
  struct ExplorationTests {
    /// What the tool writes for a script on its standard input.
    private func run(
      _ script: String, _ arguments: [String] = ["-X", "-q"]
    ) throws -> (output: String, errors: String) {
      let process = Process()
      let (input, output, errors) = (Pipe(), Pipe(), Pipe())
      process.executableURL = URL(fileURLWithPath: PseudoTerminal.tool)
      process.arguments = arguments
      process.standardInput = input
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      input.fileHandleForWriting.write(Data(script.utf8))
      try input.fileHandleForWriting.close()
      let printed = output.fileHandleForReading.readDataToEndOfFile()
      let complained = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (String(decoding: printed, as: UTF8.self), String(decoding: complained, as: UTF8.self))
    }

    private static let school = """
      create table teacher (id int primary key, name text);
      create table course (id int primary key, title text, teacher_id int references teacher);
      create table student (id int primary key, name text);
      create table enrols_in (student_id int references student, course_id int references course,
        grade int, primary key (student_id, course_id));
      insert into teacher values (1, 'Ada');
      insert into course values (1, 'Algebra', 1), (2, 'Biology', null);
      insert into student values (5, 'Jane'), (6, 'John');
      insert into enrols_in values (5, 1, 9), (5, 2, 7), (6, 1, 8);

      """

    @Test("goes to a row, into related ones without end, and back")
    func walk() throws {
      let script =
        Self.school + #"""
          \nav course 1
          \into student
          \into student 5
          \into course 2
          \stack
          \up
          \up 1
          \into teacher
          """#
      let result = try run(script)
      #expect(
        result.output == """
          course 1
          -[ RECORD 1 ]-------
          id         | 1
          title      | Algebra
          teacher_id | 1

          Into:
            1  teacher (1)  by teacher_id
            2  student (2)  via enrols_in

          student of course 1 via enrols_in
           id | name | grade 
          ----+------+-------
            5 | Jane |     9
            6 | John |     8
          (2 rows)

          course 1 > student 5
          -[ RECORD 1 ]
          id   | 5
          name | Jane

          Into:
            1  course (2)  via enrols_in

          course 1 > student 5 > course 2
          -[ RECORD 1 ]-------
          id         | 2
          title      | Biology
          teacher_id | 

          Into:
            1  teacher (0)  by teacher_id
            2  student (1)  via enrols_in

          course 1
            student 5  via enrols_in
              course 2  via enrols_in
          course 1 > student 5
          -[ RECORD 1 ]
          id   | 5
          name | Jane

          Into:
            1  course (2)  via enrols_in

          course 1
          -[ RECORD 1 ]-------
          id         | 1
          title      | Algebra
          teacher_id | 1

          Into:
            1  teacher (1)  by teacher_id
            2  student (2)  via enrols_in

          course 1 > teacher 1
          -[ RECORD 1 ]
          id   | 1
          name | Ada

          Into:
            1  course (1)  by course.teacher_id


          """)
      #expect(result.errors == "")
    }

    @Test("takes composite keys, odd names and values, and tables without a key")
    func oddNames() throws {
      let script = #"""
        create table "Odd ""Name"" <b>" ("the id" text primary key, "姓名" text);
        create table "学生" (a int, b text, primary key (a, b));
        create table "link <i>" (o text references "Odd ""Name"" <b>", a int, b text,
          term int, foreign key (a, b) references "学生", primary key (o, a, b, term));
        create table bare (x int, y text);
        insert into "Odd ""Name"" <b>" values ('it''s <b>; --', '李');
        insert into "学生" values (1, 'x y');
        insert into "link <i>" values ('it''s <b>; --', 1, 'x y', 1), ('it''s <b>; --', 1, 'x y', 2);
        insert into bare values (1, null), (1, null);
        \nav "Odd ""Name"" <b>" 'it''s <b>; --'
        \into "学生" 1 'x y'
        \into 1
        \into "link <i>"
        \nav bare
        """#
      let result = try run(script)
      #expect(
        result.output == """
          "Odd ""Name"" <b>" 'it''s <b>; --'
          -[ RECORD 1 ]--------
          the id | it's <b>; --
          姓名   | 李

          Into:
            1  "学生" (1)  via "link <i>"

          "Odd ""Name"" <b>" 'it''s <b>; --' > "学生" 1 'x y'
          -[ RECORD 1 ]
          a | 1
          b | x y

          Into:
            1  "Odd ""Name"" <b>" (1)  via "link <i>"

          "Odd ""Name"" <b>" of "学生" 1 'x y' via "link <i>"
              the id    | 姓名 
          --------------+------
           it's <b>; -- | 李
          (1 row)

          "Odd ""Name"" <b>" of "学生" 1 'x y' via "link <i>"
              the id    | 姓名 
          --------------+------
           it's <b>; -- | 李
          (1 row)

           bare
           x | y 
          ---+---
           1 | 
           1 | 
          (2 rows)


          """)
      #expect(result.errors == "")
    }

    @Test("tells relationships between the same tables apart by their columns")
    func ambiguity() throws {
      let script = #"""
        create table person (id int primary key, boss int references person,
          buddy int references person);
        create table follows (follower int references person, followed int references person,
          primary key (follower, followed));
        insert into person values (1, null, null), (2, 1, 1), (3, 1, 2);
        insert into follows values (2, 1), (3, 1), (1, 3);
        \nav person 1
        \into person
        \into boss
        \into person.boss
        \into follower 2
        """#
      let result = try run(script)
      #expect(
        result.output == """
          person 1
          -[ RECORD 1 ]
          id    | 1
          boss  | 
          buddy | 

          Into:
            1  boss (0)          person by boss
            2  buddy (0)         person by buddy
            3  person.boss (2)   person by person.boss
            4  person.buddy (1)  person by person.buddy
            5  follower (2)      person via follows to follower
            6  followed (1)      person via follows to followed

          person of person 1 by person.boss
           id | boss | buddy 
          ----+------+-------
            2 |    1 |     1
            3 |    1 |     2
          (2 rows)

          person 1 > person 2
          -[ RECORD 1 ]
          id    | 2
          boss  | 1
          buddy | 1

          Into:
            1  boss (1)          person by boss
            2  buddy (1)         person by buddy
            3  person.boss (0)   person by person.boss
            4  person.buddy (1)  person by person.buddy
            5  follower (0)      person via follows to follower
            6  followed (1)      person via follows to followed


          """)
      #expect(
        result.errors == """
          person 1 has more than one relationship person
          HINT:  Say which: boss, buddy, person.boss, person.buddy, follower, followed.
          person 1 has no person by boss
          HINT:  \\explore shows where it leads.

          """)
    }

    @Test(
      "says what to do instead",
      arguments: [
        (
          "\\into student", "there is no current row",
          "Go to one with \\nav TABLE KEY; \\explore lists the tables."
        ),
        (
          "\\up", "there is no current row",
          "Go to one with \\nav TABLE KEY; \\explore lists the tables."
        ),
        ("\\nav cuorse 1", "there is no table cuorse", "Perhaps you meant course."),
        ("\\nav course 9", "there is no row course 9", "\\nav course lists the rows of the table."),
        (
          "\\nav enrols_in 5", "the key of enrols_in has 2 columns, but 1 value was given",
          "Give a value for each of: student_id, course_id."
        ),
        (
          "\\nav course 1\n\\into studnet 5", "course 1 has no relationship studnet",
          "Perhaps you meant student."
        ),
        (
          "\\nav course 2\n\\into student 6", "student 6 is not related to course 2 via enrols_in",
          "\\into student lists those that are; \\nav goes to any row."
        ),
        (
          "\\nav course 2\n\\into teacher", "course 2 has no teacher by teacher_id",
          "\\explore shows where it leads."
        ),
        (
          "\\nav course 1\n\\up", "course 1 is the first row, so there is nothing to go back to",
          "\\stack shows the way; \\nav TABLE KEY begins another one."
        ),
        (
          "\\nav course 1\n\\into", "\\into: missing the name of a relationship",
          "There are: teacher, student."
        ),
        ("\\erd stduent", "\\erd: there is no table stduent", "Perhaps you meant student."),
        ("\\erd svgg", "\\erd: there is no table svgg", "Perhaps you meant svg."),
        (
          "create table \"Mixed\" ();\n\\nav mixed", "there is no table mixed",
          "Perhaps you meant \"Mixed\"."
        ),
      ])
    func complaints(commands: String, message: String, hint: String) throws {
      let result = try run(Self.school + commands + "\n")
      #expect(result.errors == "\(message)\nHINT:  \(hint)\n")
    }

    @Test("gives programs a row and its relationships as two results")
    func formats() throws {
      let result = try run(
        Self.school + "\\pset format csv\n\\nav course 2\n\\pset format json\n\\explore\n")
      #expect(
        result.output == """
          id,title,teacher_id
          2,Biology,
          relationship,rows,route
          teacher,0,by teacher_id
          student,1,via enrols_in
          [{"id": 2, "title": "Biology", "teacher_id": null}]
          [{"relationship": "teacher", "rows": 0, "route": "by teacher_id"},
           {"relationship": "student", "rows": 1, "route": "via enrols_in"}]

          """)
    }

    @Test("lists the tables where there is no row yet, and shows its statements on request")
    func tables() throws {
      let result = try run(
        Self.school + "\\explore\n\\set ECHO_HIDDEN on\n\\nav student 6\n")
      #expect(
        result.output == """
                            Tables to explore
             Table   |          Key          |    Leads into    
          -----------+-----------------------+------------------
           course    | id                    | teacher, student
           enrols_in | student_id, course_id | course, student
           student   | id                    | course
           teacher   | id                    | course
          \\nav TABLE KEY goes to a row.

          ********* QUERY **********
          SELECT * FROM public.student WHERE id = '6' LIMIT 1
          **************************

          ********* QUERY **********
          SELECT count(*) FROM public.enrols_in AS j WHERE j.student_id = '6' AND j.course_id IS NOT NULL
          **************************

          student 6
          -[ RECORD 1 ]
          id   | 6
          name | John

          Into:
            1  course (1)  via enrols_in


          """)
    }

    @Test("draws into files")
    func drawings() throws {
      let path = NSTemporaryDirectory() + "junction-erd-\(UUID().uuidString).svg"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let result = try run(Self.school + "\\set QUIET off\n\\erd svg \(path)\n", ["-X", "-q"])
      #expect(result.output == "The drawing is in \"\(path)\".\n")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasPrefix("<svg ") && text.hasSuffix("</svg>\n"))
    }

    @Test("asks for numbers at a terminal")
    func dialogue() throws {
      let terminal = try PseudoTerminal(
        ["-X"], columns: 80, rows: 40,
        environment: ["HOME": "/nonexistent", "TERM": "xterm", "PAGER": "", "LANG": "C.UTF-8"])
      try terminal.wait("prompt") { $0.lines.last?.hasSuffix("=>") ?? false }
      for line in Self.school.split(separator: "\n") { terminal.type(line + "\r") }
      try terminal.wait(forLine: "INSERT 0 3")
      terminal.type("\\explore\r")
      try terminal.wait(for: "explore>")
      terminal.type("1\r")
      try terminal.wait(forLine: "(2 rows)", then: "explore>")
      terminal.type("2\r")
      try terminal.wait(for: "course 2>")
      terminal.type("student\r")
      try terminal.wait(forLine: "(1 row)", then: "course 2>")
      terminal.type("1\r")
      try terminal.wait(for: "student 5>")
      terminal.type("nope\r")
      try terminal.wait(forLine: "student 5 has no relationship nope", then: "student 5>")
      terminal.type("u\r")
      try terminal.wait(for: "course 2>")
      terminal.type("q\r")
      try terminal.wait(for: "junction=>")
      terminal.type("\\stack\r")
      try terminal.wait(forLine: "course 2")
    }
  }
#endif
