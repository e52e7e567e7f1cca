import Columnar
import Testing

@testable import Storage

/// A generator of random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }
}

/// One row of the naïve model: what the table should hold.
struct ModelRow {
  var id: Int64
  var label: String?
  var number: Int32?
  var tags: [Int32]?
  var a: UInt32
  var b: UInt32
  var isLive = true

  var values: [Value] {
    [
      .int64(id), label.map { .string($0) } ?? .null, number.map { .int32($0) } ?? .null,
      tags.map { .list($0.map { .int32($0) }) } ?? .null,
    ]
  }
}

/// A table as an array of rows, to hold the real one against.
struct TableModel {
  static let types: [LogicalType] = [.bigint, .text, .integer, .array(.integer)]
  static let layout = TableLayout(
    keys: [
      .init(columns: [0], isUnique: true),
      .init(columns: [1], isUnique: false),
      .init(columns: [2, 1], isUnique: false, nullsNotDistinct: true),
      .init(columns: [1, 0], isUnique: true),
    ],
    references: [.init(columns: [4]), .init(columns: [5])],
    junctions: [.init(from: 0, to: 1, isUnique: true)])

  var rows: [ModelRow] = []

  static func chunk(_ rows: [ModelRow]) -> DataChunk {
    DataChunk(
      types.indices.map { column in
        Vector(types[column], rows.map { $0.values[column] })
      }, count: rows.count)
  }

  static func parents(_ rows: [ModelRow]) -> [Buffer<UInt32>?] {
    [Buffer(rows.map(\.a)), Buffer(rows.map(\.b))]
  }

  var livePositions: [UInt32] { rows.indices.filter { rows[$0].isLive }.map { UInt32($0) } }

  /// Text that stays in the view, and text that does not.
  static func label(_ generator: inout SeededGenerator) -> String? {
    switch generator.below(6) {
    case 0: nil
    case 1: "a label much longer than twelve bytes \(generator.below(5))"
    default: "l\(generator.below(12))"
    }
  }

  static func row(_ id: Int64, _ generator: inout SeededGenerator) -> ModelRow {
    ModelRow(
      id: id, label: label(&generator),
      number: generator.below(4) == 0 ? nil : Int32(generator.below(20)),
      tags: generator.below(5) == 0
        ? nil : (0..<generator.below(4)).map { _ in Int32(generator.below(100)) },
      a: UInt32(generator.below(300)), b: UInt32(generator.below(40)))
  }

  // MARK: Comparison

  /// Compares everything that can be read of a version with the model.
  func check(_ table: TableStore, _ comment: Comment) {
    table.checkInvariants()
    #expect(table.rowCount == rows.count, comment)
    #expect(table.liveRowCount == rows.count { $0.isLive }, comment)
    checkScan(table, comment)
    checkGather(table, comment)
    checkKeys(table, comment)
    checkAdjacency(table, comment)
  }

  private func checkScan(_ table: TableStore, _ comment: Comment) {
    var seen: [String] = []
    for page in 0..<table.pageCount {
      let chunk = table.scan(page: page, columns: [0, 1, 2, 3])
      for row in 0..<chunk.count {
        seen.append("\(chunk.columns.map { $0.value(at: row) })")
      }
    }
    #expect(seen == rows.filter(\.isLive).map { "\($0.values)" }, comment)
  }

  private func checkGather(_ table: TableStore, _ comment: Comment) {
    var positions = rows.indices.reversed().map { UInt32($0) }
    positions.append(TableStore.noRow)
    let chunk = table.gather(
      Buffer(positions), count: positions.count, columns: [0, 1, 2, 3], optional: true)
    let nothing: [Value] = [.null, .null, .null, .null]
    for (index, position) in positions.enumerated() {
      let seen = "\(chunk.columns.map { $0.value(at: index) })"
      let wanted = position == .max ? nothing : rows[Int(position)].values
      if seen != "\(wanted)" {
        Issue.record("row \(position): \(seen) is not \(wanted), \(comment)")
      }
    }
  }

