import Junction
import Testing

// Sessions, who presents them and when: relations with rules, seen from both sides, and what is two hops away or more.

// MARK: - Model

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
    let sessions = Many<Session>()  // the other direction of the same links
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

/// A remark about a session that may be gone.
struct Remark: Record, Hashable {
  var id: Int?
  var sessionID: Int?
  struct Relations: Sendable { let session = One<Session>() }
  static let relations = Relations()
}

struct Panel: Record, Hashable {
  var id: Int?
  var presenterID: Int?
}

enum Conference {
  /// The rules stand with the tables, so that they are kept whatever door a change comes through.
  static let schema: SQL = """
    CREATE TYPE link_kind AS ENUM ('web', 'video', 'slides');
    CREATE TABLE session (id serial PRIMARY KEY, title text NOT NULL);
    CREATE TABLE presenter (id serial PRIMARY KEY, name text NOT NULL);
    CREATE TABLE session_presenter (
      session_id int REFERENCES session ON DELETE CASCADE,
      presenter_id int REFERENCES presenter ON DELETE CASCADE,
      PRIMARY KEY (session_id, presenter_id),
      CONSTRAINT at_most_three CARDINALITY (session_id) BETWEEN 0 AND 3);
    CREATE TABLE time_slot (
      id serial PRIMARY KEY, session_id int UNIQUE REFERENCES session ON DELETE SET NULL);
    CREATE TABLE online_link (
      id serial PRIMARY KEY, presenter_id int NOT NULL REFERENCES presenter ON DELETE CASCADE,
      kind link_kind NOT NULL, url text NOT NULL);
    CREATE TABLE panel (
      id serial PRIMARY KEY, presenter_id int REFERENCES presenter ON DELETE RESTRICT);
    CREATE TABLE remark (id serial PRIMARY KEY, session_id int REFERENCES session NOT ENFORCED);
    """

  static let seeded = Result {
    let database = Database()
    try database.execute(schema)
    try database.write { db in
      let names = ["Anne", "Bob", "Claire", "David"]
      let presenters = try names.map { Presenter(name: $0) }.inserted(db)
      let titles = ["SwiftData", "Macros", "Async stuff"]
      let sessions = try titles.map { Session(title: $0) }.inserted(db)
      try sessions[0].presenters.add(presenters[0], db)
      try sessions[1].presenters.add(presenters[2...], db)
      try sessions[2].presenters.add([presenters[0], presenters[3]], db)
    }
    return database
  }
}

// MARK: - What comes of it

@Suite("Example: a conference")
struct ConferenceExample {
  private let database: Database

  init() throws { database = try Conference.seeded.get().fork() }

  private func session(_ title: String) throws -> Session {
    try Session.where { $0.title == title }.one(database)
  }
  private func presenter(_ name: String) throws -> Presenter {
    try Presenter.where { $0.name == name }.one(database)
  }

  @Test("has both sides of a relation at once, though each was declared alone")
  func inverse() throws {
    let (macros, bob) = (try session("Macros"), try presenter("Bob"))
    try macros.presenters.add(bob, database)
    #expect(try bob.sessions.fetch(database) == [macros])
    try bob.sessions.remove(macros, database)
    #expect(try !macros.presenters.contains(bob, database))
    #expect(try bob.refreshed(database) == bob)  // the link goes, both rows stay
  }

  @Test("counts when a transaction ends, so that a swap is allowed")
  func counts() throws {
    let macros = try session("Macros")
    let (anne, bob) = (try presenter("Anne"), try presenter("Bob"))
    try macros.presenters.add(anne, database)
    let error = #expect(throws: SQLError.self) { try macros.presenters.add(bob, database) }
    #expect(error?.rule == .maximum(3))
    #expect(error?.object?.constraint == "at_most_three")
    try database.write { db in
      try macros.presenters.add(bob, db)
      try macros.presenters.remove(anne, db)
    }
    #expect(try macros.presenters.count(database) == 3)
  }

  @Test("moves a partner of which there is one")
  func oneToOne() throws {
    let (macros, data) = (try session("Macros"), try session("SwiftData"))
    let slot = try TimeSlot().inserted(database)
    try macros.timeSlot.set(slot, database)
    // The slot as it was read knows nothing of it: values stay as they are.
    #expect(try slot.refreshed(database)?.session.fetch(database) == macros)
    try data.timeSlot.set(slot, database)
    #expect(try macros.timeSlot.fetch(database) == nil)
    #expect(try slot.refreshed(database)?.session.fetch(database) == data)
  }

