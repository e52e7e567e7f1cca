import Columnar
import Testing

@testable import Storage

@Suite("Through any history of writes")
struct TableHistoryTests {
  @Test("a table and all of its old versions hold what they should", arguments: 0..<6)
  func history(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var model = TableModel()
    var nextID: Int64 = 1
    let writer = TableWriter(TableStore(types: TableModel.types, layout: TableModel.layout))
    var versions: [(TableModel, TableStore)] = []
    // Some histories cross pages.
    let appended = seed % 5 == 0 ? 900 : 12
    for step in 0..<40 {
      switch generator.below(10) {
      case 0..<4: try append(1 + generator.below(appended), &model, &nextID, writer, &generator)
      case 4: delete(&model, writer, &generator)
      case 5, 6: try update(&model, writer, &generator)
      case 7: try relink(&model, writer, &generator)
      case 8: versions.append((model, writer.freeze()))
      default:
        if let (old, version) = versions.randomElement(using: &generator) {
          model = old
          writer.reset(to: version)
        }
      }
      if appended < 100 ? step % 3 == 0 : step % 13 == 12 {
        model.check(writer.current, "seed \(seed), step \(step)")
      }
    }
    model.check(writer.freeze(), "seed \(seed), at the end")
    for (index, (old, version)) in versions.enumerated() {
      old.check(version, "seed \(seed), version \(index)")
    }
    try writer.rebuildIndexes()
    model.check(writer.freeze(), "seed \(seed), rebuilt")
  }

  private func append(
    _ count: Int, _ model: inout TableModel, _ nextID: inout Int64, _ writer: TableWriter,
    _ generator: inout SeededGenerator
  ) throws {
    var edges = Set(model.rows.filter(\.isLive).map { UInt64($0.a) << 32 | UInt64($0.b) })
    var rows: [ModelRow] = []
    for _ in 0..<count {
      // Now and then a number far from the others.
      nextID += generator.below(20) == 0 ? 100_000 : 1
      var row = TableModel.row(generator.below(30) == 0 ? -nextID : nextID, &generator)
      if !edges.insert(UInt64(row.a) << 32 | UInt64(row.b)).inserted {
        row.a = .max
        row.b = .max
      }
      rows.append(row)
    }
    let range = try writer.append(TableModel.chunk(rows), parents: TableModel.parents(rows))
    #expect(range == model.rows.count..<(model.rows.count + count))
    model.rows += rows
  }

  private func delete(
    _ model: inout TableModel, _ writer: TableWriter, _ generator: inout SeededGenerator
  ) {
    let chosen = model.livePositions.filter { _ in generator.below(4) == 0 }
    #expect(writer.delete(Buffer(chosen + chosen), count: chosen.count * 2) == chosen.count)
    for position in chosen { model.rows[Int(position)].isLive = false }
  }

  private func update(
    _ model: inout TableModel, _ writer: TableWriter, _ generator: inout SeededGenerator
  ) throws {
    let chosen = model.livePositions.filter { _ in generator.below(5) == 0 }
    guard !chosen.isEmpty else { return }
    // Identities go round, so that each is free only once all have their new one.
    let ids = chosen.map { model.rows[Int($0)].id }
    for (index, position) in chosen.enumerated() {
      let fresh = TableModel.row(ids[(index + 1) % ids.count], &generator)
      model.rows[Int(position)].id = fresh.id
      model.rows[Int(position)].label = fresh.label
      model.rows[Int(position)].number = fresh.number
      model.rows[Int(position)].tags = fresh.tags
    }
    let chunk = TableModel.chunk(chosen.map { model.rows[Int($0)] })
    try writer.update(
      Buffer(chosen), count: chosen.count, columns: [0, 1, 2, 3], to: chunk.columns)
  }

  private func relink(
    _ model: inout TableModel, _ writer: TableWriter, _ generator: inout SeededGenerator
  ) throws {
    guard let position = model.livePositions.randomElement(using: &generator) else { return }
    let row = Int(position)
    let a = UInt32(generator.below(300))
    let b = UInt32(generator.below(40))
    let isTaken = model.rows.indices.contains {
      $0 != row && model.rows[$0].isLive && model.rows[$0].a == a && model.rows[$0].b == b
    }
    model.rows[row].a = isTaken ? .max : a
    model.rows[row].b = b
    let one = Buffer([position])
    try writer.setParents(
      [(0, Buffer([model.rows[row].a])), (1, Buffer([b]))], one, count: 1)
  }

  @Test("writers forked from one version do not see each other's rows")
  func forks() throws {
    var generator = SeededGenerator(seed: 7)
    var base = TableModel()
    let first = TableWriter(TableStore(types: TableModel.types, layout: TableModel.layout))
    var id: Int64 = 1
    try append(100, &base, &id, first, &generator)
    let version = first.freeze()
    let forks = (0..<3).map { _ in TableWriter(version) }
    var models = [base, base, base]
    for _ in 0..<20 {
      for index in forks.indices {
        try append(3, &models[index], &id, forks[index], &generator)
        if generator.below(3) == 0 { try update(&models[index], forks[index], &generator) }
        if generator.below(3) == 0 { _ = forks[index].freeze() }
      }
    }
    for index in forks.indices { models[index].check(forks[index].freeze(), "fork \(index)") }
    base.check(version, "the version they came from")
  }

  @Test("a key or an edge that stands already is refused")
  func conflicts() throws {
    var generator = SeededGenerator(seed: 3)
    var model = TableModel()
    let writer = TableWriter(TableStore(types: TableModel.types, layout: TableModel.layout))
    var id: Int64 = 1
    try append(50, &model, &id, writer, &generator)
    let version = writer.freeze()
    var twin = model.rows[10]
    #expect(throws: KeyConflict(constraint: .key(0), row: 50, existing: 10)) {
      try writer.append(TableModel.chunk([twin]), parents: TableModel.parents([twin]))
    }
    writer.reset(to: version)
    twin.id = 1_000_000
    #expect(throws: KeyConflict(constraint: .junction(0), row: 50, existing: 10)) {
      try writer.append(TableModel.chunk([twin]), parents: TableModel.parents([twin]))
    }
    writer.reset(to: version)
    // In bulk the duplicate shows at the end.
    try writer.append(
      TableModel.chunk([twin]), parents: TableModel.parents([twin]), maintainingIndexes: false)
    #expect(throws: KeyConflict(constraint: .junction(0), row: 50, existing: 10)) {
      try writer.rebuildIndexes()
    }
    writer.reset(to: version)
    model.check(writer.freeze(), "after the refusals")
  }
}
