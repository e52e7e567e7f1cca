import Columnar
import Diagnostics

extension AdjacencyIndex {
  /// An index over all edges, built in bulk.
  ///
  /// - Parameters:
  ///   - edges: the edges, of which the index may keep the memory of the targets: nobody may change it.
  ///   - isUnique: whether two edges between the same rows are a conflict.
  ///   - wantsOrdered: whether the edges are wanted in the order of the index, to build the other
  ///     direction of the same edges from.
  ///   - epoch: the writer's.
  /// - Returns: two rows with the same source and target, if those are a conflict; and the edges in order.
  /// - Throws: 57014, 53200; the index must then be dropped.
  /// - Complexity: O(*n*) on all cores; once through memory for edges that stand in order already.
  mutating func build(
    _ edges: EdgeList, isUnique: Bool, wantsOrdered: Bool = false, epoch: Epoch
  ) throws(SQLError) -> (conflict: (row: UInt32, existing: UInt32)?, ordered: EdgeList?) {
    pages = PageTree()
    edgeCount = 0
    let built = try SortedEdges(edges, isUnique: isUnique, hasRows: hasEdgeRows)
    guard built.edgeCount > 0 else { return (nil, nil) }
    for page in try built.makePages(epoch: epoch) { pages.append(page, epoch: epoch) }
    edgeCount = built.edgeCount
    return (built.conflict, wantsOrdered ? try built.edgeList() : nil)
  }
}

/// The edges of a table in bulk: for each edge its source, its target and its row.
struct EdgeList: Sendable {
  /// `TableStore.noRow` for what is no edge.
  let sources: Buffer<UInt32>
  /// nil if the target of each edge is its row.
  let targets: Buffer<UInt32>?
  /// nil if the row of each edge is its place in the list.
  let rows: Buffer<UInt32>?
  /// The length of the list.
  let count: Int
  /// Whether targets rise, so that a stable sort by source leaves the neighbours of each in order.
  let hasRisingTargets: Bool

  init(
    sources: Buffer<UInt32>, targets: Buffer<UInt32>?, rows: Buffer<UInt32>? = nil, count: Int,
    hasRisingTargets: Bool = false
  ) {
    self.sources = sources
    self.targets = targets
    self.rows = rows
    self.count = count
    self.hasRisingTargets = hasRisingTargets || targets == nil
  }

  /// The same edges the other way.
  ///
  /// - Precondition: the edges are in the order of their sources, and have targets.
  var reversed: EdgeList {
    EdgeList(
      sources: targets ?? sources, targets: sources, rows: rows, count: count,
      hasRisingTargets: true)
  }

  /// The pieces in which threads take the list.
  var shareCount: Int { count < 1 << 16 ? 1 : parallelWidth * 4 }

  func share(_ share: Int) -> Range<Int> {
    (count * share / shareCount)..<(count * (share + 1) / shareCount)
  }

  @inline(__always)
  func row(_ place: Int) -> UInt32 {
    if let rows { return rows[place] }
    return UInt32(truncatingIfNeeded: place)
  }

  /// What must be known of a list before it can be sorted.
  struct Survey: Sendable {
    var greatestSource: UInt32 = 0
    var edgeCount = 0
    /// Whether sources rise.
    var hasRisingSources = true
    /// Whether sources rise, targets rise within a source, and rows within both.
    var isSorted = true
  }

  /// - Complexity: O(*n*).
  func survey() throws(SQLError) -> Survey {
    let shares = shareCount
    let greatest = Buffer<UInt32>(zeroed: shares)
    let found = Buffer<Int>(zeroed: shares)
    let sorted = Buffer<UInt8>(zeroed: shares)
    let rising = Buffer<UInt8>(zeroed: shares)
    // Rows that are given need not rise where source and target are the same.
    let mayBeSorted = rows == nil
    try parallelForThrowing(tasks: shares) { (index) throws(SQLError) in
      let range = share(index)
      (greatest[index], found[index]) = try scan(range)
      guard mayBeSorted && found[index] == range.count else { return }
      rising[index] = try hasRisingSources(range) ? 1 : 0
      if rising[index] == 1 { sorted[index] = try isRising(range) ? 1 : 0 }
    }
    var survey = Survey()
    for index in 0..<shares {
      survey.greatestSource = max(survey.greatestSource, greatest[index])
      survey.edgeCount += found[index]
      if sorted[index] == 0 { survey.isSorted = false }
      if rising[index] == 0 { survey.hasRisingSources = false }
    }
    return survey
  }

  /// The greatest source of the edges of a range, and how many edges there are.
  ///
  /// No branch depends on a source, so that several are looked at at once: adding one makes 0 of what is no edge.
  private func scan(
    _ range: Range<Int>
  ) throws(SQLError) -> (greatest: UInt32, edgeCount: Int) {
    var next: UInt32 = 0
    var absent = 0
    var start = range.lowerBound
    while start < range.upperBound {
      try RunningStatement.check()
      let end = min(start &+ 1 &<< 16, range.upperBound)
      var none: UInt32 = 0
      for place in start..<end {
        let source = sources[place] &+ 1
        next = max(next, source)
        none &+= source == 0 ? 1 : 0
      }
      absent &+= Int(truncatingIfNeeded: none)
      start = end
    }
    return (next == 0 ? 0 : next &- 1, range.count &- absent)
  }

