import Columnar
import Testing

@testable import Storage

@Suite("Single rows")
struct SingleRowTests {
  /// Columns that an image holds, with a dense key, a text key, a plain index, a junction and its keys.
  private static let types: [LogicalType] = [.bigint, .text, .smallint, .uuid]
  private static let layout = TableLayout(
    keys: [
      .init(columns: [0], isUnique: true),
      .init(columns: [1], isUnique: false),
      .init(columns: [2, 1], isUnique: false),
    ],
    references: [.init(columns: [4]), .init(columns: [5]), .init(columns: [6])],
    junctions: [.init(from: 0, to: 1, isUnique: true)])

  private struct Row {
    var values: [Value]
    var parents: [UInt32]
    var isLive = true
  }

  private static func row(_ id: Int64, _ generator: inout SeededGenerator) -> Row {
    let label: Value =
      switch generator.below(4) {
      case 0: .null
      case 1: .string("a label that stands apart \(generator.below(6))")
      default: .string("l\(generator.below(9))")
      }
    let number: Value = generator.below(5) == 0 ? .null : .int16(Int16(generator.below(9)) - 4)
    let uuid: Value =
      generator.below(3) == 0
      ? .null : .uuid(UUIDValue(high: generator.next(), low: generator.next()))
    // Few targets, so that lists become long.
    return Row(
      values: [.int64(id), label, number, uuid],
      parents: [
        UInt32(generator.below(3000)), UInt32(generator.below(3)),
        generator.below(4) == 0 ? TableStore.noRow : UInt32(generator.below(40)),
      ])
  }

  private static func write(_ row: Row, _ writer: RowWriter) {
    let image = RowImage(columnCount: types.count)
    for (column, value) in row.values.enumerated() { image.set(column, value) }
    writer.append(image, parents: Buffer(row.parents))
  }

  /// Compares a table with the one that the usual way makes of the same rows.
  private static func check(_ rows: [Row], _ table: TableStore, _ comment: Comment) throws {
    table.checkInvariants()
    let writer = TableWriter(TableStore(types: types, layout: layout))
    let chunk = DataChunk(
      types.indices.map { column in Vector(types[column], rows.map { $0.values[column] }) },
      count: rows.count)
    let parents = (0..<3).map { reference in Buffer(rows.map { $0.parents[reference] }) }
    try writer.append(chunk, parents: parents, maintainingIndexes: false)
    let gone = rows.indices.filter { !rows[$0].isLive }.map { UInt32($0) }
    writer.delete(Buffer(gone), count: gone.count)
    try writer.rebuildIndexes()
    let other = writer.freeze()
    #expect(table.rowCount == other.rowCount && table.liveRowCount == other.liveRowCount, comment)
    for page in 0..<other.pageCount {
      let columns = Array(types.indices)
      #expect(
        "\(texts(table.scan(page: page, columns: columns)))"
          == "\(texts(other.scan(page: page, columns: columns)))", comment)
    }
    for (index, adjacency) in other.adjacencies.enumerated() {
      for source in 0..<UInt32(3010)
      where list(adjacency, source) != list(table.adjacencies[index], source) {
        Issue.record("source \(source) of direction \(index) differs, \(comment)")
      }
    }
    for (key, wanted) in zip(table.keys, other.keys) {
      #expect(key.rowCount == wanted.rowCount, comment)
      // All rows of one key are looked up at once.
      var places: [String: [UInt32]] = [:]
      for (position, row) in rows.enumerated() where row.isLive {
        places["\(key.key.columns.map { row.values[$0] })", default: []].append(UInt32(position))
      }
      for same in places.values {
        let values = key.key.columns.map { Vector(types[$0], [rows[Int(same[0])].values[$0]]) }
        let hasNull = values.contains { $0.value(at: 0).isNull }
        let found = key.pairs(values, count: 1, in: table)
        let positions = (0..<found.count).map { found.positions[$0] }.sorted()
        if positions != (hasNull ? [] : same) {
          Issue.record("rows \(same) by \(key.key.columns): \(positions), \(comment)")
        }
      }
    }
  }

  private static func texts(_ chunk: DataChunk) -> [String] {
    (0..<chunk.count).map { row in "\(chunk.columns.map { $0.value(at: row) })" }
  }

  private static func list(_ index: AdjacencyIndex, _ source: UInt32) -> [UInt64] {
    let list = index.neighbours(of: source)
    return (0..<list.runCount).flatMap { run -> [UInt64] in
      let part = list.run(run)
      return (0..<part.count).map { UInt64(part.targets[$0]) << 32 | UInt64(part.rows[$0]) }
    }
  }

  @Test("written in place and beside readers are as if written in bulk", arguments: 0..<4)
  func history(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var rows: [Row] = []
    var edges = Set<UInt64>()
    var store = TableStore(types: Self.types, layout: Self.layout)
    var kept: [([Row], TableStore)] = []
    var id: Int64 = 0
    // Half of the histories begin with rows that were built in bulk.
    if seed.isMultiple(of: 2) {
      let writer = TableWriter(store)
      for _ in 0..<4000 {
        id += 1
        let row = Self.row(id, &generator)
        guard edges.insert(UInt64(row.parents[0]) << 32 | UInt64(row.parents[1])).inserted else {
          continue
        }
        rows.append(row)
      }
      let chunk = DataChunk(
        Self.types.indices.map { column in
          Vector(Self.types[column], rows.map { $0.values[column] })
        }, count: rows.count)
      try writer.append(
        chunk, parents: (0..<3).map { index in Buffer(rows.map { $0.parents[index] }) },
        maintainingIndexes: false)
      try writer.rebuildIndexes()
      store = writer.freeze()
    }
    store = store.ownCopy(home: 1)
    // A writer of one row each time, or one that goes on as long as nobody reads the store.
    var lasting: RowWriter?
    for step in 0..<3000 {
      let writer: RowWriter
      if generator.below(50) == 0 { lasting = RowWriter(store, forMany: true) }
      if let lasting, lasting.store === store {
        writer = lasting
      } else {
        writer = RowWriter(store)
      }
      let live = generator.below(3) == 0 ? rows.indices.randomElement(using: &generator) : nil
      if let live, rows[live].isLive {
        writer.delete(UInt32(live))
        rows[live].isLive = false
        edges.remove(UInt64(rows[live].parents[0]) << 32 | UInt64(rows[live].parents[1]))
      } else {
        id += generator.below(50) == 0 ? 100_000 : 1
        let row = Self.row(generator.below(30) == 0 ? -id : id, &generator)
        guard edges.insert(UInt64(row.parents[0]) << 32 | UInt64(row.parents[1])).inserted else {
          continue
        }
        Self.write(row, writer)
        rows.append(row)
      }
      if generator.below(600) == 0 {
        // A reader holds the version: the next one is made beside it.
        kept.append((rows, store))
        store = store.ownCopy(home: 1)
      }
      if step % 1500 == 1499 { try Self.check(rows, store, "seed \(seed), step \(step)") }
    }
    try Self.check(rows, store, "seed \(seed), at the end")
    for (index, (old, version)) in kept.enumerated() {
      try Self.check(old, version, "seed \(seed), version \(index)")
    }
  }
}
