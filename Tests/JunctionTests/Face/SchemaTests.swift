import Diagnostics
import Junction
import Testing

/// The records of a conference, which name no table and no foreign key.
enum Conference {
  struct Session: Record, Hashable {
    var id: Int?
    var title: String
    struct Relations: Sendable {
      let presenters = Many<Presenter>(count: 0...3)
      let timeSlot = One<TimeSlot>()
    }
    static let relations = Relations()
  }
  struct Presenter: Record, Hashable {
    var id: Int?
    var name: String
    struct Relations: Sendable {
      let sessions = Many<Session>()
      let links = Many<OnlineLink>(deleteRule: .cascade)
    }
    static let relations = Relations()
  }
  struct TimeSlot: Record, Hashable {
    var id: Int?
    var sessionID: Int?
    struct Relations: Sendable { let session = One<Session>() }
    static let relations = Relations()
  }
  struct OnlineLink: Record, Hashable {
    enum Kind: String, Codable, CaseIterable, SQLValueConvertible { case web, video, slides }
    var id: Int?
    var presenterID: Int?
    var kind: Kind
    var url: String
  }
}

private struct Author: Record, Hashable {
  var id: Int?
  var name: String?
  struct Relations: Sendable { let books = Many<Book>() }
  static let relations = Relations()
}
private struct Publisher: Record, Hashable {
  var id: Int?
  var name: String?
}
private struct Genre: Record, Hashable {
  var id: Int?
  var name: String?
  struct Relations: Sendable { let books = Many<Book>() }
  static let relations = Relations()
  static let columns = ColumnMap<Self> {
    ColumnMapping("id", \.id)
    ColumnMapping("name", \.name, .unique)
  }
}
private struct ISBN: Record, Hashable {
  var id: Int?
  var value: String?
}
private struct Book: Record, Hashable {
  var id: Int?
  var title: String?
  var publishingYear: Int?
  var genreID: Int?
  var isbnID: Int?
  struct Relations: Sendable {
    let authors = Many<Author>(orderedBy: "position")
    let publishers = Many<Publisher>()
    let genre = One<Genre>()
    let isbn = One<ISBN>(deleteRule: .cascade)
  }
  static let relations = Relations()
}

private struct Person: Record, Hashable {
  var id: Int?
  var name: String
  var bossID: Int?
  struct Relations: Sendable {
    let follows = Many<Person>(through: "follow", from: "follower_id")
    let followers = Many<Person>(through: "follow", from: "followee_id")
    let boss = One<Person>()
    let staff = Many<Person>(from: "boss_id")
  }
  static let relations = Relations()
}

private struct Lecture: Record, Hashable {
  var department: String
  var number: Int
  struct Relations: Sendable {
    let rooms = Many<Room>()
    let listeners = Through<Visit, Listener>(deleteRule: .deny, count: 0...2)
  }
  static let relations = Relations()
  static let columns = ColumnMap<Self> {
    ColumnMapping("department", \.department, .primaryKey)
    ColumnMapping("number", \.number, .primaryKey)
  }
}
private struct Room: Record, Hashable {
  var id: SQLUUID?
  var lectureDepartment: String?
  var lectureNumber: Int?
  var tags: [String]
  var plan: Plan?
  struct Plan: Codable, Hashable, Sendable { var seats: Int }
  struct Relations: Sendable { let lecture = One<Lecture>() }
  static let relations = Relations()
}
private struct Listener: Record, Hashable {
  var id: Int
  struct Relations: Sendable { let lectures = Many<Lecture>() }
  static let relations = Relations()
}
private struct Visit: Record, Hashable {
  var lectureDepartment: String
  var lectureNumber: Int
  var listenerID: Int
  var mark: Double?
  static let table = "faculty.visit"
}

private struct Hen: Record {
  var id: Int?
  struct Relations: Sendable {
    let favourite = One<Egg>(column: "favourite_id")
    let egg = One<Egg>(column: "hen_id")
  }
  static let relations = Relations()
}
private struct Egg: Record {
  var id: Int?
  var henID: Int?
  struct Relations: Sendable { let hen = One<Hen>(column: "hen_id") }
  static let relations = Relations()
}