  /// Whether the sources of a range do not fall, nor from the edge before to the first.
  private func hasRisingSources(_ range: Range<Int>) throws(SQLError) -> Bool {
    // Looked at in stretches, so that a list in no order is soon left.
    var start = max(range.lowerBound, 1)
    while start < range.upperBound {
      try RunningStatement.check()
      let end = min(start &+ 4096, range.upperBound)
      var falls: UInt32 = 0
      for place in start..<end { falls |= sources[place] < sources[place &- 1] ? 1 : 0 }
      if falls != 0 { return false }
      start = end
    }
    return true
  }

  /// Whether the edges of a range do not fall by source and target, nor from the edge before to the first.
  private func isRising(_ range: Range<Int>) throws(SQLError) -> Bool {
    guard range.count > 0 else { return true }
    var last: UInt64 = range.lowerBound == 0 ? 0 : key(range.lowerBound - 1)
    var start = range.lowerBound
    while start < range.upperBound {
      try RunningStatement.check()
      let end = min(start &+ 4096, range.upperBound)
      var falls: UInt64 = 0
      for place in start..<end {
        let next = key(place)
        falls |= UInt64(truncatingIfNeeded: bit(next < last))
        last = next
      }
      if falls != 0 { return false }
      start = end
    }
    return true
  }

  @inline(__always)
  private func key(_ place: Int) -> UInt64 {
    let target = targets?[place] ?? UInt32(truncatingIfNeeded: place)
    return UInt64(sources[place]) &<< 32 | UInt64(target)
  }
}

/// Edges in the order of an index: by source, target and row, with the place where each source begins.
struct SortedEdges: Sendable {
  let edgeCount: Int
  let pageCount: Int
  /// Where the edges of each source begin; one more than the pages have sources.
  let starts: Buffer<UInt32>
  let targets: Buffer<UInt32>
  /// nil if the target of each edge is its row.
  let rows: Buffer<UInt32>?
  /// Whose memory the targets and rows stand in.
  private(set) var memory: BulkMemory
  /// The sources, if they were there in order.
  private let sources: Buffer<UInt32>?
  /// Two rows with the same source and target, the greater first.
  private(set) var conflict: (row: UInt32, existing: UInt32)?

  /// Sorts edges; with `hasRows` they have rows beside their targets.
  init(_ edges: EdgeList, isUnique: Bool, hasRows: Bool) throws(SQLError) {
    let survey = try edges.survey()
    edgeCount = survey.edgeCount
    let limit = survey.edgeCount == 0 ? 0 : Int(survey.greatestSource) + 1
    pageCount = (limit + AdjacencyPage.sourceCount - 1) >> AdjacencyPage.shift
    let starts = Buffer<UInt32>(zeroed: pageCount << AdjacencyPage.shift + 1)
    self.starts = starts
    if survey.isSorted {
      sources = edges.sources
      if let known = edges.targets {
        targets = known
      } else {
        targets = try Self.places(edges.count)
      }
      rows = hasRows ? try Self.places(edges.count) : nil
      memory = BulkMemory(ownsTargets: edges.targets == nil, ownsRows: true)
      try Self.fill(starts, from: edges)
    } else if survey.hasRisingSources, let unsorted = edges.targets {
      sources = edges.sources
      targets = Buffer(uninitialized: edges.count, pages: .small)
      rows = hasRows ? Buffer(uninitialized: edges.count, pages: .small) : nil
      memory = BulkMemory(ownsTargets: true, ownsRows: true)
      try Self.fill(starts, from: edges)
      if let rows { try Self.sortLists(unsorted, starts, pageCount: pageCount, to: targets, rows) }
    } else if edges.hasRisingTargets && limit <= DirectScatter.sourceLimit {
      sources = nil
      targets = Buffer(uninitialized: survey.edgeCount, pages: .small)
      rows = hasRows ? Buffer(uninitialized: survey.edgeCount, pages: .small) : nil
      memory = BulkMemory(ownsTargets: true, ownsRows: true)
      try DirectScatter(edges, starts: starts).run(targets, rows)
    } else {
      sources = nil
      targets = Buffer(uninitialized: survey.edgeCount, pages: .small)
      rows = hasRows ? Buffer(uninitialized: survey.edgeCount, pages: .small) : nil
      memory = BulkMemory(ownsTargets: true, ownsRows: true)
      try EdgePartitions(edges, survey, pageCount: pageCount).sort(starts, targets, rows)
    }
    if isUnique { conflict = try firstConflict() }
    if let rows, edgeCount >= Self.packedCountMin {
      let width = NumberStretch.likelyWidth(rows, packedBy: LongList.usualRunCount)
      memory.packsRows = width <= Self.packedWidthMax
    }
  }

