import Columnar

/// One run of a long list, in plain bytes.
struct RunSlot: BitwiseCopyable {
  /// The writer that may change the run, 0 for nobody.
  var owner: UInt64
  var targets: PagePointer<UInt32>
  /// The row of each edge; the targets themselves where the target is the row.
  var rows: PagePointer<UInt32>
  var count: UInt32
  /// How many edges fit.
  var room: UInt32
}

/// What stands at the head of a long list's memory.
struct LongHeader: BitwiseCopyable {
  /// The writer that may change the list, 0 for nobody.
  var owner: UInt64
  /// The number of edges.
  var count: UInt32
  var runCount: UInt32
  /// The last target of each run: what a search goes through, rather than from run to run.
  var lasts: PagePointer<UInt32>
  var runs: PagePointer<RunSlot>
}

/// A long list as plain bytes: reading it and changing what its writer owns counts no references.
///
/// - Invariant: whoever uses a table holds the version of the index that it was taken from.
struct LongTable: BitwiseCopyable {
  let header: PagePointer<LongHeader>

  /// The number of edges.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: header[0].count) }

  var runCount: Int { Int(truncatingIfNeeded: header[0].runCount) }

  /// The run in which an edge stands or would stand.
  ///
  /// - Precondition: there is a run.
  func run(_ target: UInt32, _ row: UInt32, hasRows: Bool) -> Int {
    let header = header[0]
    let last = Int(truncatingIfNeeded: header.runCount) &- 1
    var index = header.lasts.lowerBound(of: target, in: 0..<last)
    // The edges of one target may go on for several runs.
    while hasRows && index < last && header.lasts[index] == target {
      let run = header.runs[index]
      if run.rows[Int(truncatingIfNeeded: run.count) &- 1] >= row { break }
      index &+= 1
    }
    return index
  }

  /// Where an edge stands in a run, or would stand, and whether it is there.
  func place(
    _ target: UInt32, _ row: UInt32, in run: RunSlot, hasRows: Bool
  ) -> (index: Int, found: Bool) {
    let count = Int(truncatingIfNeeded: run.count)
    var index = run.targets.lowerBound(of: target, in: 0..<count)
    guard hasRows else { return (index, index < count && run.targets[index] == target) }
    while index < count && run.targets[index] == target && run.rows[index] < row { index &+= 1 }
    return (index, index < count && run.targets[index] == target && run.rows[index] == row)
  }

  /// Reads a place of the run in which an edge stands or would stand.
  @inline(__always)
  func touch(_ target: UInt32, hasRows: Bool) -> UInt32 {
    guard runCount > 0 else { return 0 }
    let run = header[0].runs[run(target, 0, hasRows: hasRows)]
    let middle = Int(truncatingIfNeeded: run.count) &>> 1
    return run.targets[middle] ^ run.rows[middle]
  }

  /// The row of the first edge to `target`, or `TableStore.noRow`.
  func row(of target: UInt32, hasRows: Bool) -> UInt32 {
    guard runCount > 0 else { return .max }
    let run = header[0].runs[run(target, 0, hasRows: hasRows)]
    let count = Int(truncatingIfNeeded: run.count)
    let index = run.targets.lowerBound(of: target, in: 0..<count)
    return index < count && run.targets[index] == target ? run.rows[index] : .max
  }

  /// Adds an edge, if the writer owns what it touches and there is room.
  func insert(_ target: UInt32, _ row: UInt32, hasRows: Bool, _ epoch: Epoch) -> Bool {
    var head = header[0]
    guard head.owner == epoch.number, head.runCount > 0 else { return false }
    let index = run(target, row, hasRows: hasRows)
    var slot = head.runs[index]
    guard slot.owner == epoch.number, slot.count < slot.room else { return false }
    let count = Int(truncatingIfNeeded: slot.count)
    let place = place(target, row, in: slot, hasRows: hasRows).index
    slot.targets.move(from: place, count: count &- place, to: place &+ 1)
    slot.targets.store(target, at: place)
    if hasRows {
      slot.rows.move(from: place, count: count &- place, to: place &+ 1)
      slot.rows.store(row, at: place)
    }
    slot.count &+= 1
    head.runs.store(slot, at: index)
    head.lasts.store(slot.targets[count], at: index)
    head.count &+= 1
    header.store(head, at: 0)
    return true
  }

  /// Whether the run would be left, or the writer does not own it, so that it takes more than plain bytes.
  enum Removal { case done, absent, refused }

  /// Takes an edge out, if the writer owns what it touches and the run has more.
  func remove(_ target: UInt32, _ row: UInt32, hasRows: Bool, _ epoch: Epoch) -> Removal {
    var head = header[0]
    guard head.runCount > 0 else { return .absent }
    let index = run(target, row, hasRows: hasRows)
    var slot = head.runs[index]
    let (place, found) = place(target, row, in: slot, hasRows: hasRows)
    if !found { return .absent }
    guard head.owner == epoch.number, slot.owner == epoch.number, slot.count > 1 else {
      return .refused
    }
    let rest = Int(truncatingIfNeeded: slot.count) &- place &- 1
    slot.targets.move(from: place &+ 1, count: rest, to: place)
    if hasRows { slot.rows.move(from: place &+ 1, count: rest, to: place) }
    slot.count &-= 1
    head.runs.store(slot, at: index)
    head.lasts.store(slot.targets[Int(truncatingIfNeeded: slot.count) &- 1], at: index)
    head.count &-= 1
    header.store(head, at: 0)
    return .done
  }
}