  private func checkKeys(_ table: TableStore, _ comment: Comment) {
    for key in table.keys {
      var expected: [String: [UInt32]] = [:]
      var probes: [[Value]] = []
      for (position, row) in rows.enumerated() {
        let values = key.key.columns.map { row.values[$0] }
        if !key.key.nullsNotDistinct && values.contains(where: \.isNull) {
          probes.append(values)
          continue
        }
        if expected["\(values)"] == nil {
          expected["\(values)"] = []
          probes.append(values)
        }
        if row.isLive { expected["\(values)"]?.append(UInt32(position)) }
      }
      let vectors = key.key.columns.indices.map { index in
        Vector(Self.types[key.key.columns[index]], probes.map { $0[index] })
      }
      let found = key.pairs(vectors, count: probes.count, in: table)
      var seen: [Int: [UInt32]] = [:]
      for pair in 0..<found.count {
        seen[Int(found.rows[pair]), default: []].append(found.positions[pair])
      }
      for (index, probe) in probes.enumerated() {
        let wanted = expected["\(probe)"] ?? []
        let got = (seen[index] ?? []).sorted()
        if got != wanted {
          Issue.record("key \(key.key.columns) \(probe): \(got) is not \(wanted), \(comment)")
        }
        if let reader = key.numberReader, case .int64(let number)? = probe.first,
          reader.position(of: number) != wanted.first ?? TableStore.noRow
        {
          Issue.record("a reader finds \(number) elsewhere, \(comment)")
        }
      }
      #expect(key.rowCount == expected.values.reduce(0) { $0 + $1.count }, comment)
    }
  }

  private func checkAdjacency(_ table: TableStore, _ comment: Comment) {
    for (from, to) in [(0, 1), (1, 0)] {
      var expected: [UInt32: [(UInt32, UInt32)]] = [:]
      for (position, row) in rows.enumerated() where row.isLive && row.a != .max && row.b != .max {
        let (source, target) = from == 0 ? (row.a, row.b) : (row.b, row.a)
        expected[source, default: []].append((target, UInt32(position)))
      }
      guard let index = table.adjacency(from: from, to: to) else {
        Issue.record("there is no adjacency index")
        return
      }
      AdjacencyExpectation(edges: expected, sourceCount: 310).check(index, comment)
    }
  }
}

/// The edges that an adjacency index should hold, by source.
struct AdjacencyExpectation {
  var edges: [UInt32: [(UInt32, UInt32)]]
  var sourceCount: Int

  func check(_ index: AdjacencyIndex, limit: Int = 7, _ comment: Comment) {
    let sources = Array(UInt32(0)..<UInt32(sourceCount))
    var cursor = AdjacencyIndex.Cursor()
    var expanded: [UInt32: [(UInt32, UInt32)]] = [:]
    while true {
      let part = index.expand(Buffer(sources), count: sources.count, from: &cursor, limit: limit)
      if part.count == 0 { break }
      for edge in 0..<part.count {
        expanded[sources[Int(part.sourceRows[edge])], default: []].append(
          (part.targets[edge], part.rows[edge]))
      }
    }
    for source in sources {
      let wanted = (edges[source] ?? []).sorted { $0 < $1 }
      let list = index.neighbours(of: source)
      var got: [(UInt32, UInt32)] = []
      for run in 0..<list.runCount {
        let part = list.run(run)
        for edge in 0..<part.count { got.append((part.targets[edge], part.rows[edge])) }
      }
      let same =
        got.elementsEqual(wanted, by: ==)
        && (expanded[source] ?? []).elementsEqual(wanted, by: ==)
        && index.degree(of: source) == wanted.count
      if !same { Issue.record("source \(source): \(got) is not \(wanted), \(comment)") }
      var previous: UInt32?
      for (target, row) in wanted where target != previous {
        previous = target
        if index.edge(source, target) != row {
          Issue.record("edge \(source) \(target) is not found, \(comment)")
        }
      }
    }
  }
}
