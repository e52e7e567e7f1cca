import Junction
import Testing

@Suite("Rows that are reached over any number of hops")
struct ReachableTests {
  private struct Session: Record, Hashable, Identifiable {
    var id: Int?
    var title: String?
    struct Relations: Sendable { let presenters = Many<Presenter>() }
    static let relations = Relations()
  }
  private struct Presenter: Record, Hashable {
    var id: Int?
    var name: String?
    struct Relations: Sendable {
      let sessions = Many<Session>()
      let links = Many<Link>()
    }
    static let relations = Relations()
  }
  private struct Link: Record, Hashable {
    var id: Int?
    var presenterID: Int?
  }
  private struct Person: Record, Hashable, Identifiable {
    var id: Int?
    var bossID: Int?
    struct Relations: Sendable {
      let follows = Many<Person>(through: "follow", from: "follower_id")
      let followers = Many<Person>(through: "follow", from: "followee_id")
      let reports = Many<Person>(from: "boss_id")
    }
    static let relations = Relations()
  }

  private static func conference() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE session (id int PRIMARY KEY, title text);
      CREATE TABLE presenter (id int PRIMARY KEY, name text);
      CREATE TABLE session_presenter (
        session_id int REFERENCES session, presenter_id int REFERENCES presenter, PRIMARY KEY (session_id, presenter_id));
      CREATE TABLE link (id int PRIMARY KEY, presenter_id int REFERENCES presenter);
      INSERT INTO session VALUES (1, 'SwiftData'), (2, 'Macros'), (3, 'Async stuff'), (4, 'Alone'), (5, NULL);
      INSERT INTO presenter VALUES (1, 'Anne'), (2, 'Bob'), (3, 'Claire'), (4, 'David');
      INSERT INTO session_presenter VALUES (1, 1), (2, 3), (2, 4), (3, 1), (3, 4), (5, 3), (4, 2);
      """)
    return database
  }

  @Test("end on cycles, and come once with one of the shortest ways")
  func reachableEndsOnCycles() throws {
    let database = try Self.conference()
    let session = try #require(try Session.find(1, in: database))
    let reached = try session.reachable(by: \.presenters).fetch(database)
    #expect(reached.map(\.row.id) == [3, 2, 5])
    #expect(reached.map(\.hops) == [1, 2, 3])
    #expect(reached.map { $0.path.map(\.id) } == [[3], [3, 2], [3, 2, 5]])
    #expect(reached[1].path.map(\.title) == ["Async stuff", "Macros"])
    #expect(reached[2].path.last == reached[2].row)
    let query = session.reachable(by: \.presenters)
    #expect(try query.count(database) == 3)
    #expect(try !query.isEmpty(database))
    #expect(try query.limit(1, offset: 1).fetch(database).map(\.row.id) == [2])
    #expect(try query.first(database)?.row.title == "Async stuff")
    let some: SQL = "SELECT max(\"+hops\") FROM (\(query)) q"
    #expect(try database.fetchOne(Int.self, some) == 3)
  }

  @Test("are within the hops that are asked for, of which the least count")
  func bounds() throws {
    let database = try Self.conference()
    let session = try #require(try Session.find(1, in: database))
    func ids(_ hops: ClosedRange<Int>) throws -> [Int?] {
      try session.reachable(by: \.presenters, hops: hops).fetch(database).map(\.row.id)
    }
    #expect(try ids(1...1) == [3])
    #expect(try ids(2...3) == [2, 5])
    #expect(try ids(0...2) == [3, 2])
    #expect(try ids(0...0) == [])
    #expect(try ids(4...9) == [])
  }

  @Test("are none where what belongs to a row belongs to no other")
  func children() throws {
    let database = try Self.conference()
    try database.execute("INSERT INTO link VALUES (1, 1), (2, 1)")
    let anne = try #require(try Presenter.find(1, in: database))
    #expect(try anne.reachable(by: \.links).fetch(database).isEmpty)
    #expect(try anne.reachable(by: \.links).count(database) == 0)
    #expect(
      try anne.reachable(by: \.sessions).fetch(database).map(\.row.name) == ["David", "Claire"])
  }

  @Test(
    "are those that a search by hand finds, over a junction table and over relations of a table to itself"
  )
  func bruteForce() throws {
    var numbers = RepeatableNumbers(7)
    for size in [1, 2, 4, 9] {
      let database = Database()
      try database.execute(
        """
        CREATE TABLE session (id int PRIMARY KEY, title text);
        CREATE TABLE presenter (id int PRIMARY KEY, name text);
        CREATE TABLE plays (
          presenter_id int REFERENCES presenter, session_id int REFERENCES session, PRIMARY KEY (session_id, presenter_id));
        CREATE TABLE person (id int PRIMARY KEY, boss_id int CONSTRAINT boss REFERENCES person);
        CREATE TABLE follow (
          follower_id int REFERENCES person, followee_id int REFERENCES person, PRIMARY KEY (follower_id, followee_id));
        """)
      func pairs(_ count: Int) -> Set<[Int]> {
        Set((0..<count).map { _ in [numbers.next(size), numbers.next(size)] })
      }
      let (plays, follows) = (pairs(size + 2), pairs(2 * size))
      let bosses = (0..<size).map { _ in numbers.next(size) }
      for id in 0..<size {
        try database.execute(
          "INSERT INTO session VALUES (\(id)); INSERT INTO presenter VALUES (\(id)); INSERT INTO person VALUES (\(id))"
        )
      }
      for id in 0..<size {
        try database.execute("UPDATE person SET boss_id = \(bosses[id]) WHERE id = \(id)")
      }
      for pair in plays {
        try database.execute("INSERT INTO plays VALUES (\(pair[0]), \(pair[1]))")
      }
      for pair in follows {
        try database.execute("INSERT INTO follow VALUES (\(pair[0]), \(pair[1]))")
      }
      for id in 0..<size {
        let session = Session(id: id)
        try Self.compare(session.reachable(by: \.presenters), database, from: id) { one in
          Set(
            plays.filter { $0[1] == one }.flatMap { link in
              plays.filter { $0[0] == link[0] }.map { $0[1] }
            })
        }
        let person = Person(id: id)
        try Self.compare(person.reachable(by: \.follows), database, from: id) { one in
          Set(follows.filter { $0[0] == one }.map { $0[1] })
        }
        try Self.compare(person.reachable(by: \.followers), database, from: id) { one in
          Set(follows.filter { $0[1] == one }.map { $0[0] })
        }
        try Self.compare(person.reachable(by: \.reports), database, from: id) { one in
          Set((0..<size).filter { bosses[$0] == one })
        }
      }
    }
  }

  /// Holds a query against a search level by level.
  private static func compare<Row: Record & Identifiable>(
    _ query: Query<Reached<Row>>, _ database: Database, from start: Int,
    neighbours: (Int) -> Set<Int>
  ) throws where Row.ID == Int? {
    var hops = [start: 0]
    var front: Set<Int> = [start]
    while !front.isEmpty {
      let level = (hops.values.max() ?? 0) + 1
      front = Set(front.flatMap { neighbours($0) }).filter { hops[$0] == nil }
      for id in front { hops[id] = level }
    }
    hops[start] = nil
    let reached = try query.fetch(database)
    let expected = hops.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    #expect(reached.map(\.row.id) == expected.map(\.key))
    #expect(reached.map(\.hops) == expected.map(\.value))
    for found in reached {
      #expect(found.path.count == found.hops && found.path.last?.id == found.row.id)
      for (one, next) in zip([start] + found.path.compactMap(\.id), found.path) {
        #expect(neighbours(one).contains(next.id ?? -1))
      }
    }
  }

  @Test("go by the foreign keys of a junction table that links more than two")
  func threeEnds() throws {
    let database = Database()
    try database.execute(
      """
      CREATE TABLE session (id int, part int, title text, PRIMARY KEY (id, part));
      CREATE TABLE presenter (id int PRIMARY KEY, name text);
      CREATE TABLE room (id int PRIMARY KEY);
      CREATE TABLE plays (
        session_id int, session_part int, presenter_id int REFERENCES presenter, room_id int REFERENCES room,
        FOREIGN KEY (session_id, session_part) REFERENCES session,
        PRIMARY KEY (session_id, session_part, presenter_id, room_id));
      INSERT INTO session VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c'), (2, 2, 'd');
      INSERT INTO presenter VALUES (1, 'Anne'), (2, 'Bob'), (3, 'Claire');
      INSERT INTO room VALUES (1), (2);
      INSERT INTO plays VALUES (1, 1, 1, 1), (1, 2, 1, 2), (1, 2, 2, 2), (2, 1, 2, 1), (2, 2, 3, 1);
      """)
    let session = try #require(try Part.find(1, 1, in: database))
    let reached = try session.reachable(by: \.presenters).fetch(database)
    #expect(reached.map(\.row.title) == ["b", "c"])
    #expect(reached.map(\.hops) == [1, 2])
    #expect(reached.last?.path.map(\.title) == ["b", "c"])
  }

  private struct Part: Record, Hashable {
    var id: Int
    var part: Int
    var title: String
    struct Relations: Sendable { let presenters = Many<Presenter>() }
    static let relations = Relations()
    static let table = "session"
  }

  @Test("refuses a row that has no key yet, and names that two tables have")
  func errors() throws {
    let database = try Self.conference()
    var error = #expect(throws: SQLError.self) {
      try Session().reachable(by: \.presenters).fetch(database)
    }
    #expect(error?.state == .objectNotInPrerequisiteState)
    try database.execute("CREATE SCHEMA old; CREATE TABLE old.session (id int PRIMARY KEY)")
    error = #expect(throws: SQLError.self) {
      try Session(id: 1).reachable(by: \.presenters).fetch(database)
    }
    #expect(error?.state == .featureNotSupported)
  }
}
