import Junction

@testable import JunctionShell

/// Things that tests of the shell share.
enum Sample {
  /// Students, courses, and who takes what.
  static let schema = """
    create table student (id serial primary key, name text not null, age int check (age > 0));
    create table course (id int primary key, title text unique);
    create table enrols_in (
      student_id int references student(id) on delete cascade,
      course_id int references course, grade numeric(3,1), primary key (student_id, course_id));
    create view attendance as select name, course_id from student join enrols_in on id = student_id;
    """

  /// A connection to a database with the schema.
  static func connection() throws -> Connection {
    let connection = Database().connect()
    for statement in Shell.statements(of: schema) { try connection.execute(statement) }
    return connection
  }

  /// What a body writes.
  static func written(_ body: (OutputStream) -> Void) -> String {
    let stream = OutputStream(descriptor: -1)
    body(stream)
    return String(decoding: stream.takePending(), as: UTF8.self)
  }

  /// What a table looks like under some settings.
  static func printed(_ table: TextTable, _ change: (inout PrintSettings) -> Void = { _ in })
    -> String
  {
    var settings = PrintSettings()
    change(&settings)
    return written { ResultPrinter(settings: settings, output: $0).print(table) }
  }

  /// What the rows of a query look like under some settings.
  static func printed(_ query: String, _ change: (inout PrintSettings) -> Void) throws -> String {
    let result = try Database().connect().query(query)
    var settings = PrintSettings()
    change(&settings)
    return written { ResultPrinter(settings: settings, output: $0).print(result) }
  }
}