  /// Rows of fewer edges stay as they are.
  private static let packedCountMin = 1024
  /// Rows that would take more bytes each than this stay as they are.
  private static let packedWidthMax = 2.75

  /// 0, 1, 2 and so on.
  private static func places(_ count: Int) throws(SQLError) -> Buffer<UInt32> {
    let places = Buffer<UInt32>(uninitialized: count, pages: .small)
    try parallelForThrowing(tasks: (count + 0xFFFF) >> 16) { (task) throws(SQLError) in
      for place in (task << 16)..<min(count, (task + 1) << 16) {
        places[place] = UInt32(truncatingIfNeeded: place)
      }
    }
    return places
  }

  /// Where each source begins among edges in order.
  private static func fill(_ starts: Buffer<UInt32>, from edges: EdgeList) throws(SQLError) {
    let sources = edges.sources
    try parallelForThrowing(tasks: edges.shareCount) { (share) throws(SQLError) in
      let range = edges.share(share)
      guard range.count > 0 else { return }
      // Every source up to the first of the range that did not begin before it begins here.
      var next = range.lowerBound == 0 ? 0 : Int(sources[range.lowerBound - 1]) + 1
      try range.inSlices { slice in
        for place in slice {
          let source = Int(truncatingIfNeeded: sources[place])
          while next <= source {
            starts[next] = UInt32(truncatingIfNeeded: place)
            next &+= 1
          }
        }
      }
      if range.upperBound == edges.count {
        for rest in next..<starts.count { starts[rest] = UInt32(edges.count) }
      }
    }
  }

  /// Sorts the neighbours of each source, where all edges of a source stand together already.
  private static func sortLists(
    _ unsorted: Buffer<UInt32>, _ starts: Buffer<UInt32>, pageCount: Int,
    to targets: Buffer<UInt32>, _ rows: Buffer<UInt32>
  ) throws(SQLError) {
    // So few that the scratch memory of a task is not given back to the system after it.
    let pagesATask = 16
    try parallelForThrowing(tasks: (pageCount + pagesATask - 1) / pagesATask) {
      (task) throws(SQLError) in
      let first = (task * pagesATask) << AdjacencyPage.shift
      let end = min(pageCount, (task + 1) * pagesATask) << AdjacencyPage.shift
      let base = Int(starts[first])
      let count = Int(starts[end]) - base
      let edges = Buffer<UInt64>(uninitialized: count)
      for edge in 0..<count {
        edges[edge] = UInt64(unsorted[base &+ edge]) &<< 32 | UInt64(base &+ edge)
      }
      var scratch = Buffer<UInt64>(uninitialized: 0)
      for list in first..<end {
        let range = (Int(starts[list]) &- base)..<(Int(starts[list + 1]) &- base)
        if range.count > 1 { EdgeSorting.sort(edges, range, &scratch) }
      }
      for edge in 0..<count {
        targets[base &+ edge] = UInt32(truncatingIfNeeded: edges[edge] &>> 32)
        rows[base &+ edge] = UInt32(truncatingIfNeeded: edges[edge])
      }
    }
  }

  private func firstConflict() throws(SQLError) -> (row: UInt32, existing: UInt32)? {
    guard let rows else { return nil }
    let first = Buffer<UInt64>(repeating: .max, count: pageCount)
    try parallelForThrowing(tasks: (pageCount + 63) / 64) { (task) throws(SQLError) in
      for page in (task * 64)..<min(pageCount, task * 64 + 64) {
        let lists = (page << AdjacencyPage.shift)..<((page + 1) << AdjacencyPage.shift)
        for list in lists {
          let range = Int(starts[list])..<Int(starts[list + 1])
          for edge in range.dropFirst() where targets[edge] == targets[edge &- 1] {
            first[page] = min(first[page], UInt64(rows[edge]) << 32 | UInt64(rows[edge &- 1]))
          }
        }
      }
    }
    let least = first.array(pageCount).min() ?? .max
    if least == .max { return nil }
    return (UInt32(truncatingIfNeeded: least >> 32), UInt32(truncatingIfNeeded: least))
  }

  /// The edges as a list in their order.
  func edgeList() throws(SQLError) -> EdgeList {
    var ordered = sources
    if ordered == nil {
      let made = Buffer<UInt32>(uninitialized: edgeCount)
      try parallelForThrowing(tasks: pageCount) { (page) throws(SQLError) in
        for list in (page << AdjacencyPage.shift)..<((page + 1) << AdjacencyPage.shift) {
          made.fill(
            Int(starts[list])..<Int(starts[list + 1]), with: UInt32(truncatingIfNeeded: list))
        }
      }
      ordered = made
    }
    return EdgeList(
      sources: ordered ?? targets, targets: rows == nil ? nil : targets, rows: rows,
      count: edgeCount)
  }
}
