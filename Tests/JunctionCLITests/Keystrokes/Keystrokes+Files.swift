/// Files, programs, variables and keys.
extension Keystroke {
  static let files: [Keystroke] = [
    .script(
      "create table t (a int, b text);\n\\copy t from rows.csv csv\ntable t;", "COPY 2\n", " 2 | y"),
    .script(
      "create table t (a int, b text);\n\\copy t from 'rows.csv' with (format csv)", "COPY 2\n"),
    .script("create table t (a int, b text);\n\\copy t from ~/rows.csv csv", "COPY 2\n"),
    .script(
      "create table t (a int);\n\\copy t from program 'echo 5'\ntable t;", "COPY 1\n", " 5\n(1 row)"
    ),
    .script(
      "create table t (a int);\n\\copy t from stdin\n7\n\\.\ntable t;", "COPY 1\n", " 7\n(1 row)"),
    .script("\\copy (select 1, 'a') to stdout csv", "1,a\n"),
    .script(
      "\\copy (select 1, 'a') to out.csv csv header\n\\! cat out.csv",
      "COPY 1\n?column?,?column?\n1,a\n"),
    .script("\\copy (select 3) to program 'tr 3 4'", "4\n"),
    .script("\\copy student to student.csv csv\n\\! wc -l < student.csv", "COPY 3\n3\n"),
    .script("\\copy student from nofile", "nofile: No such file or directory"),
    .script("\\copy student to /nowhere/x", "/nowhere/x: No such file or directory"),
    .script("\\copy", "\\copy: arguments required"),
    .script("\\copy student", "\\copy: parse error at end of line"),
    .script("\\copy (select 1) to program 'false'", "false: child process exited with exit code 1"),
    .script("copy student to stdout;", "1\tJohn\tDoe\n"),
    .script("\\i script.sql", " 42\n"),
    .script("\\i nofile.sql", "nofile.sql: No such file or directory"),
    .script("\\ir script.sql", " 42\n"),
    .script("\\i", "\\i: missing required argument"),
    .script("\\o o.txt\nselect 6 as six;\n\\o\n\\! cat o.txt", " six \n-----\n   6\n(1 row)"),
    .script("\\o |tr 6 7\nselect 6 as x;\n\\o", " x \n---\n 7\n"),
    .script("\\o o.txt\n\\qecho there\n\\echo here\n\\o\n\\! cat o.txt", "here\nthere\n"),
    .script("\\! echo shell", "shell\n"),
    .script("\\!echo shell", "shell\n"),
    .script("\\cd /\n\\! pwd", "/\n"),
    .script("\\cd /nowhere", "\\cd: could not change directory to \"/nowhere\": No such file"),
    .script("\\c", "You are now connected to database \"school\" as user \"junction\"."),
    .script("\\c new.junction\n\\conninfo", "You are now connected to database \"new.junction\""),
    .script("\\c nowhere", "there is no database or folder \"nowhere\""),
    .script("\\connect school someone", "\\connect: \"someone\" cannot be connected to"),
    .script("\\echo -n a\n\\echo b", "ab\n"),
    .script("\\warn careful", "careful\n"),
  ]

  static let editing: [Keystroke] = [
    .script(
      "\\setenv PSQL_EDITOR 'sed -i s/1/2/'\nselect 1 as x\n\\e\n;", " x \n---\n 2\n(1 row)"),
    .script(
      "create function f(x int) returns int language sql as 'select x';\n"
        + "\\setenv PSQL_EDITOR 'sed -i s/select.x/select-x/'\n\\ef f\n;\nselect f(1) as y;",
      "CREATE FUNCTION\n", " -1\n"),
    .script(
      "create view v as select 1 as a;\n\\setenv PSQL_EDITOR 'sed -i s/1/7/'\n\\ev v\n;\ntable v;",
      "CREATE VIEW\n", " 7\n"),
    .script("\\setenv PSQL_EDITOR false\n\\e", "could not start editor \"false\""),
    .script("\\s h.txt\n\\! test -f h.txt && echo written", "written\n"),
    .script("select 1 \\; select 2 as two;", "(1 row)\n\n two \n-----\n   2\n"),
    .script("\\prompt 'Who? ' who\nBob\n\\echo <:who>", "Who? <Bob>"),
    .keys("\\prompt 'Wh''o? ' who\r~Wh'o?~Bob\r\\echo <:who>\r", "<Bob>"),
    .keys("\\! echo re''ady; read x && echo got $x\r~ready~hello\r", "got hello"),
  ]

