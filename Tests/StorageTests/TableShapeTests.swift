import Columnar
import Synchronization
import Testing

@testable import Storage

@Suite("A table's shape")
struct TableShapeTests {
  private func numbers(_ range: Range<Int>) -> DataChunk {
    DataChunk(
      [
        Vector(.bigint, Buffer(range.map { Int64($0) }), count: range.count),
        Vector(.text, range.map { $0 % 7 == 0 ? Value.null : .string("text number \($0 % 50)") }),
      ], count: range.count)
  }

  private func ids(_ table: TableStore) -> [Int64] {
    (0..<table.pageCount).flatMap { page in
      let chunk = table.scan(page: page, columns: [0])
      let flat = chunk.columns[0].flattened()
      return flat.values(Int64.self).array(chunk.count)
    }
  }

  @Test("staged pieces follow each other, however long they are", arguments: [100, 40_000])
  func staged(_ size: Int) throws {
    let layout = TableLayout(
      keys: [.init(columns: [0], isUnique: true), .init(columns: [1], isUnique: false)])
    let writer = TableWriter(TableStore(types: [.bigint, .text], layout: layout))
    try writer.append(numbers(0..<5), maintainingIndexes: false)
    var next = 5
    for _ in 0..<4 {
      let piece = StagedRows(types: [.bigint, .text])
      for start in stride(from: next, to: next + size, by: 1000) {
        piece.append(numbers(start..<min(start + 1000, next + size)))
      }
      writer.append(piece)
      next += size
    }
    try writer.rebuildIndexes()
    try writer.append(numbers(next..<(next + 10)))
    let table = writer.freeze()
    table.checkInvariants()
    #expect(ids(table) == (0..<(next + 10)).map { Int64($0) })
    for id in stride(from: 0, to: next + 10, by: 97) {
      let position = table.keys[0].lookup(Int64(id), in: table)
      #expect("\(table.value(at: position, column: 0))" == "\(Value.int64(Int64(id)))")
    }
    let statistics = table.statistics(ofColumn: 1)
    #expect((45...55).contains(statistics.distinctCount ?? 0))
    #expect(
      "\(table.statistics(ofColumn: 0).maximum ?? .null)" == "\(Value.int64(Int64(next + 9)))")
  }

  @Test("serial numbers are found through every change", arguments: [0, 1, 5_000_000_000])
  func serialNumbers(_ first: Int) throws {
    let layout = TableLayout(keys: [.init(columns: [0], isUnique: true)])
    let writer = TableWriter(TableStore(types: [.bigint, .text], layout: layout))
    func check(_ live: [Int: UInt32]) throws {
      let reader = try #require(writer.current.keys[0].numberReader)
      let wrong = ((first - 3)..<(first + 3010)).filter { number in
        reader.position(of: Int64(number)) != live[number] ?? TableStore.noRow
      }
      #expect(wrong.isEmpty)
      #expect(reader.position(of: .min) == TableStore.noRow)
      #expect(reader.position(of: .max) == TableStore.noRow)
    }
    try writer.append(numbers(first..<(first + 2500)))
    var live = Dictionary(uniqueKeysWithValues: (0..<2500).map { (first + $0, UInt32($0)) })
    try check(live)
    // A gap, and what comes behind it.
    try writer.append(numbers((first + 2502)..<(first + 2600)))
    for place in 0..<98 { live[first + 2502 + place] = UInt32(2500 + place) }
    try check(live)
    let before = writer.freeze()
    _ = writer.delete(Buffer([UInt32(40), 2400]), count: 2)
    live[first + 40] = nil
    live[first + 2400] = nil
    try check(live)
    // The number comes back at another place.
    try writer.append(numbers((first + 40)..<(first + 41)))
    live[first + 40] = 2598
    try check(live)
    #expect(before.keys[0].numberReader?.position(of: Int64(first + 40)) == 40)
    try writer.rebuildIndexes()
    try check(live)
  }

  @Test("zone maps skip pages without a match and no others")
  func zones() throws {
    let writer = TableWriter(TableStore(types: [.bigint, .text]))
    try writer.append(numbers(0..<10_000))
    try writer.update(
      Buffer([UInt32(3)]), count: 1, columns: [0], to: [Vector(.bigint, [.int64(9_000)])])
    let table = writer.freeze()
    for value in [-1, 0, 5_000, 9_000, 12_000] {
      guard let probe = ZoneProbe(.equal, .int64(Int64(value)), type: .bigint) else { continue }
      let kept = (0..<table.pageCount).filter { table.mayContain(page: $0, column: 0, probe) }
      let holding = (0..<table.pageCount).filter { page in
        let chunk = table.scan(page: page, columns: [0])
        return (0..<chunk.count).contains {
          chunk.columns[0].values(Int64.self)[$0] == Int64(value)
        }
      }
      #expect(Set(holding).isSubset(of: kept))
      // The last page is not full, so nothing is known of it yet.
      if value == -1 { #expect(kept == [4]) }
    }
  }

  @Test("columns and indexes come and go, and old versions keep theirs")
  func layouts() throws {
    let writer = TableWriter(TableStore(types: [.bigint, .text]))
    try writer.append(numbers(0..<5_000))
    let first = writer.freeze()
    try writer.setLayout(
      TableLayout(
        keys: [.init(columns: [0], isUnique: true)], references: [.init(columns: [0])]),
      parents: [0: Buffer((0..<5_000).map { UInt32($0 / 10) })])
    writer.addColumn(.integer, values: Vector(constant: .int32(7), type: .integer, count: 5_000))
    writer.dropColumn(1)
    try writer.replaceColumn(
      0, type: .integer,
      values: Vector(.integer, Buffer((0..<5_000).map { Int32($0) }), count: 5_000))
    let row = DataChunk(
      [Vector(.integer, [.int32(5_000)]), Vector(.integer, [.null])], count: 1)
    try writer.append(row, parents: [Buffer([UInt32(3)])])
    let second = writer.freeze()
    second.checkInvariants()
    #expect(second.types == [.integer, .integer])
    #expect(second.keys[0].lookup(4_321, in: second) == 4_321)
    #expect(second.edges(from: 0).degree(of: 3) == 11)
    #expect(first.types == [.bigint, .text] && first.rowCount == 5_000 && first.keys.isEmpty)
    #expect(throws: KeyConflict(constraint: .key(0), row: 5_001, existing: 9)) {
      try writer.append(
        DataChunk([Vector(.integer, [.int32(9)]), Vector(.integer, [.int32(1)])], count: 1))
    }
  }

  @Test("a list of 20,000 neighbours grows and shrinks in runs")
  func longLists() throws {
    var generator = SeededGenerator(seed: 5)
    var index = AdjacencyIndex(hasEdgeRows: true)
    var edges: [(UInt32, UInt32)] = []
    let epoch = Epoch.next()
    for row in 0..<20_000 {
      let target = UInt32(generator.below(30_000))
      index.insert(5, target, row: UInt32(row), epoch: epoch)
      edges.append((target, UInt32(row)))
    }
    let full = index
    let later = Epoch.next()
    var rest: [(UInt32, UInt32)] = []
    for (target, row) in edges {
      if generator.below(10) < 9 {
        index.remove(5, target, row: row, epoch: later)
      } else {
        rest.append((target, row))
      }
    }
    AdjacencyExpectation(edges: [5: edges], sourceCount: 8).check(full, limit: 999, "full")
    AdjacencyExpectation(edges: [5: rest], sourceCount: 8).check(index, limit: 999, "shrunk")
  }

  @Test("keys built over many rows at once find all rows, and no deleted one")
  func bulkKeys() throws {
    let count = 150_000
    let layout = TableLayout(
      keys: [
        .init(columns: [0, 1], isUnique: true), .init(columns: [1], isUnique: false),
        .init(columns: [0], isUnique: true),
      ])
    let writer = TableWriter(TableStore(types: [.bigint, .text], layout: layout))
    writer.load(numbers(0..<count))
    writer.finishLoading()
    writer.delete(Buffer([UInt32(51), 149_999]), count: 2)
    try writer.rebuildKeys()
    let table = writer.freeze()
    table.checkInvariants()
    // Text 1 stands in every 50th row but for those that are NULL and the one that is gone.
    let wanted = (0..<count).filter { $0 % 50 == 1 && $0 % 7 != 0 && $0 != 51 }
    let found = table.keys[1].pairs(
      [Vector(.text, [.string("text number 1")])], count: 1, in: table)
    #expect(found.positions.array(found.count).sorted() == wanted.map { UInt32($0) })
    #expect(table.keys[1].distinctCount == 50)
    for id in [0, 1, 51, 70_001, 149_999] {
      let text: Value = id % 7 == 0 ? .null : .string("text number \(id % 50)")
      let keys = [Vector(.bigint, [.int64(Int64(id))]), Vector(.text, [text])]
      let isThere = id % 7 != 0 && id != 51 && id != 149_999
      let position = table.keys[0].lookup(keys, count: 1, in: table)[0]
      #expect(position == (isThere ? UInt32(id) : TableStore.noRow), "\(id)")
    }
    // The same key at both ends of the table is refused.
    let again = TableWriter(table)
    again.load(numbers(123..<124))
    #expect(throws: KeyConflict(constraint: .key(0), row: 150_000, existing: 123)) {
      try again.rebuildKeys()
    }
  }

  @Test("readers of old versions see no change while a writer goes on")
  func readers() throws {
    let layout = TableLayout(keys: [.init(columns: [0], isUnique: true)])
    let writer = TableWriter(TableStore(types: [.bigint, .text], layout: layout))
    let published = Mutex(writer.freeze())
    let failures = Atomic<Int>(0)
    let isDone = Atomic<Bool>(false)
    nonisolated(unsafe) let shared = writer
    parallelFor(tasks: 3) { task in
      if task == 0 {
        var next = 0
        while next < 6_000 {
          _ = unsafe try? shared.append(numbers(next..<(next + 3)))
          next += 3
          let version = unsafe shared.freeze()
          published.withLock { $0 = version }
        }
        isDone.store(true, ordering: .releasing)
      } else {
        while !isDone.load(ordering: .acquiring) {
          let table = published.withLock { $0 }
          let seen = ids(table)
          let last = table.keys[0].lookup(Int64(table.rowCount - 1), in: table)
          let isRight =
            seen == (0..<table.rowCount).map { Int64($0) }
            && (table.rowCount == 0 || Int(last) == table.rowCount - 1)
          if !isRight { failures.wrappingAdd(1, ordering: .relaxed) }
        }
      }
    }
    #expect(failures.load(ordering: .acquiring) == 0)
  }
}
