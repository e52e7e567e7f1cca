import Columnar
import Testing

@testable import Storage

/// A junction table as a set of pairs, to hold the real one against.
private struct PairModel {
  static let layout = TableLayout(
    keys: [.init(columns: [0, 1], isUnique: true, junction: 0)],
    references: [.init(columns: [0]), .init(columns: [1])],
    junctions: [.init(from: 0, to: 1, isUnique: true)])

  struct Pair: Hashable {
    var from: UInt32
    var to: UInt32
  }

  /// The live rows.
  var rows: [Pair: UInt32] = [:]
  var rowCount = 0

  static func chunk(_ pairs: [Pair]) -> DataChunk {
    DataChunk(
      [
        Vector(.integer, Buffer(pairs.map { Int32($0.from) }), count: pairs.count),
        Vector(.integer, Buffer(pairs.map { Int32($0.to) }), count: pairs.count),
      ], count: pairs.count)
  }

  static func parents(_ pairs: [Pair]) -> [Buffer<UInt32>?] {
    [Buffer(pairs.map(\.from)), Buffer(pairs.map(\.to))]
  }

  /// Few targets, so that pairs meet often and some lists grow long.
  static func pair(_ generator: inout SeededGenerator, _ size: Int) -> Pair {
    Pair(from: UInt32(generator.below(size)), to: UInt32(generator.below(size / 8 + 2)))
  }

  func check(_ table: TableStore, _ size: Int, _ comment: Comment) {
    table.checkInvariants()
    #expect(table.liveRowCount == rows.count, comment)
    for from in 0..<UInt32(size) {
      for to in 0..<UInt32(size / 8 + 2) {
        let found = table.edge(ofJunction: 0, from: from, to: to)
        let wanted = rows[Pair(from: from, to: to)] ?? TableStore.noRow
        if found != wanted {
          Issue.record("\(from) \(to): row \(found) is not \(wanted), \(comment)")
        }
      }
    }
  }
}

@Suite("The edges of a junction keep its key")
struct JunctionKeyTests {
  @Test("through any history of writes and rollbacks", arguments: 0..<6)
  func history(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let size = seed % 3 == 0 ? 400 : 40
    var model = PairModel()
    let writer = TableWriter(
      TableStore(types: [.integer, .integer], layout: PairModel.layout))
    var versions = [(model, writer.freeze())]
    for step in 0..<60 {
      switch generator.below(8) {
      case 0..<4: insert(&model, writer, &versions, size, &generator)
      case 4: delete(&model, writer, &generator)
      case 5: relink(&model, writer, &versions, size, &generator)
      case 6: versions.append((model, writer.freeze()))
      default:
        if let (old, version) = versions.randomElement(using: &generator) {
          model = old
          writer.reset(to: version)
        }
      }
      if step % 10 == 9 { model.check(writer.current, size, "seed \(seed), step \(step)") }
    }
    for (index, (old, version)) in versions.enumerated() {
      old.check(version, size, "seed \(seed), version \(index)")
    }
    model.check(writer.freeze(), size, "seed \(seed), at the end")
    try writer.rebuildIndexes()
    model.check(writer.freeze(), size, "seed \(seed), rebuilt")
    #expect(writer.current.keys[0].rowCount == 0, "the key has no index of its own")
  }

  private func insert(
    _ model: inout PairModel, _ writer: TableWriter,
    _ versions: inout [(PairModel, TableStore)], _ size: Int, _ generator: inout SeededGenerator
  ) {
    let before = (model, writer.freeze())
    let wanted = (0..<(1 + generator.below(size))).map { _ in PairModel.pair(&generator, size) }
    // One in three keeps its repeats, which must be refused.
    var seen = Set(model.rows.keys)
    let fresh = wanted.filter { seen.insert($0).inserted }
    let pairs = generator.below(3) == 0 ? wanted : fresh
    let clash = pairs.indices.first {
      model.rows[pairs[$0]] != nil || pairs[..<$0].contains(pairs[$0])
    }
    do throws(KeyConflict) {
      try writer.append(PairModel.chunk(pairs), parents: PairModel.parents(pairs))
      #expect(clash == nil, "a pair stands twice")
      for (index, pair) in pairs.enumerated() {
        model.rows[pair] = UInt32(model.rowCount + index)
      }
      model.rowCount += pairs.count
    } catch {
      let row = clash.map { UInt32(model.rowCount + $0) }
      #expect(error.constraint == .junction(0) && error.row == row)
      let existing = clash.flatMap { clash in
        model.rows[pairs[clash]]
          ?? pairs[..<clash].firstIndex(of: pairs[clash]).map { UInt32(model.rowCount + $0) }
      }
      #expect(error.existing == existing)
      writer.reset(to: before.1)
    }
    if generator.below(4) == 0 { versions.append(before) }
  }

  private func delete(
    _ model: inout PairModel, _ writer: TableWriter, _ generator: inout SeededGenerator
  ) {
    let gone = model.rows.sorted { $0.value < $1.value }.filter { _ in generator.below(3) == 0 }
    writer.delete(Buffer(gone.map(\.value)), count: gone.count)
    for (pair, _) in gone { model.rows[pair] = nil }
  }