  static let variables: [Keystroke] = [
    .script("\\set x 5\nselect :x as x;", " 5\n"),
    .script("\\set x it's\n\\set y a b\n\\echo :y", "ab\n"),
    .script("\\set name 'O''Hara'\nselect :'name' as n;", " O'Hara\n"),
    .script("\\set col \"last_name\"\nselect :col from student limit 1;", " last_name \n"),
    .script("\\set x `echo out`\n\\echo :x", "out\n"),
    .script("\\set", "AUTOCOMMIT = 'on'\n", "VERBOSITY = 'default'\n"),
    .script("\\unset x\n\\echo :x", ":x\n"),
    .script("\\unset", "\\unset: missing required argument"),
    .script("\\set a-b 2", "invalid variable name: \"a-b\""),
    .script("\\set ON_ERROR_STOP nope", "unrecognized value \"nope\" for \"ON_ERROR_STOP\""),
    .script("\\set VERBOSITY terse\nselect 1/0;", "ERROR:  division by zero\n"),
    .script(
      "\\set VERBOSITY verbose\ncreate table v (x int check (x > 0));\ninsert into v values (0);",
      "ERROR:  23514: new row",
      "SCHEMA NAME:  public\nTABLE NAME:  v\nCONSTRAINT NAME:  v_x_check\n"),
    .script("\\set ECHO queries\nselect 1 as x;", "select 1 as x;\n x "),
    .script("\\set AUTOCOMMIT off\nselect 1;\nrollback;", "ROLLBACK\n"),
    .script("\\set ON_ERROR_STOP on\nselect 1/0;\n\\echo unreached", "division by zero"),
    .script("\\set SINGLELINE on\nselect 1 as x\n\\echo next", "(1 row)\n\nnext\n"),
    .script("\\setenv FOO bar\n\\! echo $FOO", "bar\n"),
    .script("\\setenv FOO bar\n\\getenv x FOO\n\\echo :x", "bar\n"),
    .script("\\if true\n\\echo yes\n\\else\n\\echo no\n\\endif", "yes\n"),
    .script("\\if :{?nope}\n\\echo no\n\\elif 1\n\\echo elif\n\\endif", "elif\n"),
    .script("\\echo a \\echo b", "a\nb\n"),
    .script("select 1 as a; select 2 as b;", " b \n---\n 2\n"),
    .script("set timezone to 'UTC';\nshow timezone;", " UTC\n"),
    .script("set tiemzone to 'UTC';", "HINT:  Perhaps you meant \"timezone\"."),
  ]

  /// A `~` parts what is typed from what has to be on the screen before more is typed; `>` stands for a prompt in the last line.
  static let keys: [Keystroke] = [
    .keys("selec\t1;\r", "school=> select 1;", "(1 row)"),
    .keys("select * from stu\t;\r", "school=> select * from student ;", "(3 rows)"),
    .keys("\\d stu\t\r", "Table \"public.student\""),
    .keys("\\tim\t\r", "Timing is on."),
    .keys("\\pset fo\tmar\t\r", "\\pset fo"),
    .keys("\\pset format mar\t\r", "Output format is markdown."),
    .keys("\\i scr\t\r", "     42"),
    .keys("\\copy student from ro\t", "\\copy student from rows.csv"),
    .keys("select 1 \\g /ro\t", "\\g /root/"),
    .keys("set timez\tto ut\t;\rshow timezone;\r", "school=> set timezone to utc ;", "SET"),
    .keys("select subst\t", "school=> select substr"),
    .keys("select left(\t", "left(text, integer) → text"),
    .keys(
      "create table \"Odd one\" (a int);\r~CREATE TABLE~~>~select * from \"Od\t;\r",
      "from \"Odd one\" ;", "(0 rows)"),
    .keys("copy student from 'ro\t", "copy student from 'rows.csv'"),
    .keys("select e.\u{1}\u{5}", "school=> select e."),
    .keys("select 1 as x;\r~(1 row)~~>~\u{1B}[A\r", "(1 row)\n\nschool=> select 1 as x;\n x"),
    .keys(
      "select 41 + 1 as answer;\r~(1 row)~~>~\u{12}answ",
      "(reverse-i-search)`answ': select 41 + 1 as answer;"),
    .keys("select 1 as\r~school->~x;\r", " x"),
    .keys("select 1 \\;\r~school->~select 2 as two;\r", " two", "(1 row)"),
    .keys("select 'abc\r~school'>~\u{3}~>~", "school=>"),
    .keys("begin;\r~school=*>~select 1/0;\r~school=!>~", "division by zero"),
    .keys("help\r", "Type:  \\h for help with SQL statements"),
    .keys("xselect 2 as b;\u{1}\u{4}\r", " 2"),
    .keys("select 3 as c; nonsense\u{17}\r", " 3"),
    .keys("nonsense\u{15}select 4 as d;\r", " 4"),
    .keys(".tab\t\r", "student"),
    .keys("exit\r~END~"),
    .keys("\u{4}~END~", "\\q"),
  ]
}
