import Columnar
import Diagnostics

/// Carries out a join for one worker, once candidates are known: conditions, outer rows, marks, output.
class PairJoinStage: StreamingStage {
  let rules: JoinRules
  /// Whether the build side's columns come first.
  private let isFlipped: Bool
  /// Conditions on pairs; nil for none.
  let conditions: PairConditions?
  /// The same as one truth value, where a mark must tell NULL from false.
  private let truth: (any Evaluator)?
  private let probeTypes: [LogicalType]
  /// Which build rows have had a match.
  private var buildMarks: Buffer<UInt8>?

  init(
    _ rules: JoinRules, isFlipped: Bool, conditions: PairConditions?,
    truth: (any Evaluator)?, probeTypes: [LogicalType], next: Stage
  ) {
    self.rules = rules
    self.isFlipped = isFlipped
    self.conditions = conditions
    self.truth = truth
    self.probeTypes = probeTypes
    super.init(next: next)
  }

  /// Makes room to note which of `count` build rows match, if that is wanted, and says where that will stand.
  func startBuildMarks(_ count: Int) -> Buffer<UInt8>? {
    buildMarks = rules.marksBuild ? Buffer(zeroed: max(count, 1)) : nil
    return buildMarks
  }

  private func output(_ probe: [Vector], _ build: [Vector], _ count: Int) throws(SQLError) -> Bool {
    count == 0
      ? true : try next.push(DataChunk(isFlipped ? build + probe : probe + build, count: count))
  }

