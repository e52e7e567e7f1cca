import Catalog
import Columnar
import Diagnostics
import Testing

@testable import Execution

/// A generator of numbers that gives the same ones for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The rows of `p (id)` and `c (id, p, q)`, with the rules checked by looking at every pair of rows.
struct NaiveFamily: Equatable {
  var parents: Set<Int> = []
  /// Children by id: a cascading and a nullable parent.
  var children: [Int: [Int?]] = [:]

  var isValid: Bool {
    children.values.allSatisfy { row in row.allSatisfy { $0.map(parents.contains) ?? true } }
  }

  mutating func insertParent(_ id: Int) -> Bool { parents.insert(id).inserted }

  mutating func insertChild(_ id: Int, _ p: Int?, _ q: Int?) -> Bool {
    if children[id] != nil { return false }
    children[id] = [p, q]
    return isValid
  }

  mutating func deleteParents(_ condition: (Int) -> Bool) {
    parents = parents.filter { !condition($0) }
    for (id, row) in children {
      if let p = row[0], !parents.contains(p) {
        children[id] = nil
      } else if let q = row[1], !parents.contains(q) {
        children[id] = [row[0], nil]
      }
    }
  }

  mutating func moveParent(_ id: Int, to new: Int) -> Bool {
    guard parents.contains(id) else { return true }
    if new != id, parents.contains(new) { return false }
    // The second foreign key does not follow.
    if new != id, children.values.contains(where: { $0[1] == id }) { return false }
    parents.remove(id)
    parents.insert(new)
    for (child, row) in children where row[0] == id { children[child] = [new, row[1]] }
    return true
  }

  mutating func pointChild(_ id: Int, to q: Int?) -> Bool {
    guard let row = children[id] else { return true }
    children[id] = [row[0], q]
    return isValid
  }

  var rows: [String] {
    parents.sorted().map { "p|\($0)" }
      + children.sorted { $0.key < $1.key }.map { id, row in
        "c|\(id)|\(row[0].map(String.init) ?? "null")|\(row[1].map(String.init) ?? "null")"
      }
  }
}

@Suite("Histories of changes end where a naive model ends")
struct HistoryTests {
  static let schema = """
    create table p (id int primary key);
    create table c (id int primary key, p int references p on delete cascade on update cascade,
      q int references p on delete set null);
    """

