import Diagnostics
import Junction
import SimulatedDisk

/// A table of random columns and values: decoding its rows gives what was stored, and what decoding them from JSON gives.
struct DecodedTable {
  private let columns: [(name: String, kind: DecodedKind)]
  private let stored: [[SQLValue]]

  init(_ random: SimulationRandom) {
    var random = random
    let columns = (0..<random.within(1...9)).map { index in
      (name: "c\(index)", kind: random.pick(DecodedKind.all))
    }
    stored = (0..<random.within(0...60)).map { _ in
      columns.map { random.chance(25) ? .null : $0.kind.make(&random) }
    }
    self.columns = columns
  }

  private func definition(of table: String) -> String {
    let list = columns.map { "\($0.name) \($0.kind.type)" }.joined(separator: ", ")
    return "CREATE TABLE \(table) (place serial, \(list))"
  }

  /// The statement that makes the table.
  var schema: String { definition(of: "t") }

  /// What is wrong, nil if nothing is.
  func run(_ tally: inout HuntTally) throws -> String? {
    let database = Database()
    for table in ["t", "u", "v"] { try database.execute(SQL(raw: definition(of: table))) }
    let marks = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
    let names = columns.map(\.name).joined(separator: ", ")
    for values in stored {
      try database.execute(SQL(raw: "INSERT INTO t (\(names)) VALUES (\(marks))", values))
    }
    tally.cases += stored.count
    return try DecodedRow.$schema.withValue(columns) {
      try reading(database) ?? writing(database)
    }
  }

  private func reading(_ database: Database) throws -> String? {
    let typed = try database.fetchAll(DecodedRow.self, "SELECT * FROM t ORDER BY place")
    for (found, values) in zip(typed, stored) where found.values != values {
      return "\(found.values) for \(values)"
    }
    let json = try database.fetchAll(
      JSON<DecodedRow>.self, "SELECT to_json(t) FROM t ORDER BY place")
    guard typed.count == stored.count, json.count == stored.count else { return "count" }
    for (left, right) in zip(typed, json) where left != right.value {
      return "\(left.values), and from JSON \(right.value.values)"
    }
    // Filtered, so that values stand elsewhere than their rows.
    let odd = try database.fetchAll(
      DecodedRow.self, "SELECT * FROM t WHERE place % 2 = 1 ORDER BY place")
    return odd == typed.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      ? nil : "rows that were filtered"
  }

  /// Into a table again, by properties and by columns.
  private func writing(_ database: Database) throws -> String? {
    let typed = try database.fetchAll(DecodedRow.self, "SELECT * FROM t ORDER BY place")
    let input = columns.indices.map { index in
      ColumnInput(columns[index].name, stored.map { AnyValue(value: $0[index]) })
    }
    guard try database.insert(typed, into: "u") == typed.count,
      try database.fetchAll(DecodedRow.self, "SELECT * FROM u ORDER BY place") == typed
    else { return "insert" }
    guard try database.append(input, to: "v") == typed.count,
      try database.fetchAll(DecodedRow.self, "SELECT * FROM v ORDER BY place") == typed
    else { return "append" }
    return nil
  }
}

/// A row of the schema at hand.
private struct DecodedRow: Codable, Hashable {
  @TaskLocal static var schema: [(name: String, kind: DecodedKind)] = []
  let values: [SQLValue]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ColumnKey.self)
    values = try Self.schema.map { try $0.kind.decode(container, ColumnKey($0.name)) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ColumnKey.self)
    for (column, value) in zip(Self.schema, values) {
      try column.kind.encode(value, &container, ColumnKey(column.name))
    }
  }
}

/// Any value, as a type that stands in a column.
private struct AnyValue: SQLValueConvertible {
  static var sqlType: SQLType { SQLType("text") }
  let sqlValue: SQLValue
  init(value: SQLValue) { sqlValue = value }
  init(sqlValue: SQLValue) { self.sqlValue = sqlValue }
  init(from decoder: any Decoder) throws { sqlValue = .null }
  func encode(to encoder: any Encoder) throws {}
}
