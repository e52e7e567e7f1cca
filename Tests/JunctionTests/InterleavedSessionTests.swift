import Diagnostics
import Junction
import Testing

@Suite("Sessions that read and write in turn")
struct InterleavedSessionTests {
  /// Numbers that a seed determines.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
  }

  /// Rows that somebody still holds, and what they were when they were read.
  private struct Held {
    var rows: ResultSet
    var isOrdered: Bool
    var expected: [String]
  }

  private struct OpenTransaction {
    var isRepeatable: Bool
    /// What the transaction sees; of its own once it writes.
    var model: SchoolModel
    var writeCount: Int
    var hasLock = false
    var isFailed = false
    /// Their models are nil as long as nothing had been written.
    var savepoints: [(name: String, model: SchoolModel?)] = []
    var cursors: [(name: String, rows: [String])] = []
  }

  /// One session with its prepared statements.
  private struct Client {
    let connection: Connection
    let reads: [PreparedStatement]
    let writes: [PreparedStatement]
    var transaction: OpenTransaction?

    init(_ database: Database) throws {
      connection = database.connect()
      reads = try SchoolModel.reads.map { [connection] in try connection.prepare($0.0) }
      writes = try SchoolModel.writes.map { [connection] in try connection.prepare($0) }
    }
  }

  private struct World {
    var clients: [Client]
    var model: SchoolModel
    /// How often something may have been published.
    var writeCount = 0
    var held: [Held] = []
    var random: Generator
    let studentLimit: Int
  }

  private static func spell(_ rows: ResultSet, isOrdered: Bool) -> [String] {
    let texts = rows.map { row in
      row.values.map { value in
        switch value {
        case .integer(let number): "\(number)"
        case .text(let text): text
        default: "-"
        }
      }.joined(separator: "|")
    }
    return isOrdered ? texts : texts.sorted()
  }

  // MARK: Steps

  private static func read(_ client: Int, _ world: inout World) throws {
    if world.clients[client].transaction?.isFailed == true { return }
    let query = world.random.below(SchoolModel.reads.count)
    let value = 1 + world.random.below(query == 1 || query == 6 ? 24 : world.studentLimit)
    let (sql, isOrdered) = SchoolModel.reads[query]
    let transaction = world.clients[client].transaction
    let seen =
      transaction.map { $0.hasLock || $0.isRepeatable ? $0.model : world.model } ?? world.model
    let parameters: [SQLValue] = sql.contains("$1") ? [.integer(Int64(value))] : []
    let rows =
      world.random.below(6) == 0
      ? try world.clients[client].connection.query(
        sql.replacing("$1", with: "\(value)"), [])
      : try #require(try world.clients[client].reads[query].execute(with: parameters).rows)
    let expected = seen.rows(query, value)
    #expect(spell(rows, isOrdered: isOrdered) == expected, "client \(client): \(sql) \(value)")
    if world.random.below(4) == 0 {
      world.held.append(Held(rows: rows, isOrdered: isOrdered, expected: expected))
    }
  }

  private static func write(_ client: Int, _ world: inout World) throws {
    if world.clients[client].transaction?.isFailed == true { return }
    let isLocked = world.clients.indices.contains {
      $0 != client && world.clients[$0].transaction?.hasLock == true
    }
    if isLocked { return }
    // Changes of one row are what is to be tried most.
    let statement =
      world.random.below(4) == 0
      ? world.random.below(SchoolModel.writes.count) : world.random.below(7)
    var values = [
      1 + world.random.below(world.studentLimit), 1 + world.random.below(22),
      1 + world.random.below(22),
    ]
    if statement == 4 || statement == 6 || statement == 9 || statement == 13 {
      values[0] = 1 + world.random.below(22)
    }
    if statement == 2 || statement == 12 { values[1] = 1 + world.random.below(world.studentLimit) }
    let prepared = world.clients[client].writes[statement]
    let count = (1...3).last { SchoolModel.writes[statement].contains("$\($0)") } ?? 0
    let parameters = (0..<count).map { index -> SQLValue in
      let isName = (statement == 4 || statement == 13) && index == 1
      return isName ? .text(SchoolModel.name(values[1])) : .integer(Int64(values[index]))
    }
    var outcome: SchoolModel.Outcome
    do throws(SQLError) {
      let tag = try prepared.execute(with: parameters).commandTag
      outcome = .rows(Int(tag.split(separator: " ").last ?? "") ?? -1)
    } catch {
      outcome = .error("\(error.state.code)")
    }
    let comment: Comment = "client \(client): \(SchoolModel.writes[statement]) \(values)"
    guard var transaction = world.clients[client].transaction else {
      #expect(outcome == world.model.write(statement, values), comment)
      world.writeCount += 1
      return
    }
    if outcome == .error("40001") {
      #expect(transaction.isRepeatable && transaction.writeCount != world.writeCount, comment)
      transaction.isFailed = true
    } else {
      if !transaction.hasLock {
        if transaction.isRepeatable { #expect(transaction.model == world.model, comment) }
        transaction.hasLock = true
        transaction.model = world.model
        for index in transaction.savepoints.indices {
          transaction.savepoints[index].model = world.model
        }
      }
      let expected = transaction.model.write(statement, values)
      #expect(outcome == expected, comment)
      if case .error = expected { transaction.isFailed = true }
    }
    world.clients[client].transaction = transaction
  }

  private static func control(_ client: Int, _ world: inout World) throws {
    let connection = world.clients[client].connection
    guard var transaction = world.clients[client].transaction else {
      let isRepeatable = world.random.below(3) == 0
      try connection.execute(
        isRepeatable ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN")
      world.clients[client].transaction = OpenTransaction(
        isRepeatable: isRepeatable, model: world.model, writeCount: world.writeCount)
      return
    }
    switch world.random.below(8) {
    case 0 where !transaction.isFailed, 1 where !transaction.isFailed:
      try connection.execute("COMMIT")
      if transaction.hasLock {
        world.model = transaction.model
        world.writeCount += 1
      }
      world.clients[client].transaction = nil
      return
    case 2:
      try connection.execute("ROLLBACK")
      world.clients[client].transaction = nil
      return
    case 3 where !transaction.isFailed, 4 where !transaction.isFailed:
      let name = "s\(transaction.savepoints.count)"
      try connection.execute("SAVEPOINT \(name)")
      transaction.savepoints.append((name, transaction.hasLock ? transaction.model : nil))
    case 5 where !transaction.isFailed && !transaction.savepoints.isEmpty:
      let index = world.random.below(transaction.savepoints.count)
      try connection.execute("RELEASE \(transaction.savepoints[index].name)")
      transaction.savepoints.removeSubrange(index...)
    case 6 where !transaction.savepoints.isEmpty, 7 where !transaction.savepoints.isEmpty:
      if !transaction.isFailed {
        try connection.execute("CLOSE ALL")
        transaction.cursors = []
      }
      let index = world.random.below(transaction.savepoints.count)
      try connection.execute("ROLLBACK TO \(transaction.savepoints[index].name)")
      transaction.savepoints.removeSubrange((index + 1)...)
      if let model = transaction.savepoints[index].model { transaction.model = model }
      transaction.isFailed = false
    default:
      if transaction.isFailed { break }
      let seen =
        transaction.hasLock || transaction.isRepeatable ? transaction.model : world.model
      let name = "c\(world.random.next())"
      try connection.execute("DECLARE \(name) CURSOR FOR \(SchoolModel.reads[9].0)")
      transaction.cursors.append((name, seen.rows(9, 0)))
    }
    world.clients[client].transaction = transaction
  }

  /// Reads on in a cursor that was opened before.
  private static func fetch(_ client: Int, _ world: inout World) throws {
    guard let transaction = world.clients[client].transaction, !transaction.isFailed,
      !transaction.cursors.isEmpty
    else { return }
    let index = world.random.below(transaction.cursors.count)
    let rows = try world.clients[client].connection.query(
      "FETCH 3 FROM \(transaction.cursors[index].name)")
    let expected = Array(transaction.cursors[index].rows.prefix(3))
    #expect(spell(rows, isOrdered: true) == expected)
    world.held.append(Held(rows: rows, isOrdered: true, expected: expected))
    world.clients[client].transaction?.cursors[index].rows.removeFirst(expected.count)
  }

  private static func checkHeld(_ world: inout World) {
    for held in world.held {
      #expect(spell(held.rows, isOrdered: held.isOrdered) == held.expected)
    }
    // Most rounds let go of everything, so that changes can be made in place again.
    world.held.removeAll { _ in true }
  }

  private static func world(_ seed: Int, studentCount: Int) throws -> World {
    let database = Database()
    let connection = database.connect()
    try connection.execute(SchoolModel.schema)
    var model = SchoolModel()
    try connection.execute(
      "INSERT INTO student SELECT i FROM generate_series(1, \(studentCount)) i")
    model.students = Set(1...studentCount)
    for course in 1...15 {
      try connection.execute(
        "INSERT INTO course VALUES ($1, $2)",
        [.integer(Int64(course)), .text(SchoolModel.name(course))])
      model.courses[course] = SchoolModel.name(course)
    }
    // One course with many students, whose list of neighbours stands apart.
    try connection.execute(
      "INSERT INTO enrols_in SELECT i, 3 FROM generate_series(1, \(studentCount), 2) i")
    for student in stride(from: 1, through: studentCount, by: 2) {
      model.edges.insert(.init(student: student, course: 3))
    }
    let clients = try (0..<3).map { _ in try Client(database) }
    return World(
      clients: clients, model: model, random: Generator(state: UInt64(seed)),
      studentLimit: studentCount + 4)
  }

  @Test(
    "see what a plain model says, whatever rows, cursors and savepoints are kept meanwhile",
    arguments: 0..<6)
  func history(_ seed: Int) throws {
    let isLarge = seed % 3 == 2
    var world = try Self.world(seed, studentCount: isLarge ? 3000 : 20)
    // Without transactions and readers all changes are made in place.
    let isQuiet = seed % 2 == 1
    for step in 0..<(isLarge ? 500 : 2000) {
      let client = world.random.below(world.clients.count)
      switch world.random.below(20) {
      case 0..<11: try Self.write(client, &world)
      case 11..<16: try Self.read(client, &world)
      case 16..<19 where !isQuiet || world.clients[client].transaction != nil:
        try Self.control(client, &world)
      case 16..<19: if step % 50 == 0 { try Self.control(client, &world) }
      default: try Self.fetch(client, &world)
      }
      if isQuiet || step % 40 == 39 { Self.checkHeld(&world) }
      if step % 500 == 499 {
        for client in world.clients.indices { try Self.end(client, &world) }
        Self.checkHeld(&world)
        try Self.compare(world)
      }
    }
    for client in world.clients.indices { try Self.end(client, &world) }
    try Self.compare(world)
  }

  private static func end(_ client: Int, _ world: inout World) throws {
    guard let transaction = world.clients[client].transaction else { return }
    let commits = !transaction.isFailed && world.random.below(2) == 0
    try world.clients[client].connection.execute(commits ? "COMMIT" : "ROLLBACK")
    if commits && transaction.hasLock { world.model = transaction.model }
    world.writeCount += 1
    world.clients[client].transaction = nil
  }

  /// Every query of every session gives what the model has.
  private static func compare(_ world: World) throws {
    for client in world.clients {
      for (query, (sql, isOrdered)) in SchoolModel.reads.enumerated() {
        for value in [1, 2, 3, 7, 11, 24] {
          let parameters: [SQLValue] = sql.contains("$1") ? [.integer(Int64(value))] : []
          let rows = try #require(try client.reads[query].execute(with: parameters).rows)
          #expect(spell(rows, isOrdered: isOrdered) == world.model.rows(query, value), "\(sql)")
        }
      }
    }
  }

  @Test("lose nothing that others committed behind a savepoint at which nothing was written")
  func savepointBeforeWriting() throws {
    let database = Database()
    let first = database.connect()
    let second = database.connect()
    try first.execute("CREATE TABLE t (id int PRIMARY KEY)")
    let insert = try second.prepare("INSERT INTO t VALUES ($1)")
    try first.execute("BEGIN")
    try first.execute("SAVEPOINT a")
    try insert.execute(.integer(1))
    try first.execute("INSERT INTO t VALUES (2)")
    try first.execute("ROLLBACK TO a")
    try first.execute("INSERT INTO t VALUES (3)")
    try first.execute("COMMIT")
    let rows = try first.query("SELECT id FROM t ORDER BY id").map(\.values)
    #expect(rows == [[.integer(1)], [.integer(3)]])
  }
}
