import Columnar
import Diagnostics
import Planning
import Storage

/// Computes what an `EdgeCount` asks of the edges of some parents.
///
/// Where the keys of the neighbours rise with their positions, the least and the greatest stand at the ends of a list, and the sum
/// follows from that of the positions. Elsewhere all keys of a list are read.
struct EdgeMeasuring: Sendable {
  private let measures: [(measure: KeyMeasure, type: LogicalType)]
  private let measured: TableColumns?

  init(_ count: EdgeCount) {
    measures = count.measures.map { ($0.measure, $0.column.type) }
    measured = count.measured.map { TableColumns([$0]) }
  }

  /// Whether it is asked where edges lead.
  var readsTargets: Bool { measured != nil }

  private func asks(_ wanted: KeyMeasure) -> Bool {
    measures.contains { $0.measure == wanted }
  }

  /// A column for each measure.
  ///
  /// - Parameters:
  ///   - sources: The parents; read only if it is asked where edges lead.
  ///   - count: How many they are.
  ///   - numbers: The number of edges of each.
  ///   - excluded: For each a neighbour edges to which do not count, and are not among `numbers`.
  ///   - opened: The tables.
  /// - Returns: As many columns as there are measures.
  /// - Throws: 22003 for an average of too many digits.
  func columns(
    of sources: Buffer<UInt32>, count: Int, numbers: Buffer<Int64>, but excluded: Buffer<UInt32>?,
    _ opened: AdjacencyAccess.Opened
  ) throws(SQLError) -> [Vector] {
    guard let measured else {
      return measures.map { Vector($0.type, numbers, count: count) }
    }
    let arrivals = try opened.arrivals()
    let folds: Buffer<KeyFold>
    if let keys = arrivals.table.serialColumn(measured.indices[0]) {
      folds = serialFolds(sources, count, numbers, excluded, keys, opened.adjacency)
    } else {
      let readers = try ColumnReaders(measured, of: arrivals.table)
      folds = readFolds(sources, count, numbers, excluded, readers, opened.adjacency)
    }
    var columns: [Vector] = []
    for (measure, type) in measures {
      switch measure {
      case .count: columns.append(Vector(type, numbers, count: count))
      case .least, .greatest, .sum, .average:
        columns.append(try measure.vector(of: folds, count: count, as: type))
      }
    }
    return columns
  }

  /// What is asked of serial keys; only that is right in the folds.
  private func serialFolds(
    _ sources: Buffer<UInt32>, _ count: Int, _ numbers: Buffer<Int64>, _ excluded: Buffer<UInt32>?,
    _ keys: SerialColumn, _ adjacency: AdjacencyIndex
  ) -> Buffer<KeyFold> {
    let none = Buffer<UInt32>(uninitialized: 1)
    let firsts =
      asks(.least) ? adjacency.outermost(.first, of: sources, count: count, but: excluded) : none
    let lasts =
      asks(.greatest) ? adjacency.outermost(.last, of: sources, count: count, but: excluded) : none
    let (isOfFirst, isOfLast) = (asks(.least), asks(.greatest))
    let isOfSum = asks(.sum) || asks(.average)
    let sums = isOfSum ? adjacency.targetSums(of: sources, count: count) : Buffer(uninitialized: 1)
    let folds = Buffer<KeyFold>(uninitialized: max(count, 1))
    for row in 0..<count {
      var total: Int64 = 0
      if isOfSum && numbers[row] > 0 {
        total = sums[row]
        if let excluded, excluded[row] != TableStore.noRow {
          let left = adjacency.edgeCount(from: sources[row], to: excluded[row])
          total &-= Int64(left) &* Int64(excluded[row])
        }
      }
      folds[row] = KeyFold(
        count: Int(numbers[row]), positionSum: total, keys: keys,
        least: isOfFirst ? firsts[row] : 0, greatest: isOfLast ? lasts[row] : 0)
    }
    return folds
  }

  /// What is asked of keys that are read, those of many parents at once.
  private func readFolds(
    _ sources: Buffer<UInt32>, _ count: Int, _ numbers: Buffer<Int64>, _ excluded: Buffer<UInt32>?,
    _ readers: ColumnReaders, _ adjacency: AdjacencyIndex
  ) -> Buffer<KeyFold> {
    let folds = Buffer<KeyFold>(repeating: KeyFold(), count: max(count, 1))
    let room = Vector.chunkCapacity
    let waiting = Buffer<UInt32>(uninitialized: room)
    let owners = Buffer<UInt32>(uninitialized: room)
    var waitingCount = 0
    func read() {
      if waitingCount == 0 { return }
      let keys = readers.gather(waiting, count: waitingCount)[0]
      KeyFold.add(keys, owners: owners, to: folds)
      waitingCount = 0
    }
    for row in 0..<count where numbers[row] != 0 {
      // Of a neighbour that is unknown no edge is known to lead elsewhere.
      let left = excluded?[row] ?? TableStore.noRow
      let list = adjacency.neighbours(of: sources[row])
      for number in 0..<list.runCount {
        let targets = list.run(number).targets
        for index in 0..<targets.count {
          waiting[waitingCount] = targets[index]
          owners[waitingCount] = UInt32(truncatingIfNeeded: row)
          waitingCount &+= bit(targets[index] != left)
          if waitingCount == room { read() }
        }
      }
    }
    read()
    return folds
  }
}