  /// Some rows take the ends of others, all at once.
  private func relink(
    _ model: inout PairModel, _ writer: TableWriter,
    _ versions: inout [(PairModel, TableStore)], _ size: Int, _ generator: inout SeededGenerator
  ) {
    let before = (model, writer.freeze())
    let chosen = model.rows.sorted { $0.value < $1.value }.filter { _ in generator.below(4) == 0 }
    guard !chosen.isEmpty else { return }
    var pairs = chosen.map(\.key)
    pairs.append(pairs.removeFirst())
    if generator.below(2) == 0 { pairs[0] = PairModel.pair(&generator, size) }
    var after = model
    for (pair, _) in chosen { after.rows[pair] = nil }
    var clashes = false
    for (pair, (_, row)) in zip(pairs, chosen) {
      clashes = after.rows.updateValue(row, forKey: pair) != nil || clashes
    }
    let positions = Buffer(chosen.map(\.value))
    let chunk = PairModel.chunk(pairs)
    do throws(KeyConflict) {
      try writer.update(positions, count: pairs.count, columns: [0, 1], to: chunk.columns)
      try writer.setParents(
        [(0, Buffer(pairs.map(\.from))), (1, Buffer(pairs.map(\.to)))], positions,
        count: pairs.count)
      #expect(!clashes, "a pair stands twice")
      model = after
    } catch {
      #expect(clashes && error.constraint == .junction(0))
      writer.reset(to: before.1)
    }
    if generator.below(4) == 0 { versions.append(before) }
  }

  @Test("of rows loaded in bulk", arguments: ["in order", "the other way", "in no order"])
  func bulk(_ order: String) throws {
    var generator = SeededGenerator(seed: 11)
    let size = 4_000
    var pairs = Set<PairModel.Pair>()
    while pairs.count < 70_000 { pairs.insert(PairModel.pair(&generator, size)) }
    var list = pairs.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    if order == "the other way" { list.sort { ($0.to, $0.from) < ($1.to, $1.from) } }
    if order == "in no order" { list.shuffle(using: &generator) }
    let table = try load(list)
    table.checkInvariants()
    for direction in 0..<2 {
      var edges: [UInt32: [(UInt32, UInt32)]] = [:]
      for (row, pair) in list.enumerated() {
        let (source, target) = direction == 0 ? (pair.from, pair.to) : (pair.to, pair.from)
        edges[source, default: []].append((target, UInt32(row)))
      }
      AdjacencyExpectation(edges: edges, sourceCount: size + 10)
        .check(table.adjacencies[direction], limit: 5_000, "\(order), direction \(direction)")
    }
    // Later writes do not touch what the loaded version shares with its references.
    let writer = TableWriter(table)
    writer.delete(Buffer((0..<500).map { UInt32($0 * 3) }), count: 500)
    try writer.append(
      PairModel.chunk([list[0]]), parents: PairModel.parents([list[0]]))
    writer.freeze().checkInvariants()
    table.checkInvariants()
    #expect(table.edge(ofJunction: 0, from: list[0].from, to: list[0].to) == 0)
    #expect(writer.current.edge(ofJunction: 0, from: list[0].from, to: list[0].to) == 70_000)
  }

  private func load(_ pairs: [PairModel.Pair]) throws -> TableStore {
    let writer = TableWriter(
      TableStore(types: [.integer, .integer], layout: PairModel.layout))
    var start = 0
    while start < pairs.count {
      let end = min(start + 1_500, pairs.count)
      writer.load(PairModel.chunk(Array(pairs[start..<end])))
      start = end
    }
    writer.finishLoading()
    try writer.rebuildKeys()
    try writer.setLayout(
      PairModel.layout,
      parents: [0: Buffer(pairs.map(\.from)), 1: Buffer(pairs.map(\.to))])
    return writer.freeze()
  }

  @Test("and a bulk load with a repeat is refused, in order or not", arguments: [false, true])
  func repeats(_ isShuffled: Bool) throws {
    var generator = SeededGenerator(seed: 13)
    var list = (0..<90_000).map { PairModel.Pair(from: UInt32($0 / 30), to: UInt32($0 % 30)) }
    if isShuffled { list.shuffle(using: &generator) }
    list.insert(list[70_000], at: 70_001)
    #expect(throws: KeyConflict(constraint: .junction(0), row: 70_001, existing: 70_000)) {
      _ = try load(list)
    }
  }

  @Test("and bounds of loaded pages are those of rows appended one by one")
  func bounds() throws {
    let pairs = (0..<10_000).map {
      PairModel.Pair(from: UInt32($0 / 7), to: UInt32(($0 * 37) % 101))
    }
    let unique = Array(Set(pairs)).sorted { ($0.to, $0.from) < ($1.to, $1.from) }
    let loaded = try load(unique)
    let writer = TableWriter(
      TableStore(types: [.integer, .integer], layout: PairModel.layout))
    try writer.append(PairModel.chunk(unique), parents: PairModel.parents(unique))
    let appended = writer.freeze()
    for column in 0..<2 {
      let one = loaded.statistics(ofColumn: column)
      let other = appended.statistics(ofColumn: column)
      #expect("\(one)" == "\(other)")
      for page in 0..<loaded.pageCount {
        let zone = loaded.columns[column].pages[page].zone
        #expect(
          "\(String(describing: zone))"
            == "\(String(describing: appended.columns[column].pages[page].zone))")
      }
    }
  }
}