  /// Joins the rows of `chunk` with their candidates among `build`, and says whether more are wanted.
  ///
  /// For a mark, `unknown` says which rows are NULL where they have no match; an anti-join leaves them out.
  func join(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows,
    unknown: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Bool {
    if rules.output == .mark, rules.marksUnknown, conditions != nil, let truth {
      let matched = Buffer<UInt8>(zeroed: max(chunk.count, 1))
      try findTruths(truth, chunk, ranges, build, matched)
      return try outputMatches(chunk, matched, unknown)
    }
    var resolved = try conditions?.resolved(chunk, build, try running())
    let isNarrowed = resolved?.narrow(ranges, rowCount: chunk.count) ?? false
    if resolved?.isEmpty ?? false { resolved = nil }
    if rules.givesBuildRows {
      try markBuild(chunk, ranges, build, resolved, areWhole: !isNarrowed)
      return true
    }
    if rules.output == .pairs {
      guard let resolved else { return try joinPairs(chunk, ranges, build) }
      return try joinFilteredPairs(chunk, ranges, build, resolved)
    }
    let matched = Buffer<UInt8>(zeroed: max(chunk.count, 1))
    if let resolved {
      try findMatches(chunk, ranges, build, matched, resolved)
    } else {
      for row in 0..<chunk.count {
        matched[row] = UInt8(bit(ranges.starts[row] < ranges.ends[row]))
      }
    }
    return try outputMatches(chunk, matched, unknown)
  }

  /// Hands on what the join wants of the rows of a chunk of which it is known whether they match.
  func outputMatches(
    _ chunk: DataChunk, _ matched: Buffer<UInt8>, _ unknown: Buffer<UInt8>? = nil
  ) throws(SQLError) -> Bool {
    let count = chunk.count
    if rules.output == .mark {
      if let unknown {
        for row in 0..<count where matched[row] == 0 && unknown[row] != 0 {
          matched[row] = TruthValues.unknown
        }
      }
      let mark = TruthValues(values: matched, count: count).vector()
      return try next.push(DataChunk(chunk.columns + [mark], count: count))
    }
    let wanted: UInt8 = rules.output == .matched ? 1 : 0
    // Who may have a match for all one knows is not without one.
    if rules.output == .unmatched, let unknown {
      for row in 0..<count { matched[row] |= unknown[row] }
    }
    let kept = Buffer<UInt32>(uninitialized: max(count, 1))
    var found = 0
    for row in 0..<count {
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= bit(matched[row] & 1 == wanted)
    }
    if found == 0 { return true }
    return try next.push(chunk.gathered(SelectionVector(kept, count: found)))
  }

  /// Without conditions every candidate is a match.
  private func joinPairs(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows
  ) throws(SQLError) -> Bool {
    if rules.isSingle {
      for row in 0..<chunk.count where ranges.ends[row] &- ranges.starts[row] > 1 {
        throw JoinRules.moreThanOneRow()
      }
    }
    if ranges.areSingle { return try joinSinglePairs(chunk, ranges, build) }
    var cursor = PairCursor(ranges, rowCount: chunk.count)
    let capacity = Vector.chunkCapacity
    let context = try running()
    while true {
      let probeRows = Buffer<UInt32>(uninitialized: capacity)
      let buildRows = Buffer<UInt32>(uninitialized: capacity)
      let count = cursor.fill(
        probeRows, buildRows, capacity: capacity, missing: rules.keepsProbe ? build.missing : nil)
      if count == 0 { return true }
      try context.check()
      note(buildRows, count, build)
      let probe = Vector.gathered(chunk.columns, probeRows, count: count)
      let matches = build.columns.map { $0.gathered(buildRows, count: count) }
      if try !output(probe, matches, count) { return false }
    }
  }

  /// The same where no row has more than one candidate: rows that all have one stay as they are.
  private func joinSinglePairs(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows
  ) throws(SQLError) -> Bool {
    let count = chunk.count
    let partners = Buffer<UInt32>(uninitialized: max(count, 1))
    guard rules.keepsProbe else {
      let rows = Buffer<UInt32>(uninitialized: max(count, 1))
      let found = Self.singlePairs(ranges, count, rows, partners)
      return try outputSingle(chunk, rows, build, partners, found)
    }
    let (starts, ends) = (ranges.starts, ranges.ends)
    for row in 0..<count {
      partners[row] = starts[row] == ends[row] ? build.missing : starts[row]
    }
    if let order = ranges.order {
      let missing = build.missing
      for row in 0..<count where partners[row] != missing { partners[row] = order[partners[row]] }
    }
    note(partners, count, build)
    return try output(
      chunk.columns, build.columns.map { $0.gathered(partners, count: count) }, count)
  }

  /// Writes the rows that have a candidate beside it, and says how many they are.
  private static func singlePairs(
    _ ranges: CandidateRanges, _ count: Int, _ rows: Buffer<UInt32>, _ partners: Buffer<UInt32>
  ) -> Int {
    let (starts, ends) = (ranges.starts, ranges.ends)
    var found = 0
    for row in 0..<count {
      rows[found] = UInt32(truncatingIfNeeded: row)
      partners[found] = starts[row]
      found &+= bit(starts[row] != ends[row])
    }
    if let order = ranges.order {
      for pair in 0..<found { partners[pair] = order[partners[pair]] }
    }
    return found
  }

  /// Hands on rows, each at most once, beside their partners.
  private func outputSingle(
    _ chunk: DataChunk, _ rows: Buffer<UInt32>, _ build: BuildRows, _ partners: Buffer<UInt32>,
    _ found: Int
  ) throws(SQLError) -> Bool {
    if found == 0 { return true }
    note(partners, found, build)
    let probe =
      found < chunk.count ? Vector.gathered(chunk.columns, rows, count: found) : chunk.columns
    return try output(probe, build.columns.map { $0.gathered(partners, count: found) }, found)
  }

  /// As `joinFilteredPairs` where no row has more than one candidate, and rows without a match are not wanted.
  private func joinFilteredSinglePairs(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows,
    _ conditions: PairConditions.Resolved
  ) throws(SQLError) -> Bool {
    let rows = Buffer<UInt32>(uninitialized: max(chunk.count, 1))
    let partners = Buffer<UInt32>(uninitialized: max(chunk.count, 1))
    var found = Self.singlePairs(ranges, chunk.count, rows, partners)
    for test in conditions.tests { found = test.keep(rows, partners, from: 0, to: found) }
    let kept = try selected(conditions, chunk, rows, build, partners, found)
    if kept.count < found {
      for pair in 0..<kept.count {
        rows[pair] = rows[kept.positions[pair]]
        partners[pair] = partners[kept.positions[pair]]
      }
      found = kept.count
    }
    return try outputSingle(chunk, rows, build, partners, found)
  }

  private func note(_ buildRows: Buffer<UInt32>, _ count: Int, _ build: BuildRows) {
    guard let buildMarks else { return }
    let missing = build.missing
    for pair in 0..<count where buildRows[pair] != missing { buildMarks[buildRows[pair]] = 1 }
  }

  private func joinFilteredPairs(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows,
    _ conditions: PairConditions.Resolved
  ) throws(SQLError) -> Bool {
    let context = try running()
    if ranges.areSingle && !rules.keepsProbe {
      return try joinFilteredSinglePairs(chunk, ranges, build, conditions)
    }
    var cursor = PairCursor(ranges, rowCount: chunk.count)
    let capacity = Vector.chunkCapacity
    let matched = Buffer<UInt8>(zeroed: max(chunk.count, 1))
    var completed = 0
    while !cursor.isAtEnd {
      try context.check()
      let probeRows = Buffer<UInt32>(uninitialized: capacity)
      let buildRows = Buffer<UInt32>(uninitialized: capacity)
      let count = cursor.fill(probeRows, buildRows, capacity: capacity, conditions)
      let kept = try selected(conditions, chunk, probeRows, build, buildRows, count)
      let (probe, partners, found) = try merge(
        kept, probeRows, buildRows, matched, completed..<cursor.row, build)
      completed = cursor.row
      if found == 0 { continue }
      note(partners, found, build)
      let rows = pairs(chunk, probe, build, partners, found)
      let width = chunk.columns.count
      let more = try rows.forEachPart { (part) throws(SQLError) in
        try output(Array(part.columns[..<width]), Array(part.columns[width...]), part.count)
      }
      if !more { return false }
    }
    return true
  }

  private func pairs(
    _ chunk: DataChunk, _ probeRows: Buffer<UInt32>, _ build: BuildRows,
    _ buildRows: Buffer<UInt32>, _ count: Int
  ) -> DataChunk {
    DataChunk(
      Vector.gathered(chunk.columns, probeRows, count: count)
        + build.columns.map { $0.gathered(buildRows, count: count) }, count: count)
  }

  /// Those of some pairs for which the conditions hold that are no tests.
  private func selected(
    _ conditions: PairConditions.Resolved, _ chunk: DataChunk, _ probeRows: Buffer<UInt32>,
    _ build: BuildRows, _ buildRows: Buffer<UInt32>, _ count: Int
  ) throws(SQLError) -> SelectionVector {
    if count == 0 || conditions.filters.isEmpty { return .all(count) }
    var pairs = pairs(chunk, probeRows, build, buildRows, count)
    return try conditions.select(&pairs, try running()) ?? .all(count)
  }

  /// The pairs kept and, in their place, the rows of `done` that have had no match at all.
  private func merge(
    _ kept: SelectionVector, _ probeRows: Buffer<UInt32>, _ buildRows: Buffer<UInt32>,
    _ matched: Buffer<UInt8>, _ done: Range<Int>, _ build: BuildRows
  ) throws(SQLError) -> (Buffer<UInt32>, Buffer<UInt32>, Int) {
    let room = kept.count + (rules.keepsProbe ? done.count : 0)
    let probe = Buffer<UInt32>(uninitialized: max(room, 1))
    let partners = Buffer<UInt32>(uninitialized: max(room, 1))
    var found = 0
    var following = done.lowerBound
    func addUnmatched(below end: Int) {
      while following < end {
        if matched[following] == 0 {
          probe[found] = UInt32(truncatingIfNeeded: following)
          partners[found] = build.missing
          found &+= 1
        }
        following &+= 1
      }
    }
    for index in 0..<kept.count {
      let pair = Int(kept.positions[index])
      let row = Int(probeRows[pair])
      if rules.keepsProbe { addUnmatched(below: min(row, done.upperBound)) }
      if rules.isSingle && matched[row] != 0 { throw JoinRules.moreThanOneRow() }
      matched[row] = 1
      probe[found] = probeRows[pair]
      partners[found] = buildRows[pair]
      found &+= 1
    }
    if rules.keepsProbe { addUnmatched(below: done.upperBound) }
    return (probe, partners, found)
  }

  /// Sets the mark of each row for which some candidate meets the conditions; to 2 where none does and
  /// some is unknown.
  private func findMatches(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows, _ matched: Buffer<UInt8>,
    _ conditions: PairConditions.Resolved
  ) throws(SQLError) {
    var cursor = PairCursor(ranges, rowCount: chunk.count)
    let capacity = Vector.chunkCapacity
    let context = try running()
    let probeRows = Buffer<UInt32>(uninitialized: capacity)
    let buildRows = Buffer<UInt32>(uninitialized: capacity)
    while !cursor.isAtEnd {
      try context.check()
      let count = cursor.fill(
        probeRows, buildRows, capacity: capacity, conditions, skipping: matched)
      if count == 0 { continue }
      let kept = try selected(conditions, chunk, probeRows, build, buildRows, count)
      for index in 0..<kept.count { matched[probeRows[kept.positions[index]]] = 1 }
    }
  }

  /// As `findMatches`, where a condition that is NULL is told from one that is false.
  private func findTruths(
    _ truth: any Evaluator, _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows,
    _ matched: Buffer<UInt8>
  ) throws(SQLError) {
    var cursor = PairCursor(ranges, rowCount: chunk.count)
    let capacity = Vector.chunkCapacity
    let context = try running()
    let settled = Buffer<UInt8>(zeroed: max(chunk.count, 1))
    while true {
      try context.check()
      let probeRows = Buffer<UInt32>(uninitialized: capacity)
      let buildRows = Buffer<UInt32>(uninitialized: capacity)
      let count = cursor.fill(
        probeRows, buildRows, capacity: capacity, missing: nil, skipping: settled)
      if count == 0 { return }
      var pairs = pairs(chunk, probeRows, build, buildRows, count)
      let values = TruthValues(try truth.evaluate(&pairs, context), count: count).values
      for pair in 0..<count {
        let row = Int(probeRows[pair])
        if values[pair] == 1 {
          matched[row] = 1
          settled[row] = 1
        } else if values[pair] == TruthValues.unknown && matched[row] == 0 {
          matched[row] = TruthValues.unknown
        }
      }
    }
  }

  /// Marks the build rows that have a match in `chunk`; rows marked before are not looked at again.
  private func markBuild(
    _ chunk: DataChunk, _ ranges: CandidateRanges, _ build: BuildRows,
    _ resolved: PairConditions.Resolved?, areWhole: Bool
  ) throws(SQLError) {
    guard let buildMarks else { return }
    guard let resolved else {
      markAll(ranges, chunk.count, buildMarks, areWhole: areWhole)
      return
    }
    var cursor = PairCursor(ranges, rowCount: chunk.count)
    let capacity = Vector.chunkCapacity
    let context = try running()
    let probeRows = Buffer<UInt32>(uninitialized: capacity)
    let buildRows = Buffer<UInt32>(uninitialized: capacity)
    while !cursor.isAtEnd {
      try context.check()
      let found = cursor.fill(probeRows, buildRows, capacity: capacity, resolved)
      var count = 0
      for pair in 0..<found {
        let candidate = buildRows[pair]
        probeRows[count] = probeRows[pair]
        buildRows[count] = candidate
        count &+= bit(buildMarks[candidate] == 0)
      }
      if count == 0 { continue }
      let kept = try selected(resolved, chunk, probeRows, build, buildRows, count)
      for index in 0..<kept.count { buildMarks[buildRows[kept.positions[index]]] = 1 }
    }
  }

  /// Marks all candidates of `count` rows.
  ///
  /// Those of a key are marked together where they are its whole, so that one look tells of all of them, however many rows ask for it.
  private func markAll(
    _ ranges: CandidateRanges, _ count: Int, _ buildMarks: Buffer<UInt8>, areWhole: Bool
  ) {
    for row in 0..<count {
      let start = ranges.starts[row]
      let end = ranges.ends[row]
      if start >= end { continue }
      if let order = ranges.order {
        if areWhole, buildMarks[order[start]] != 0 { continue }
        for place in start..<end { buildMarks[order[place]] = 1 }
      } else {
        if areWhole, buildMarks[start] != 0 { continue }
        for place in start..<end { buildMarks[place] = 1 }
      }
    }
  }

  /// Hands on the build rows that some worker has marked, or those that none has.
  func outputBuild(
    _ marks: [Buffer<UInt8>], matched: Bool, _ build: BuildRows
  ) throws(SQLError) {
    let wanted: UInt8 = matched ? 1 : 0
    var start = 0
    while start < build.count {
      let rows = Buffer<UInt32>(uninitialized: Vector.chunkCapacity)
      var found = 0
      while start < build.count && found < Vector.chunkCapacity {
        var mark: UInt8 = 0
        for worker in marks { mark |= worker[start] }
        rows[found] = UInt32(truncatingIfNeeded: start)
        found &+= bit(mark == wanted)
        start &+= 1
      }
      if found == 0 { continue }
      let columns = build.columns.map { $0.gathered(rows, count: found) }
      if try !next.push(DataChunk(columns, count: found)) { return }
    }
  }

  /// Hands on all build rows, each with whether some worker has marked it.
  func outputMarkedBuild(_ marks: [Buffer<UInt8>], _ build: BuildRows) throws(SQLError) {
    for start in stride(from: 0, to: build.count, by: Vector.chunkCapacity) {
      let count = min(Vector.chunkCapacity, build.count - start)
      let found = Buffer<UInt8>(zeroed: count)
      for worker in marks {
        for row in 0..<count { found[row] |= worker[start &+ row] }
      }
      let columns = build.columns.map { $0.slice(from: start, count: count) }
      let mark = Vector(.boolean, found, count: count)
      if try !next.push(DataChunk(columns + [mark], count: count)) { return }
    }
  }

  /// Hands on the build rows that no worker has marked, with NULLs for the probe side.
  func outputUnmatchedBuild(_ marks: [Buffer<UInt8>], _ build: BuildRows) throws(SQLError) {
    var start = 0
    while start < build.count {
      let end = min(build.count, start + Vector.chunkCapacity)
      let rows = Buffer<UInt32>(uninitialized: end - start)
      var found = 0
      for row in start..<end {
        var mark: UInt8 = 0
        for worker in marks { mark |= worker[row] }
        rows[found] = UInt32(truncatingIfNeeded: row)
        found &+= bit(mark == 0)
      }
      let probe = probeTypes.map { Vector.null($0, count: found) }
      if try !output(probe, build.columns.map { $0.gathered(rows, count: found) }, found) { return }
      start = end
    }
  }
}
