import Diagnostics
import Junction
import Testing

private struct Course: Record, Hashable {
  var id: Int?
  var shortCode: String?
  var name: String?
  var credits = 5
  var isOpen: Bool

  var title: String { name ?? "" }

  init(id: Int? = nil, _ shortCode: String?, _ name: String? = nil, isOpen: Bool = true) {
    self.id = id
    self.shortCode = shortCode
    self.name = name
    self.isOpen = isOpen
  }
}

/// A junction table, with columns that are told.
private struct Enrolment: Record, Hashable {
  var studentID: Int
  var courseID: Int
  var mark: Double?
  var version = 0

  static let table = "enrols_in"
  static let columns = ColumnMap<Self> {
    ColumnMapping("student_id", \.studentID, .primaryKey)
    ColumnMapping("course_id", \.courseID, .primaryKey)
    ColumnMapping("mark", \.mark)
    ColumnMapping("version", \.version, .version)
  }
}

private struct Everything: Record, Hashable {
  enum Kind: String, Codable, CaseIterable, SQLValueConvertible { case web, video }
  struct Address: Codable, Hashable { var street: String }
  var id: SQLUUID
  let kind: Kind
  var day: SQLDate?
  var price: SQLNumeric
  var seen: SQLTimestamp
  var tags: [String]
  var bytes: [UInt8]
  var address: Address
  var before: [Address]?
  var short: Int16?
  var ratio: Float

  enum CodingKeys: String, CodingKey {
    case id, kind, day, price, seen, tags, bytes, address, before
    case short = "small_one"
    case ratio
  }
}

