import Columnar
import Diagnostics
import Storage

/// Edges gathered until they fill a chunk.
struct EdgeBatch {
  let targets: Buffer<UInt32>
  let rows: Buffer<UInt32>?
  let sources: Buffer<UInt32>?
  var count = 0
  /// So many edges, from the first, have been found to be wanted by joins further on.
  fileprivate(set) var wantedCount = 0

  init(_ limit: Int, wantsRows: Bool, wantsSources: Bool) {
    targets = Buffer(uninitialized: limit)
    rows = wantsRows ? Buffer(uninitialized: limit) : nil
    sources = wantsSources ? Buffer(uninitialized: limit) : nil
  }

  /// Adds the edges of a list that stands apart, for which there is room.
  mutating func append(_ list: NeighbourList, of source: Int) {
    for index in 0..<list.runCount {
      let run = list.run(index)
      targets.copy(run.targets, count: run.count, to: count)
      if let rows { run.rows.copy(count: run.count, to: rows, at: count) }
      sources?.fill(
        count..<(count + run.count), with: UInt32(truncatingIfNeeded: source))
      count += run.count
    }
  }

  /// Adds edges of one source, for which there is room.
  mutating func append(_ stretch: TableAccess.Stretch) {
    targets.copy(stretch.neighbours, count: stretch.count, to: count)
    rows?.copy(stretch.positions, count: stretch.count, to: count)
    count += stretch.count
  }

  /// All edges there are, more than none.
  func stretch(_ opened: AdjacencyAccess.Opened) -> TableAccess.Stretch {
    TableAccess.Stretch(
      positions: rows ?? targets, neighbours: neighbours(0..<count, opened), count: count)
  }

  /// The positions of the neighbours that some edges lead to.
  fileprivate func neighbours(
    _ range: Range<Int>, _ opened: AdjacencyAccess.Opened
  ) -> Buffer<UInt32> {
    guard let reference = opened.missingReference, let rows else { return targets.slice(range) }
    return opened.edges.parents(of: rows.slice(range), count: range.count, reference: reference)
  }

  /// The edges beside the rows that they belong to.
  func chunk(
    of input: DataChunk, _ access: AdjacencyAccess, _ opened: AdjacencyAccess.Opened
  ) throws(SQLError) -> DataChunk {
    var columns: [Vector] = []
    if let sources { columns = input.columns.map { $0.gathered(sources, count: count) } }
    return DataChunk(columns + (try access.columns(stretch(opened))), count: count)
  }

  /// Keeps those of the last edges, from `start`, that a selection among them names.
  fileprivate mutating func keep(_ kept: SelectionVector, from start: Int) {
    for index in 0..<kept.count {
      let place = start &+ Int(kept.positions[index])
      targets[start &+ index] = targets[place]
      if let rows { rows[start &+ index] = rows[place] }
      if let sources { sources[start &+ index] = sources[place] }
    }
    count = start &+ kept.count
  }
}

/// A column of edges, or of the rows they lead to, of which a join further on knows what it needs.
struct EdgeTest: Sendable {
  let filter: JoinFilter
  /// Reads the one column.
  let readers: ColumnReaders
  let isOfNeighbour: Bool
}

/// Drops edges that no join further on can match, before any other of their columns is read.
///
/// A test that lets nearly all edges through costs more than it saves and is put aside for the rest of the portion.
struct EdgeThinning {
  private struct Test {
    let keys: IntegerFilter
    let readers: ColumnReaders
    let isOfNeighbour: Bool
    var seenCount = 0
    var keptCount = 0
  }
  private var tests: [Test]

  /// So many edges are looked at before a test is judged.
  private static let trialCount = 2048

  init(_ opened: AdjacencyAccess.Opened) {
    tests = opened.tests.compactMap { test in
      test.filter.keys.map {
        Test(keys: $0, readers: test.readers, isOfNeighbour: test.isOfNeighbour)
      }
    }
  }

  var isEmpty: Bool { tests.isEmpty }

  /// Whether there are edges in a batch that have not been looked at.
  func applies(to batch: EdgeBatch) -> Bool { !tests.isEmpty && batch.wantedCount < batch.count }

  /// Drops edges from those that have come to a batch since it was last looked through.
  mutating func thin(_ batch: inout EdgeBatch, _ opened: AdjacencyAccess.Opened) {
    let start = batch.wantedCount
    for index in tests.indices where batch.count > start {
      let range = start..<batch.count
      let positions =
        tests[index].isOfNeighbour
        ? batch.neighbours(range, opened)
        : (batch.rows ?? batch.targets).slice(range)
      let values = tests[index].readers.gather(
        positions, count: range.count,
        optional: tests[index].isOfNeighbour && opened.missingReference != nil)
      guard let column = values.first else { continue }
      let kept = tests[index].keys.select(column, count: range.count)
      tests[index].seenCount += range.count
      tests[index].keptCount += kept.count
      if kept.count < range.count { batch.keep(kept, from: start) }
    }
    batch.wantedCount = batch.count
    judge()
  }

  /// Puts tests aside that keep four edges of five, and asks those that keep the fewest first.
  private mutating func judge() {
    guard tests.contains(where: { $0.seenCount >= Self.trialCount }) else { return }
    tests.removeAll { $0.seenCount >= Self.trialCount && $0.keptCount * 5 > $0.seenCount * 4 }
    tests.sort { $0.keptCount * max($1.seenCount, 1) < $1.keptCount * max($0.seenCount, 1) }
  }
}