private enum Clash {
  struct Child: Record {
    var id: Int?
    var parentID: Int
    struct Relations: Sendable { let parent = One<Parent>(deleteRule: .cascade) }
    static let relations = Relations()
  }
  struct Parent: Record {
    var id: Int?
    struct Relations: Sendable { let children = Many<Child>(deleteRule: .deny) }
    static let relations = Relations()
  }
  struct Nullifying: Record {
    var id: Int?
    struct Relations: Sendable { let children = Many<Held>(deleteRule: .nullify) }
    static let relations = Relations()
  }
  struct Held: Record {
    var id: Int?
    var nullifyingID: Int
  }
  struct Counting: Record {
    var id: Int?
    struct Relations: Sendable { let children = Many<Loose>(deleteRule: .noAction, count: 1...2) }
    static let relations = Relations()
  }
  struct Loose: Record {
    var id: Int?
    var countingID: Int?
  }
  struct Keyless: Record {
    var name: String
    struct Relations: Sendable { let others = Many<Loose>() }
    static let relations = Relations()
  }
  struct Friend: Record {
    var id: Int?
    struct Relations: Sendable { let friends = Many<Friend>() }
    static let relations = Relations()
  }
  struct Twice: Record {
    var id: Int?
    struct Relations: Sendable { let pieces = Many<Piece>() }
    static let relations = Relations()
  }
  struct Piece: Record {
    var id: Int?
    struct Relations: Sendable {
      let first = One<Twice>()
      let second = One<Twice>()
    }
    static let relations = Relations()
  }
}

private struct Student: Record, Hashable {
  var id: Int?
  var firstName: String?
  struct Relations: Sendable {
    let courses = Many<Course>()
    let enrolments = Through<Enrolment, Course>()
  }
  static let relations = Relations()
}
private struct Course: Record, Hashable {
  var id: Int?
  var shortCode: String?
  struct Relations: Sendable {
    let students = Many<Student>()
    let teacher = One<Teacher>()
  }
  static let relations = Relations()
}
private struct Teacher: Record, Hashable {
  var id: Int?
  var name: String
}
private struct Enrolment: Record, Hashable {
  var studentID: Int
  var courseID: Int
  var mark: Double?
  static let table = "enrols_in"
}

@Suite("Schemas of records")
struct SchemaTests {
  private static let all: [(String, Schema)] = [
    (
      "a conference",
      Schema(
        Conference.Session.self, Conference.Presenter.self, Conference.TimeSlot.self,
        Conference.OnlineLink.self)
    ),
    ("books", Schema(Book.self)), ("people", Schema(Person.self)), ("lectures", Schema(Room.self)),
    ("a circle", Schema(Egg.self)),
  ]

