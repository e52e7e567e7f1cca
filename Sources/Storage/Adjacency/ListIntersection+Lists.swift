import Columnar
import Diagnostics

extension ListIntersection {
  /// One input row, its sources in the first two arms, and where targets are wanted.
  struct Visit {
    let row: UInt32
    let first: UInt32
    let second: UInt32
    let lower: UInt32
    let upper: UInt32
    /// A target that is not wanted.
    let excluded: UInt32

    /// The places of a list, or a run of one, where targets are wanted.
    @inline(__always)
    func places(_ targets: PagePointer<UInt32>, _ count: Int) -> Range<Int> {
      isUnbounded ? 0..<count : targets.places(count, lower, upper)
    }

    /// Whether a target is wanted.
    @inline(__always)
    func wants(_ target: UInt32) -> Bool { target >= lower && target < upper }

    /// Whether all targets are wanted.
    var isUnbounded: Bool { lower == 0 && upper == .max }
  }

  /// The lists of one arm.
  final class Lists: AdjacencyLists {
    let isUnique: Bool
    let wantsRows: Bool
    /// Lists of the same edges by target; nil where there are none, or they don't tell what is wanted.
    private let reverse: ListReader?

    /// So short a list is gone through sooner than a long one is searched.
    private static let scannedMax = 32

    init(_ arm: Arm) {
      isUnique = arm.isUnique
      wantsRows = arm.wantsRows
      let reverse = arm.reverse
      self.reverse =
        arm.wantsRows && reverse?.hasEdgeRows != true ? nil : reverse?.listReader
      super.init(arm.index)
    }

    /// The edges that lead to a target, if they are few: then one from a certain source is found among them sooner than in a long
    /// list of that source.
    @inline(__always)
    func fewEdges(to target: UInt32) -> (
      sources: PagePointer<UInt32>, rows: PackedNumbers, count: Int
    )? {
      guard let list = reverse?.list(of: target), list.count <= Self.scannedMax else { return nil }
      return (list.targets, list.rows, list.count)
    }

    /// How many edges have a target that is wanted.
    func count(of source: UInt32, _ visit: Visit) -> Int {
      if let list = reader.list(of: source) {
        return visit.places(list.targets, list.count).count
      }
      let long = reader.longList(of: source)
      if visit.isUnbounded { return long.count }
      var total = 0
      for number in long.runs(visit.lower, visit.upper) {
        let run = long.header[0].runs[number]
        total &+= visit.places(run.targets, Int(truncatingIfNeeded: run.count)).count
      }
      return total
    }

    /// Goes through the edges of a source a stretch at a time, and leaves out stretches without wanted targets; says whether `body`
    /// always said to go on.
    @inline(__always)
    func forEachRun(
      of source: UInt32, _ visit: Visit,
      _ body: (
        _ run: (targets: PagePointer<UInt32>, rows: PackedNumbers), _ count: Int
      ) throws(SQLError) -> Bool
    ) throws(SQLError) -> Bool {
      if let list = reader.list(of: source) {
        return try body((list.targets, list.rows), list.count)
      }
      let long = reader.longList(of: source)
      for number in long.runs(visit.lower, visit.upper) {
        let run = long.header[0].runs[number]
        if try !body((run.targets, run.rows), Int(truncatingIfNeeded: run.count)) { return false }
      }
      return true
    }
  }
}

extension LongTable {
  /// The runs that may have targets from `lower` on and below `upper`.
  @inline(__always)
  func runs(_ lower: UInt32, _ upper: UInt32) -> Range<Int> {
    let header = header[0]
    let count = Int(truncatingIfNeeded: header.runCount)
    let start = lower == 0 ? 0 : header.lasts.lowerBound(of: lower, in: 0..<count)
    if upper == .max { return start..<count }
    // A run whose last target is not below the bound may begin with some that are.
    let last = header.lasts.lowerBound(of: upper, in: start..<max(start, count))
    return start..<min(count, last &+ 1)
  }
}

extension RunBits {
  /// How many targets are in a bitmap as well.
  func commonCount(with bitmap: Buffer<UInt64>) -> Int {
    let first = Int(truncatingIfNeeded: first)
    var common = 0
    for word in 0..<Int(truncatingIfNeeded: count) {
      common &+= (bitmap[first &+ word] & words[word]).nonzeroBitCount
    }
    return common
  }
}
