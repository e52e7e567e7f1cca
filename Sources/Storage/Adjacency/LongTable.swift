import Columnar

/// One run of a long list, in plain bytes.
struct RunSlot: BitwiseCopyable {
  /// The writer that may change the run, 0 for nobody.
  var owner: UInt64
  var targets: PagePointer<UInt32>
  /// The row of each edge; the targets themselves where the target is the row.
  var rows: PackedNumbers
  // Each of the small numbers stands in what the field before it leaves of its last word.
  var count: UInt16
  /// The targets once more as bits, where the run is dense.
  var bits = RunBits()
  /// How many edges fit.
  var room: UInt16

  /// Whether the run has no bits, and would be dense with an edge to `target`.
  @inline(__always)
  func lacksBits(adding target: UInt32) -> Bool {
    if bits.count > 0 || count == 0 { return false }
    let last = targets[Int(truncatingIfNeeded: count) &- 1]
    return RunBits.isDense(min(targets[0], target), max(last, target), Int(count) &+ 1)
  }

  /// Whether the run has no bits, and would be dense without the edge at a place.
  @inline(__always)
  func lacksBits(without place: Int) -> Bool {
    let end = Int(truncatingIfNeeded: count) &- 1
    // Only the loss of an end brings the others closer together.
    if bits.count > 0 || (place > 0 && place < end) || end < 1 { return false }
    return RunBits.isDense(
      targets[bit(place == 0)], targets[end &- bit(place == end)], end)
  }
}

/// The targets of a dense run as bits of a bitmap over all targets: its words from `first` on, so that a set of
/// neighbours is put together by whole words.
///
/// A bit is set if and only if an edge of the run leads to its target; bits of other runs are in words of their own.
///
/// - Invariant: a run without bits is not dense.
struct RunBits: BitwiseCopyable {
  /// A run of fewer edges than it has words is kept without bits: with them it would take more time and memory.
  private static let wordsPerEdge = 1

  /// Whether a run of `count` edges, to targets from `first` to `last`, has bits.
  @inline(__always)
  static func isDense(_ first: UInt32, _ last: UInt32, _ count: Int) -> Bool {
    Int(truncatingIfNeeded: last &>> 6 &- first &>> 6) < count &* wordsPerEdge
  }

  var words = PagePointer<UInt64>.none
  /// The word of the whole bitmap at which `words` begins.
  var first: UInt32 = 0
  /// 0 for a run without bits.
  var count: UInt16 = 0

  /// Where a target's word is; out of `0 ..< count` where the run has none for it.
  @inline(__always)
  private func place(_ target: UInt32) -> UInt32 { target &>> 6 &- first }

  /// Whether an edge to `target` can be noted.
  @inline(__always)
  func takes(_ target: UInt32) -> Bool { count == 0 || place(target) < UInt32(count) }

  /// Notes that an edge leads to `target`.
  ///
  /// - Precondition: `takes(target)`.
  @inline(__always)
  func insert(_ target: UInt32) {
    if count == 0 { return }
    let word = Int(truncatingIfNeeded: place(target))
    words.store(words[word] | 1 &<< UInt64(truncatingIfNeeded: target & 63), at: word)
  }

  /// Notes that no edge leads to `target` any more.
  @inline(__always)
  func remove(_ target: UInt32) {
    if count == 0 { return }
    let word = Int(truncatingIfNeeded: place(target))
    words.store(words[word] & ~(1 &<< UInt64(truncatingIfNeeded: target & 63)), at: word)
  }

  /// Whether an edge leads to `target`, where there are bits.
  func contains(_ target: UInt32) -> Bool {
    let word = place(target)
    return word < UInt32(count)
      && words[Int(word)] &>> UInt64(truncatingIfNeeded: target & 63) & 1 != 0
  }

  /// The number of bits set.
  var targetCount: Int { (0..<Int(count)).reduce(0) { $0 + words[$1].nonzeroBitCount } }

  /// Adds the targets to a bitmap.
  @inline(__always)
  func add(to bitmap: Buffer<UInt64>) {
    let first = Int(truncatingIfNeeded: first)
    for word in 0..<Int(truncatingIfNeeded: count) { bitmap[first &+ word] |= words[word] }
  }

  /// Whether some target is in a bitmap.
  func meets(_ bitmap: Buffer<UInt64>) -> Bool {
    let first = Int(truncatingIfNeeded: first)
    for word in 0..<Int(truncatingIfNeeded: count) where bitmap[first &+ word] & words[word] != 0 {
      return true
    }
    return false
  }
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
    guard slot.owner == epoch.number, slot.count < slot.room, slot.bits.takes(target),
      !slot.lacksBits(adding: target)
    else { return false }
    let count = Int(truncatingIfNeeded: slot.count)
    let place = place(target, row, in: slot, hasRows: hasRows).index
    slot.targets.move(from: place, count: count &- place, to: place &+ 1)
    slot.targets.store(target, at: place)
    if hasRows {
      // What a writer owns is not packed.
      slot.rows.plain.move(from: place, count: count &- place, to: place &+ 1)
      slot.rows.plain.store(row, at: place)
    }
    slot.bits.insert(target)
    slot.count &+= 1
    head.runs.store(slot, at: index)
    head.lasts.store(slot.targets[count], at: index)
    head.count &+= 1
    header.store(head, at: 0)
    return true
  }

  /// Whether the run would be left, or the writer does not own it, so that it takes more than plain bytes.
  enum Removal { case done, absent, refused }

  /// When a run of so many edges loses one, it is looked at whether it and those beside it are fewer edges than runs
  /// are there for.
  static let thinCount: UInt16 = 64

  /// Takes an edge out, if the writer owns what it touches and the run has more.
  ///
  /// A run of `thinCount` edges, or one that would be dense without the edge, is `refused` unless the caller has said
  /// that it sees to that itself.
  func remove(
    _ target: UInt32, _ row: UInt32, hasRows: Bool, _ epoch: Epoch, isLookedAfter: Bool = false
  ) -> Removal {
    var head = header[0]
    guard head.runCount > 0 else { return .absent }
    let index = run(target, row, hasRows: hasRows)
    var slot = head.runs[index]
    let (place, found) = place(target, row, in: slot, hasRows: hasRows)
    if !found { return .absent }
    guard head.owner == epoch.number, slot.owner == epoch.number, slot.count > 1,
      isLookedAfter || (slot.count != Self.thinCount && !slot.lacksBits(without: place))
    else {
      return .refused
    }
    let rest = Int(truncatingIfNeeded: slot.count) &- place &- 1
    slot.targets.move(from: place &+ 1, count: rest, to: place)
    if hasRows { slot.rows.plain.move(from: place &+ 1, count: rest, to: place) }
    slot.count &-= 1
    // Edges to one target stand beside each other.
    let isLast =
      (place == 0 || slot.targets[place &- 1] != target)
      && (rest == 0 || slot.targets[place] != target)
    if isLast { slot.bits.remove(target) }
    head.runs.store(slot, at: index)
    head.lasts.store(slot.targets[Int(truncatingIfNeeded: slot.count) &- 1], at: index)
    head.count &-= 1
    header.store(head, at: 0)
    return .done
  }
}