  @Test("are CREATE statements that name what records leave out")
  func statements() throws {
    #expect(
      try Self.all[0].1.sql == """
        CREATE TYPE online_link_kind AS ENUM ('web', 'video', 'slides');
        CREATE TABLE session (
          id bigserial PRIMARY KEY,
          title text NOT NULL
        );
        CREATE TABLE presenter (
          id bigserial PRIMARY KEY,
          name text NOT NULL
        );
        CREATE TABLE time_slot (
          id bigserial PRIMARY KEY,
          session_id bigint UNIQUE REFERENCES session (id) ON DELETE SET NULL
        );
        CREATE TABLE online_link (
          id bigserial PRIMARY KEY,
          presenter_id bigint REFERENCES presenter (id) ON DELETE CASCADE,
          kind online_link_kind NOT NULL,
          url text NOT NULL
        );
        CREATE TABLE presenter_session (
          session_id bigint REFERENCES session (id) ON DELETE CASCADE,
          presenter_id bigint REFERENCES presenter (id) ON DELETE CASCADE,
          PRIMARY KEY (session_id, presenter_id),
          CARDINALITY (session_id) BETWEEN 0 AND 3
        );
        """)
  }

  @Test("leave no difference where they were created", arguments: all.indices)
  func created(_ index: Int) throws {
    let db = Database()
    let schema = Self.all[index].1
    try db.write { db in try schema.create(db) }
    #expect(try schema.differences(db) == [])
    let again = #expect(throws: SQLError.self) { try schema.create(db) }
    #expect(again?.state == .duplicateTable || again?.state == .duplicateObject)
  }

  @Test("keep the names of a database that was made by hand, and say what it lacks")
  func adopted() throws {
    let db = Database()
    try db.execute(
      """
      CREATE TABLE teacher (id serial PRIMARY KEY, name varchar(50) NOT NULL, room int);
      CREATE TABLE student (id serial PRIMARY KEY, first_name varchar(50));
      CREATE TABLE course (id int PRIMARY KEY, "shortCode" text UNIQUE, boss int REFERENCES teacher);
      CREATE TABLE enrols_in (student_id int REFERENCES student, course_id int REFERENCES course,
        mark text, PRIMARY KEY (course_id, student_id));
      INSERT INTO course VALUES (7, 'A', NULL);
      """)
    let schema = Schema(Student.self, Course.self)
    let differences = try schema.differences(db)
    #expect(
      differences.map(\.description) == [
        "column \"id\" of table \"course\" has no default, so that each row has to bring its own value: let the database number them",
        "column \"mark\" of table \"enrols_in\" is of type text: make it double precision of record Enrolment",
      ])
    for statement in differences.flatMap(\.statements) { try db.execute(SQL(raw: statement)) }
    #expect(try schema.differences(db) == [])
    #expect(try Course(shortCode: "B").inserted(db).id == 8)
  }

  @Test("name a junction table that lacks its key")
  func keylessJunction() throws {
    let db = Database()
    try db.execute(
      """
      CREATE TABLE teacher (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE student (id serial PRIMARY KEY, first_name text);
      CREATE TABLE course (id serial PRIMARY KEY, short_code text, teacher_id int REFERENCES teacher);
      CREATE TABLE enrols_in (student_id int REFERENCES student, course_id int REFERENCES course, mark real);
      """)
    let differences = try Schema(Student.self).differences(db)
    #expect(
      differences.flatMap(\.statements) == [
        "ALTER TABLE enrols_in ADD PRIMARY KEY (student_id, course_id);"
      ])
  }

  @Test(
    "refuse what cannot be meant",
    arguments: [
      (
        Schema(Clash.Child.self), SQLState.invalidTableDefinition,
        "Child.parent and Parent.children"
      ),
      (Schema(Clash.Nullifying.self), .invalidTableDefinition, "takes no NULL"),
      (Schema(Clash.Counting.self), .invalidTableDefinition, "noAction"),
      (Schema(Clash.Keyless.self), .invalidForeignKey, "needs a key of record Keyless"),
      (Schema(Clash.Friend.self), .ambiguousFunction, "both ends of relation Friend.friends"),
      (Schema(Clash.Twice.self), .ambiguousFunction, "more than one relation of record Piece"),
    ])
  func refused(_ schema: Schema, _ state: SQLState, _ words: String) {
    let error = #expect(throws: SQLError.self) { _ = try schema.sql }
    #expect(error?.state == state)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(error?.hint != nil)
  }

  /// What may have happened to a database since.
  private static let damages = [
    "DROP TABLE online_link", "DROP TABLE presenter CASCADE", "DROP TABLE presenter_session",
    "ALTER TABLE session DROP COLUMN title", "ALTER TABLE session ALTER COLUMN title DROP NOT NULL",
    "ALTER TABLE presenter ALTER COLUMN name TYPE varchar(9)",
    "ALTER TABLE session ALTER COLUMN title TYPE bytea USING title::bytea",
    "ALTER TABLE time_slot ALTER COLUMN session_id SET NOT NULL",
    "ALTER TABLE time_slot DROP CONSTRAINT time_slot_session_id_key",
    "ALTER TABLE time_slot DROP CONSTRAINT time_slot_session_id_fkey",
    "ALTER TABLE time_slot DROP COLUMN session_id",
    "ALTER TABLE presenter_session DROP CONSTRAINT presenter_session_pkey",
    "ALTER TABLE presenter_session DROP CONSTRAINT presenter_session_session_id_cardinality",
    "ALTER TABLE presenter_session DROP CONSTRAINT presenter_session_session_id_fkey CASCADE",
    """
    ALTER TABLE presenter_session DROP CONSTRAINT presenter_session_session_id_cardinality;
    ALTER TABLE presenter_session ADD CARDINALITY (session_id) BETWEEN 0 AND 5
    """,
    """
    ALTER TABLE online_link DROP CONSTRAINT online_link_presenter_id_fkey;
    ALTER TABLE online_link ADD FOREIGN KEY (presenter_id) REFERENCES presenter ON DELETE SET NULL;
    ALTER TABLE online_link ADD CARDINALITY (presenter_id) BETWEEN 0 AND 4
    """,
    "ALTER TABLE online_link ALTER CONSTRAINT online_link_presenter_id_fkey NOT ENFORCED",
    "ALTER TABLE online_link ALTER COLUMN kind TYPE text",
    "DROP TYPE online_link_kind CASCADE", "ALTER TABLE session ALTER COLUMN id DROP DEFAULT",
    "ALTER TABLE presenter DROP CONSTRAINT presenter_pkey CASCADE",
    "ALTER TABLE session DROP CONSTRAINT session_pkey CASCADE",
    "ALTER TABLE session ADD COLUMN room text", "ALTER TABLE session RENAME title TO name",
    "INSERT INTO session (title) VALUES ('A')", "INSERT INTO presenter (name) VALUES ('Anne')",
    "INSERT INTO presenter_session (session_id, presenter_id) VALUES (1, 1)",
  ]

  @Test("say what is to be done, and done it leaves no difference", arguments: 0..<60)
  func settled(_ seed: Int) throws {
    var numbers = RepeatableNumbers(seed)
    let schema = Self.all[0].1
    let db = Database()
    try db.write { db in try schema.create(db) }
    for _ in 0...numbers.next(8) {
      // What an earlier one took away is not there any more.
      _ = try? db.execute(SQL(raw: numbers.pick(Self.damages)))
    }
    let differences = try schema.differences(db)
    // Rows that are there may lack what a new column or key asks for.
    try db.execute("TRUNCATE session CASCADE")
    for difference in differences {
      for statement in difference.statements {
        do throws(SQLError) { try db.execute(SQL(raw: statement)) } catch {
          Issue.record("\(statement): \(error), of \(differences)")
        }
      }
    }
    #expect(try schema.differences(db) == [])
  }

  @Test("rule what becomes of links and children")
  func rules() throws {
    let db = Database()
    try db.write { db in try Self.all[0].1.create(db) }
    let session = try Conference.Session(title: "A").inserted(db)
    let anne = try Conference.Presenter(name: "Anne").inserted(db)
    let slot = try Conference.TimeSlot(sessionID: session.id).inserted(db)
    try session.presenters.add(anne, db)
    let link = try Conference.OnlineLink(presenterID: anne.id, kind: .video, url: "u").inserted(db)
    #expect(try anne.links.fetch(db) == [link])
    // A link goes with either side, and both rows stay where nothing else is said.
    try session.delete(db)
    #expect(try slot.refreshed(db)?.sessionID == nil)
    #expect(try anne.sessions.fetch(db) == [])
    try anne.delete(db)
    #expect(try link.refreshed(db) == nil)
  }

  @Test("hold counts when a transaction commits, so that links may be swapped")
  func counts() throws {
    let db = Database()
    try db.write { db in try Self.all[0].1.create(db) }
    let session = try Conference.Session(title: "A").inserted(db)
    let people = try ["A", "B", "C", "D"].map { Conference.Presenter(name: $0) }.inserted(db)
    try session.presenters.add(people.prefix(3), db)
    try db.write { db in
      try session.presenters.add(people[3], db)
      try session.presenters.remove(people[0], db)
    }
    let error = #expect(throws: SQLError.self) { try session.presenters.add(people[0], db) }
    #expect(error?.rule == .maximum(3))
    #expect(try session.presenters.count(db) == 3)
  }
}