@Suite("Records")
struct RecordTests {
  private func school() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE course (id serial PRIMARY KEY, short_code varchar(10) UNIQUE,
        name varchar(100) DEFAULT 'unnamed', credits int NOT NULL, is_open boolean NOT NULL,
        size int GENERATED ALWAYS AS (credits * 10) STORED);
      CREATE TABLE enrols_in (student_id int, course_id int REFERENCES course, mark float8,
        version int NOT NULL DEFAULT 0, PRIMARY KEY (student_id, course_id))
      """)
    return database
  }

  private func state(_ body: () throws -> Void) -> SQLState? {
    #expect(throws: SQLError.self) { try body() }?.state
  }

  @Test("leave a nil id and what has a default to the engine")
  func insert() throws {
    let db = try school()
    let drama = try Course("ADA3M").inserted(db)
    #expect(drama.id == 1 && drama.name == "unnamed" && drama.isOpen)
    var maths = Course("MCR3U", "Functions'; DROP TABLE course --")
    try maths.insert(db)
    #expect(maths.id == 2)
    #expect(try Course.find(2, in: db) == maths)
    #expect(try Course.find(3, in: db) == nil)
    #expect(try db.fetchOne(Int.self, "SELECT count(*) FROM \(Course.self)") == 2)
    #expect(try db.fetchAll(Course.self, "SELECT * FROM course ORDER BY id") == [drama, maths])
    let named = try Course(id: 70, "X").inserted(db)
    #expect(named.id == 70)
  }

  @Test("find what is new, gone, or not yet there")
  func lifetime() throws {
    let db = try school()
    var drama = try Course("ADA3M", "Drama").inserted(db)
    drama.name = nil
    try drama.update(db)
    #expect(try drama.refreshed(db)?.name == nil)
    #expect(try drama.delete(db))
    #expect(try !drama.delete(db))
    #expect(try drama.refreshed(db) == nil)
    #expect(state { try drama.update(db) } == .noDataFound)
    let error = #expect(throws: SQLError.self) { try Course("Y").delete(db) }
    #expect(error?.state == .objectNotInPrerequisiteState)
    #expect(error?.message == "course has no id yet")
    #expect(state { _ = try Course.find(1, 2, in: db) } == .invalidParameterValue)
  }

  @Test("write only the properties that are named")
  func only() throws {
    let db = try school()
    var drama = try Course("ADA3M", "Drama").inserted(db)
    drama.name = "Theatre"
    drama.credits = 9
    try drama.update(db, only: \.name)
    #expect(try drama.refreshed(db).map { [$0.name, "\($0.credits)"] } == ["Theatre", "5"])
    try drama.update(db, only: \.credits, \.isOpen)
    #expect(try drama.refreshed(db) == drama)
    let error = #expect(throws: SQLError.self) { try drama.update(db, only: \.title) }
    #expect(error?.state == .undefinedColumn)
    #expect(error?.hint == "Only stored properties stand for columns.")
  }

  @Test("write what differs, unless somebody else has changed it")
  func dirty() throws {
    let db = try school()
    let old = try Course("ADA3M", "Drama").inserted(db)
    var mine = old
    var theirs = old
    #expect(try !mine.update(db, from: old))
    theirs.credits = 7
    #expect(try theirs.update(db, from: old))
    mine.name = "Theatre"
    #expect(try mine.update(db, from: old))
    let both = try #require(try mine.refreshed(db))
    #expect(both.name == "Theatre" && both.credits == 7)
    mine.credits = 8
    #expect(state { try mine.update(db, from: old) } == .serializationFailure)
    #expect(try mine.refreshed(db) == both)
    try old.delete(db)
    #expect(state { try mine.update(db, from: old) } == .noDataFound)
  }

  @Test("compare their version, and raise it")
  func version() throws {
    let db = try school()
    let course = try Course("A").inserted(db)
    var link = try Enrolment(studentID: 3, courseID: #require(course.id)).inserted(db)
    let stale = link
    link.mark = 2
    try link.update(db)
    #expect(try link.refreshed(db)?.version == 1)
    #expect(state { try stale.update(db) } == .serializationFailure)
    let fresh = try #require(try Enrolment.find(3, 1, in: db))
    #expect(fresh.mark == 2)
    try fresh.update(db, only: \.mark)
    #expect(try fresh.refreshed(db)?.version == 2)
  }

  @Test("are inserted or updated by a key")
  func upsert() throws {
    let db = try school()
    let first = try Course("ADA3M", "Drama").upserted(db)
    #expect(first.id == 1)
    // By another unique key, as the primary one has no value.
    let second = try Course("ADA3M", "Theatre").upserted(db)
    #expect(second.id == 1 && second.name == "Theatre")
    let third = try Course("ADA3M", "Stage").upserted(db, onConflict: \.shortCode)
    #expect(third.id == 1 && third.name == "Stage")
    #expect(state { _ = try third.upserted(db, onConflict: \.name) } != nil)
    var saved = try Course("B", "Biology").saved(db)
    saved.name = "Life"
    #expect(try saved.saved(db) == saved)
    #expect(try Course(id: 40, "C").saved(db).id == 40)
    #expect(try db.fetchOne(Int.self, "SELECT count(*) FROM course") == 3)
  }

  @Test("are inserted once, however many try")
  func ignoring() async throws {
    let db = try school()
    let won = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await db.write { try Course("ONE").inserted($0, onConflict: .ignore) != nil }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(won == 1)
    #expect(state { _ = try Course("ONE").inserted(db, onConflict: .fail) } == .uniqueViolation)
  }

  @Test("are inserted and deleted by the thousand, each with what the engine made of it")
  func bulk() throws {
    let db = try school()
    let courses = try (1...5000).map { Course("C\($0)", $0 % 2 == 0 ? nil : "n\($0)") }.inserted(db)
    #expect(courses.map(\.id) == (1...5000).map { $0 })
    #expect(courses[1].name == "unnamed" && courses[4998].name == "n4999")
    #expect(try Course.find(4711, in: db) == courses[4710])
    let links = try courses.prefix(3000).map {
      Enrolment(studentID: 1, courseID: try #require($0.id), mark: 1.5)
    }.inserted(db)
    #expect(links.count == 3000 && links[2999].courseID == 3000)
    let error = #expect(throws: SQLError.self) {
      try [Course("new"), Course("C7"), Course("C8")].inserted(db)
    }
    #expect(error?.state == .uniqueViolation && error?.context == "rows[1]")
    #expect(try db.fetchOne(Int.self, "SELECT count(*) FROM course") == 5000)
    #expect(try links.prefix(10).delete(db) == 10)
    #expect(try links.prefix(20).delete(db) == 10)
    #expect(try courses.suffix(5).delete(db) == 5)
    #expect(state { _ = try courses.delete(db) } == .foreignKeyViolation)
  }

  @Test("have properties of any type, found by their coding keys")
  func everything() throws {
    let db = Database()
    try db.execute(
      """
      CREATE TABLE everything (id uuid PRIMARY KEY, kind text, day date, price numeric, seen timestamptz,
        tags text[], bytes bytea, address jsonb, before json, small_one smallint, ratio real)
      """)
    let row = Everything(
      id: .random(), kind: .video, day: try SQLDate(year: 2024, month: 2, day: 29),
      price: try #require(SQLNumeric("12345678901234567890.05")),
      seen: SQLTimestamp(microsecondsSince1970: 1_700_000_000_123_456), tags: ["a", "b\"c", ""],
      bytes: [0, 255], address: .init(street: "Elm"), before: [.init(street: "Oak")], short: nil,
      ratio: 0.1)
    #expect(try row.inserted(db) == row)
    var other = row
    other.address.street = "Ash"
    other.before = nil
    other.short = 7
    #expect(try other.update(db, from: row))
    #expect(try row.refreshed(db) == other)
    other.price = SQLNumeric(1)
    other.bytes = []
    other.tags = []
    try other.update(db, only: \.price, \.kind, \.day, \.seen, \.bytes, \.tags, \.short, \.ratio)
    #expect(try row.refreshed(db) == other)
  }

  @Test("say what is wrong with them")
  func wrong() throws {
    let db = try school()
    struct Missing: Record {
      var id: Int?
      static let table = "nowhere"
    }
    #expect(state { _ = try Missing.find(1, in: db) } == .undefinedTable)
    struct Wide: Record {
      var id: Int?
      var shortCod: String
      static let table = "course"
    }
    let wide = #expect(throws: SQLError.self) { try Wide.find(1, in: db) }
    #expect(wide?.state == .undefinedColumn)
    #expect(wide?.message == "table \"course\" has no column for property shortCod of record Wide")
    #expect(wide?.hint?.contains("short_code") == true, "\(wide?.hint ?? "")")
    #expect(wide?.hint?.contains("ADD COLUMN short_cod ") == true, "\(wide?.hint ?? "")")
    struct Choice: Record {
      enum Kind: String, Codable { case web, video }
      var id: Int?
      var kind: Kind
      static let table = "course"
    }
    let choice = #expect(throws: SQLError.self) { try Choice.find(1, in: db) }
    #expect(
      choice?.message.contains("its property kind (Kind)") == true, "\(choice?.message ?? "")")
    #expect(choice?.hint?.contains("CaseIterable") == true)
    try db.execute("CREATE TABLE keyless (a int)")
    struct Keyless: Record { var a: Int }
    #expect(try Keyless(a: 1).inserted(db).a == 1)
    #expect(state { try Keyless(a: 1).update(db) } == .objectNotInPrerequisiteState)
  }

  @Test("work within transactions, of which nothing stays that fails")
  func transactions() throws {
    let db = try school()
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try db.write { db in
        let made = try Course("A").inserted(db)
        #expect(try Course.find(#require(made.id), in: db) == made)
        throw Stop()
      }
    }
    #expect(try Course.find(1, in: db.snapshot) == nil)
  }
}

/// A record whose `id` is no column.
private struct Badge: Record, Identifiable {
  var number: Int
  var holder: String
  var id: String { "badge \(number)" }
}

/// A record whose key has another name in the table.
private struct Desk: Record, Identifiable {
  var label: String?
  var id: Int
  enum CodingKeys: String, CodingKey { case label, id = "desk_number" }
}

/// A record that writes its key another way than it keeps it.
private struct Locker: Record, Identifiable {
  var id: Int
  var owner: String
  enum CodingKeys: String, CodingKey { case id, owner }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(Int.self, forKey: .id) - 100
    owner = try fields.decode(String.self, forKey: .owner)
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(id + 100, forKey: .id)
    try fields.encode(owner, forKey: .owner)
  }
}

@Suite("The id of a record")
struct RecordIdentityTests {
  @Test("is its key only where it is stored, whatever it is called in the table")
  func identity() throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE badge (number int PRIMARY KEY, holder text);
      CREATE TABLE desk (desk_number int PRIMARY KEY, label text);
      INSERT INTO badge VALUES (1, 'a'), (2, 'b');
      INSERT INTO desk VALUES (1, 'a'), (2, 'b')
      """)
    var badge = try #require(try Badge.find(2, in: database))
    badge.holder = "c"
    try badge.update(database)
    #expect(try Badge.all.fetch(database).map(\.holder).sorted() == ["a", "c"])
    var desk = try #require(try Desk.find(2, in: database))
    desk.label = "c"
    try desk.update(database)
    #expect(try Desk.order(by: \.id).fetch(database).map(\.label) == ["a", "c"])
    try database.execute(
      "CREATE TABLE locker (id int PRIMARY KEY, owner text); INSERT INTO locker VALUES (101, 'a'), (1, 'b')"
    )
    var locker = try Locker.where { $0.owner == "a" }.one(database)
    locker.owner = "c"
    try locker.update(database)
    #expect(try Locker.all.fetch(database).map(\.owner).sorted() == ["b", "c"])
    #expect(try badge.delete(database))
    #expect(try Badge.all.fetch(database).map(\.number) == [1])
  }
}