  @Test("keeps what a rule says when a row goes: nullify, cascade, deny, no action")
  func deleteRules() throws {
    let (data, anne) = (try session("SwiftData"), try presenter("Anne"))
    let slot = try TimeSlot(sessionID: data.id).inserted(database)
    let remark = try Remark(sessionID: data.id).inserted(database)
    #expect(try data.delete(database))
    #expect(try Presenter.all.count(database) == 4)
    #expect(try slot.refreshed(database)?.sessionID == nil)
    // A reference that is not enforced leads nowhere, and is read as nothing.
    #expect(try remark.refreshed(database)?.sessionID == data.id)
    #expect(try remark.session.fetch(database) == nil)

    let links = OnlineLink.Kind.allCases.map {
      OnlineLink(presenterID: anne.id, kind: $0, url: "https://example.org/\($0)")
    }
    #expect(try links.inserted(database).count == 3)
    let panel = try Panel(presenterID: anne.id).inserted(database)
    let error = #expect(throws: SQLError.self) { try anne.delete(database) }
    #expect(error?.rule == .deny)
    #expect(try anne.links.count(database) == 3)  // nothing of it happened
    try panel.delete(database)
    #expect(try anne.delete(database))
    #expect(try OnlineLink.all.isEmpty(database))
    #expect(try Session.all.count(database) == 2)
  }

  @Test("has tables that are made of the records, with their rules")
  func schema() throws {
    let made = Database()
    let schema = Schema(Session.self, Presenter.self, TimeSlot.self, OnlineLink.self)
    try schema.create(made)
    #expect(try schema.differences(made).isEmpty)
    let anne = try Presenter(name: "Anne").inserted(made)
    let names = ["Bob", "Claire", "David"]
    let session = try Session(title: "Macros").inserted(made)
    try session.presenters.add(names.map { Presenter(name: $0) }.inserted(made), made)
    let error = #expect(throws: SQLError.self) { try session.presenters.add(anne, made) }
    #expect(error?.rule == .maximum(3))
    try OnlineLink(presenterID: anne.id, kind: .web, url: "https://example.org").inserted(made)
    try anne.delete(made)
    #expect(try OnlineLink.all.isEmpty(made))
    // What the records say and a database does not is told in words, and as statements.
    try made.execute("ALTER TABLE online_link DROP COLUMN url")
    let difference = try #require(try schema.differences(made).first)
    #expect(difference.statements.count == 1)
  }

  @Test("ends cascades that go round")
  func cascadeInACircle() throws {
    try database.execute(
      """
      CREATE TABLE ring (id int PRIMARY KEY, next int REFERENCES ring ON DELETE CASCADE);
      INSERT INTO ring VALUES (1, NULL), (2, 1), (3, 2);
      UPDATE ring SET next = 3 WHERE id = 1;
      """)
    #expect(try database.execute("DELETE FROM ring WHERE id = 2") == 1)
    #expect(try database.query("SELECT * FROM ring").isEmpty)
  }

  @Test("knows who else is in the way when a session is late: two hops, who and how many")
  func sharing() throws {
    let late = try session("Async stuff")
    let others = try late.presenters.sessions.excluding(late).order(by: \.title).fetch(database)
    #expect(others.map(\.title) == ["Macros", "SwiftData"])
    let sharing = try late.sharing(\.presenters).fetch(database)
    #expect(
      sharing.map { "\($0.row.title) \($0.count) \($0.shared.map(\.name))" }.sorted() == [
        #"Macros 1 ["David"]"#, #"SwiftData 1 ["Anne"]"#,
      ])
    // The same as a pattern of a graph, which nobody had to make.
    let pattern = try database.query(
      """
      SELECT title, name FROM GRAPH_TABLE (*
        MATCH (a IS session WHERE a.id = \(try #require(late.id)))-[IS session_presenter]->(p IS presenter)
          <-[IS session_presenter]-(b IS session WHERE b.id <> \(try #require(late.id)))
        COLUMNS (b.title, p.name)) ORDER BY title
      """)
    #expect(pattern.map { $0["title"] } == ["Macros", "SwiftData"])
  }

  @Test("knows what is delayed after that, over how many hops and which sessions")
  func reachable() throws {
    let data = try session("SwiftData")
    let delayed = try data.reachable(by: \.presenters).fetch(database)
    #expect(delayed.map(\.row.title) == ["Async stuff", "Macros"])
    #expect(delayed.map(\.hops) == [1, 2])
    #expect(delayed.last?.path.map(\.title) == ["Async stuff", "Macros"])
    // A circle ends it.
    try data.presenters.add(try presenter("Claire"), database)
    #expect(try data.reachable(by: \.presenters).fetch(database).map(\.hops) == [1, 1])
  }

  @Test("asks by the kind of a link, an enumeration of both sides")
  func kinds() throws {
    let david = try presenter("David")
    try OnlineLink(presenterID: david.id, kind: .video, url: "https://example.org").inserted(
      database)
    #expect(try Presenter.where { $0.links.any { $0.kind == .video } }.fetch(database) == [david])
    #expect(try Presenter.where { $0.links.none { $0.kind == .video } }.count(database) == 3)
    let error = #expect(throws: SQLError.self) {
      try database.execute(
        "INSERT INTO online_link (presenter_id, kind, url) VALUES (1, 'radio', '')")
    }
    #expect(error?.state == .invalidTextRepresentation)
  }
}