private enum Rules {
  struct Owner: Record, Hashable {
    var id: Int?
    struct Relations: Sendable {
      let denied = Many<Denied>(deleteRule: .deny)
      let loose = Many<Loose>(deleteRule: .noAction)
    }
    static let relations = Relations()
  }
  struct Denied: Record, Hashable {
    var id: Int?
    var ownerID: Int?
  }
  struct Loose: Record, Hashable {
    var id: Int?
    var ownerID: Int?
    struct Relations: Sendable { let owner = One<Owner>() }
    static let relations = Relations()
  }
  struct Team: Record, Hashable {
    var id: Int?
    struct Relations: Sendable { let players = Many<Player>(count: 1...2) }
    static let relations = Relations()
  }
  struct Player: Record, Hashable {
    var id: Int?
    var teamID: Int?
  }
}

@Suite("Delete rules of schemas")
struct SchemaRuleTests {
  @Test("deny the delete of a row that others refer to, and name the constraint")
  func deny() throws {
    let db = Database()
    try Schema(Rules.Owner.self).create(db)
    let owner = try Rules.Owner().inserted(db)
    try Rules.Denied(ownerID: owner.id).inserted(db)
    let error = #expect(throws: SQLError.self) { try owner.delete(db) }
    #expect(error?.state == .foreignKeyViolation)
    #expect(error?.rule == .deny)
    #expect(error?.object?.constraint == "denied_owner_id_fkey")
  }

  @Test("let a reference lead nowhere, which reads as nil")
  func noAction() throws {
    let db = Database()
    try Schema(Rules.Owner.self).create(db)
    let owner = try Rules.Owner().inserted(db)
    let loose = try Rules.Loose(ownerID: owner.id).inserted(db)
    #expect(try loose.owner.fetch(db) == owner)
    #expect(try owner.delete(db))
    #expect(try loose.refreshed(db) == loose)
    #expect(try loose.owner.fetch(db) == nil)
  }

  @Test("find a new row without the least number of others")
  func minimum() throws {
    let db = Database()
    try Schema(Rules.Team.self).create(db)
    let error = #expect(throws: SQLError.self) { try Rules.Team().inserted(db) }
    #expect(error?.rule == .minimum(1))
    try db.write { db in
      let team = try Rules.Team().inserted(db)
      try Rules.Player(teamID: team.id).inserted(db)
    }
  }
}
