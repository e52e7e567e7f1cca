import Diagnostics
import Foundation
import Junction

/// How many cases the tests of patterns run, and from which seed.
///
/// The full run is `JUNCTION_GRAPH_CASES=100000 swift test --filter 'Graph.*Tests'`; `JUNCTION_GRAPH_SEED` repeats the one world that a failure names.
enum GraphCases {
  private static let environment = ProcessInfo.processInfo.environment

  static func count(usually count: Int) -> Int {
    environment["JUNCTION_GRAPH_CASES"].flatMap(Int.init) ?? count
  }

  static let seed = environment["JUNCTION_GRAPH_SEED"].flatMap(UInt64.init)

  /// Says what a long run has done.
  static func report(_ text: String) {
    if environment["JUNCTION_GRAPH_CASES"] != nil || seed != nil { print(text) }
  }
}

/// A world in a database of its own, with what was done to it.
struct GraphCase {
  let connection = Database().connect()
  var world: GraphWorld
  private(set) var script: [String] = []

  init(_ random: inout GraphRandom) throws(SQLError) {
    world = GraphWorld(&random)
    try run(world.definitions)
    for statement in world.fill(&random) { try run(statement) }
  }

  mutating func run(_ statement: String) throws(SQLError) {
    script.append(statement)
    try connection.execute(statement)
  }

  /// Changes a few rows, at times within a transaction that is undone.
  mutating func change(_ random: inout GraphRandom) throws(SQLError) {
    for _ in 0..<(1 + random.below(4)) {
      if random.chance(8) {
        var other = world
        try run("BEGIN")
        for statement in other.change(&random) { try run(statement) }
        try run("ROLLBACK")
      }
      for statement in world.change(&random) { try run(statement) }
    }
  }

  /// The rows of a query, values parted by `|`.
  func rows(_ sql: String) throws(SQLError) -> [String] {
    let result = try connection.query(sql)
    return (0..<result.count).map { row in
      result.columns.indices.map { result.text(row: row, column: $0) ?? "NULL" }
        .joined(separator: "|")
    }
  }

  /// What repeats a failure in the shell.
  func repetition(_ sql: String) -> String {
    (script + [sql]).map { $0 + ";" }.joined(separator: "\n")
  }
}

extension NaiveAnswer {
  /// What is wrong with rows; nil if nothing is.
  func fault(of rows: [String], _ columns: [String]) -> String? {
    let plain = Self.columnsWithoutTables(rows, columns)
    switch self {
    case .rows(let expected):
      return Self.difference(rows, expected.map { Self.strip($0, plain) })
    case .choices(let choices):
      var left = choices
      let byEnds = Dictionary(grouping: rows) {
        $0.split(separator: "|", omittingEmptySubsequences: false).prefix(2).joined(separator: "|")
      }
      for (ends, group) in byEnds {
        guard let choice = left.removeValue(forKey: ends) else {
          return "no path has the ends \(ends)"
        }
        if let fault = choice.fault(of: group, plain) { return "ends \(ends): \(fault)" }
      }
      return left.isEmpty ? nil : "missing ends: \(left.keys.sorted())"
    }
  }

  static func difference(_ rows: [String], _ expected: [String]) -> String? {
    let (found, wanted) = (rows.sorted(), expected.sorted())
    if found == wanted { return nil }
    var counts: [String: Int] = [:]
    for row in found { counts[row, default: 0] += 1 }
    for row in wanted { counts[row, default: 0] -= 1 }
    let extra = counts.filter { $0.value > 0 }.map { "\($0.key) x\($0.value)" }.sorted().prefix(6)
    let missing = counts.filter { $0.value < 0 }.map { "\($0.key) x\(-$0.value)" }.sorted().prefix(
      6)
    return "\(found.count) rows for \(wanted.count); extra \(extra); missing \(missing)"
  }

  /// Columns of elements of a path in which keys stand without their tables, as they are all of one type.
  private static func columnsWithoutTables(_ rows: [String], _ columns: [String]) -> Set<Int> {
    var plain: Set<Int> = []
    for (index, column) in columns.enumerated()
    where column.contains("vertices(") || column.contains("edges(") {
      let values = rows.map {
        $0.split(separator: "|", omittingEmptySubsequences: false)[index]
      }
      if !values.contains(where: { $0.contains("(") }) { plain.insert(index) }
    }
    return plain
  }

  fileprivate static func strip(_ row: String, _ plain: Set<Int>) -> String {
    if plain.isEmpty { return row }
    let values = row.split(separator: "|", omittingEmptySubsequences: false)
    return values.enumerated().map { index, value in
      guard plain.contains(index) else { return String(value) }
      return value.split(separator: ";").map { part in
        part.contains("(") ? String(part.drop { $0 != "(" }.dropFirst().dropLast()) : String(part)
      }.joined(separator: ";")
    }.joined(separator: "|")
  }
}

extension NaiveAnswer.Choice {
  fileprivate func fault(of rows: [String], _ plain: Set<Int>) -> String? {
    if rows.count != count { return "\(rows.count) paths for \(count)" }
    var options: [String: Int] = [:]
    var known: [String: Int] = [:]
    for option in self.options {
      let row = NaiveAnswer.strip(option, plain)
      options[row, default: 0] += 1
      known[row] = optionLengths[option]
    }
    for row in rows {
      guard let left = options[row], left > 0 else {
        return "\(row) is no path, or comes too often"
      }
      options[row] = left - 1
    }
    // Rows that do not show all of a path may stand for several, of several lengths.
    guard let lengths, Set(self.options).count == self.options.count else { return nil }
    let found = rows.compactMap { known[$0] }.sorted()
    return found == lengths ? nil : "lengths \(found) for \(lengths)"
  }
}