  /// A statement, and what it does to the model; false if it must fail.
  static func step(
    _ random: inout SeededGenerator
  ) -> (sql: String, apply: (inout NaiveFamily) -> Bool) {
    let a = Int.random(in: 1...12, using: &random)
    let b = Int.random(in: 1...12, using: &random)
    let child = Int.random(in: 1...20, using: &random)
    let q: Int? = Bool.random(using: &random) ? b : nil
    let shown = q.map(String.init) ?? "null"
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return ("insert into p values (\(a))", { $0.insertParent(a) })
    case 1, 2:
      return (
        "insert into c values (\(child), \(a), \(shown))", { $0.insertChild(child, a, q) }
      )
    case 3:
      return (
        "delete from p where id % 7 = \(a % 7)",
        { family in
          family.deleteParents { $0 % 7 == a % 7 }
          return true
        }
      )
    case 4: return ("update p set id = \(b) where id = \(a)", { $0.moveParent(a, to: b) })
    default:
      return (
        "update c set q = \(shown) where id = \(child)", { $0.pointChild(child, to: q) }
      )
    }
  }

  static func stored(_ session: ScriptSession) throws -> [String] {
    try session.run("select 'p', id from p order by id")
      + session.run("select 'c', id, p, q from c order by id")
  }

  @Test("Every statement does what the model does, or fails with it", arguments: 1...12)
  func statements(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let session = ScriptSession()
    try session.run(Self.schema)
    var model = NaiveFamily()
    for number in 0..<60 {
      let step = Self.step(&random)
      var trial = model
      let isFine = step.apply(&trial)
      let error = session.failure(step.sql)
      #expect((error == nil) == isFine, "\(number): \(step.sql) \(error?.message ?? "")")
      if isFine { model = trial }
      #expect(try Self.stored(session) == model.rows, "\(number): \(step.sql)")
    }
  }

  @Test("Savepoints and rollbacks lead back to where the model was", arguments: 1...12)
  func transactions(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed) &* 7919)
    let session = ScriptSession()
    try session.run(Self.schema)
    var committed = NaiveFamily()
    for _ in 0..<8 {
      var model = committed
      var saved: [(String, NaiveFamily)] = []
      try session.run("begin")
      for _ in 0..<15 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let name = ["a", "b"].randomElement(using: &random) ?? "a"
          try session.run("savepoint \(name)")
          saved.append((name, model))
        case 1 where !saved.isEmpty:
          let name = saved[Int.random(in: 0..<saved.count, using: &random)].0
          guard let place = saved.lastIndex(where: { $0.0 == name }) else { continue }
          try session.run("rollback to \(name)")
          model = saved[place].1
          saved.removeSubrange((place + 1)...)
        case 2 where !saved.isEmpty:
          let name = saved[Int.random(in: 0..<saved.count, using: &random)].0
          guard let place = saved.lastIndex(where: { $0.0 == name }) else { continue }
          try session.run("release \(name)")
          saved.removeSubrange(place...)
        default:
          let step = Self.step(&random)
          var trial = model
          let isFine = step.apply(&trial)
          #expect((session.failure(step.sql) == nil) == isFine, "\(step.sql)")
          if isFine { model = trial }
        }
        #expect(try Self.stored(session) == model.rows)
      }
      if Bool.random(using: &random) {
        try session.run("commit")
        committed = model
      } else {
        try session.run("rollback")
      }
      #expect(try Self.stored(session) == committed.rows)
    }
  }

  @Test("A load names every row that breaks a rule")
  func load() throws {
    let session = ScriptSession()
    try session.run(
      """
      create table p (id int primary key);
      create table c (id int primary key, p int not null references p, up int references c,
        check (id < 100));
      insert into p values (1), (2);
      """)
    func violations(_ rows: [[Value]]) throws -> [String] {
      let transaction = OpenTransaction(session.state)
      try transaction.beginStatement(writes: true)
      guard case .table(let table)? = transaction.catalog.relation(schema: nil, "c") else {
        return []
      }
      let context = ExecutionContext(
        evaluation: EvaluationContext(transactionTime: 0, statementTime: 0), tables: TableSet())
      let load = try BulkInsert(table, in: transaction, context: context)
      let columns = (0..<3).map { column in Vector(.integer, rows.map { $0[column] }) }
      try load.append(DataChunk(columns, count: rows.count))
      let found = try load.finish()
      if found.isEmpty {
        try transaction.endStatement()
        try transaction.commit()
      } else {
        transaction.rollBack()
      }
      return found.map { "\($0.row) \($0.error.state.code) \($0.error.detail ?? "")" }
    }
    #expect(
      try violations([
        [.int32(1), .int32(1), .int32(2)], [.int32(2), .null, .null],
        [.int32(1), .int32(2), .null], [.int32(100), .int32(1), .null],
      ]) == [
        "1 23502 Failing row contains (2, null, null).", "2 23505 Key (id)=(1) already exists.",
        "3 23514 Failing row contains (100, 1, null).",
      ])
    #expect(
      try violations([
        [.int32(1), .int32(9), .int32(2)], [.int32(2), .int32(1), .int32(7)],
      ]) == [
        "0 23503 Key (p)=(9) is not present in table \"p\".",
        "1 23503 Key (up)=(7) is not present in table \"c\".",
      ])
    #expect(
      try violations([[.int32(1), .int32(1), .int32(2)], [.int32(2), .int32(1), .null]]) == [])
    #expect(
      try violations([
        [.int32(3), .int32(1), .int32(4)], [.int32(2), .int32(1), .null],
        [.int32(4), .int32(5), .null],
      ]) == [
        "1 23505 Key (id)=(2) already exists.",
        "2 23503 Key (p)=(5) is not present in table \"p\".",
      ])
    #expect(
      try violations([[.int32(3), .int32(1), .int32(4)], [.int32(4), .int32(2), .int32(1)]]) == [])
    #expect(
      try session.run("select id, p, up from c order by id")
        == ["1|1|2", "2|1|null", "3|1|4", "4|2|1"])
  }
}
