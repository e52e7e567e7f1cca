import Foundation
import Testing

#if os(Linux)
  @Suite("Scripts")
  struct ScriptTests {
    /// What the tool writes to standard output and standard error for a script on its standard input.
    private func run(
      _ script: String, _ arguments: [String] = ["-X"]
    ) throws -> (output: String, errors: String, status: Int32) {
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
      return (
        String(decoding: printed, as: UTF8.self), String(decoding: complained, as: UTF8.self),
        process.terminationStatus
      )
    }

    @Test("Commands about statements, variables and output print what psql prints")
    func commands() throws {
      let script = #"""
        create table t (a int, b varchar(5));
        insert into t values (1, 'x'), (2, null);
        select a, b from t order by a \g (format=csv tuples_only=on)
        select 1 as a, 'x'::varchar(5) as b \gdesc
        select format('select %s as n', g) from generate_series(1, 2) as g \gexec
        select 3 as c, null as d \gset p_
        \echo :p_c :p_d :'p_c' :'nope' :{?p_c} :{?p_d}
        select E'\':p_c', $$:p_c$$, :'p_c' /* :p_c */ as "three"; -- :p_c
        \if yes
        \echo taken
        \elif maybe
        \echo not taken
        \endif
        \if :{?nope}
        \echo not taken
        \else
        \echo taken
        \endif
        copy t from stdin;
        3	y
        \.
        \copy t (a) to stdout csv header
        select a, b from t where b is null \gx
        \x on
        \d t
        \x off
        \pset null -
        \t
        select * from t;
        select 1, 2
        \p
        \r
        \p
        select 4 as last
        """#
      let expected = #"""
        CREATE TABLE
        INSERT 0 2
        1,x
        2,
         Column |         Type         
        --------+----------------------
         a      | integer
         b      | character varying(5)
        (2 rows)

         n 
        ---
         1
        (1 row)

         n 
        ---
         2
        (1 row)

        3 :p_d '3' :'nope' TRUE FALSE
         ?column? | ?column? | three 
        ----------+----------+-------
         ':p_c    | :p_c     | 3
        (1 row)

        taken
        taken
        COPY 1
        a
        1
        2
        3
        -[ RECORD 1 ]
        a | 2
        b | 

        Expanded display is on.
                                Table "public.t"
         Column |         Type         | Collation | Nullable | Default 
        --------+----------------------+-----------+----------+---------
         a      | integer              |           |          | 
         b      | character varying(5) |           |          | 

        Expanded display is off.
        Null display is "-".
        Tuples only is on.
         1 | x
         2 | -
         3 | y

        select 1, 2
        Query buffer reset (cleared).
        select * from t;
            4
        """#
      let result = try run(script)
      #expect(result.output == expected + "\n\n")
      #expect(result.status == 0)
    }

    @Test("Output without escape sequences goes into a pipe")
    func pipe() throws {
      let result = try run("select 1 as one;\n\\?\n")
      #expect(result.output.hasPrefix(" one \n-----\n   1\n(1 row)\n\n"))
      #expect(!result.output.utf8.contains(0x1B))
    }

    @Test("What is wrong with data is told once, and the script goes on behind them")
    func brokenData() throws {
      let script = """
        create table t (a int unique);
        copy t from stdin;
        1
        1
        \\.
        select count(*) as rows from t;
        """
      let result = try run(script, ["-X", "-q", "-t", "-A"])
      #expect(result.output == "0\n")
      #expect(result.errors.hasPrefix("ERROR:  duplicate key value violates unique constraint"))
    }

    @Test("A nested select prints one line of JSON, and what is wrong with it as JSON too")
    func nestedSelect() throws {
      let script = #"""
        create table a (id int primary key);
        create table b (id int primary key, a_id int references a);
        insert into a values (1), (2);
        insert into b values (1, 1), (2, 1);
        \select a?select=id, b(id)&order=id&b.order=id.desc
        \set SELECT_ROW_LIMIT 1
        \select a?order=id
        \set ON_ERROR_STOP on
        \select a?select=c(id)
        \echo not reached
        """#
      let result = try run(script, ["-X", "-q"])
      #expect(
        result.output == """
          [{"id":1,"b":[{"id":2},{"id":1}]},{"id":2,"b":[]}]
          [{"id":1}]

          """)
      #expect(result.errors.hasPrefix(#"{"code":"PGRST200","message":"Could not find"#))
      #expect(result.status == 3)
    }

    @Test("What was inferred is explained, and written as a schema")
    func inference() throws {
      let folder = FileManager.default.temporaryDirectory
        .appending(path: "junction-infer-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      for (name, text) in [
        ("author.csv", "id,name\n1,A\n2,B\n"), ("book.csv", "id,author_id\n1,1\n2,3\n"),
        ("list.json", #"[{"id": 1, "tags": ["a"]}]"#),
      ] { try Data(text.utf8).write(to: folder.appending(path: name)) }
      let explained = try run("", ["-X", "-q", folder.path, "--explain-inference", "--csv", "-t"])
      let lines = explained.output.split(separator: "\n").map(String.init)
      #expect(lines.contains("author,key,(id),yes,2 different values in 2 rows"))
      #expect(lines.contains("book,reference,author_id → author.id,no,1 of 2 values missing"))
      let repeated = try run("\\infer\n", ["-X", "-q", "--csv", "-t", folder.path])
      #expect(repeated.output == explained.output)
      let script = try run("", ["-X", "-q", folder.path, "--unnest", "--write-schema=-"])
      #expect(script.output.contains("CREATE TABLE list_tags (\n"))
      let path = folder.appending(path: "schema.sql").path
      let written = try run("", ["-X", folder.path, "--unnest", "--write-schema=\(path)"])
      #expect(written.output == "The schema is written to \"\(path)\".\n")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == script.output)
      #expect(try run("\\infer\n", ["-X", "-q", folder.path, "--unnest"]).output == "")
      let asked = try run(
        "SELECT count(*) FROM '\(folder.path)/author.csv';\n\\infer\n", ["-X", "-q", "--csv", "-t"])
      #expect(
        asked.output == """
          2
          author,type,id integer,yes,2 values looked at
          author,type,name text,yes,2 values looked at
          author,key,(id),yes,2 different values in 2 rows
          author,key,(name),no,"2 different values in as many rows, but another is likelier"

          """)
      #expect(asked.errors.contains("author.csv: 2 rows read = 2 loaded + 0 rejected"))
      let refused = try run("", ["-X", folder.path, "--unnest", "--write-schema=\(path)"])
      #expect(refused.status == 1)
      #expect(refused.errors.contains("58P02") || refused.errors.contains("exists"))
    }

    @Test(
      "Commands say what they miss as psql does",
      arguments: [
        (
          "\\if maybe\n\\endif",
          #"unrecognized value "maybe" for "\if expression": Boolean expected"#
        ),
        ("\\nope", #"invalid command \nope"#), ("\\copy", #"\copy: arguments required"#),
        ("\\copy t from '/nowhere'", "/nowhere: No such file or directory"),
        ("\\timing maybe", #"unrecognized value "maybe" for "\timing": Boolean expected"#),
        ("\\o |", "no program is named behind \"|\""),
        ("select 'open", #"ERROR:  unterminated quoted string at or near "'open""#),
        ("select 1 +;", #"ERROR:  syntax error at or near ";""#),
      ])
    func complaints(script: String, complaint: String) throws {
      let result = try run(script + "\n")
      #expect(result.errors.split(separator: "\n").first.map(String.init) == complaint)
    }

    @Test("The schema is told as statements, or as records in Swift")
    func schema() throws {
      let script = #"""
        create table t (id serial primary key, name text);
        \schema sql
        \schema swift
        \schema rust
        """#
      let (output, errors, _) = try run(script, ["-X", "-q"])
      #expect(output.hasPrefix("CREATE SEQUENCE t_id_seq"))
      #expect(output.contains("CREATE TABLE t (\n"))
      #expect(
        output.contains("struct T: Record, Hashable {\n  var id: Int?\n  var name: String?\n"))
      #expect(errors.contains("\\schema: \"rust\" is neither sql nor swift"))
    }
  }
#endif
