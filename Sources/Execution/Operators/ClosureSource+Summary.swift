import Columnar
import Diagnostics
import Planning
import Storage

/// Which of the rows that a closure reaches are summarized.
struct ReachedSelection {
  /// Conditions on the rows.
  var rows: KeptCondition?
  /// Comparisons of the column that counts rounds.
  var rounds: [(ComparisonOperator, Int64)] = []
  /// Rows that are left out.
  var exclusions: [Exclusion] = []
  /// Their positions in a run; with one that is not known, as its key is NULL, no row is known to be wanted.
  private var excluded: [UInt32] = []
  private var isEmpty = false

  /// A row that is left out by its key, which may be a parameter.
  struct Exclusion {
    let key: any Evaluator
    let parameter: Int?
  }

  /// Whether a run for a value of a parameter has all that is needed.
  func depends(onlyOn parameter: Int?) -> Bool {
    exclusions.allSatisfy { $0.parameter == parameter && parameter != nil }
  }

  /// Finds the rows left out where all of them are the one of a number.
  mutating func start(from number: Int64, _ rows: AdjacencyAccess.Opened) {
    isEmpty = false
    excluded.removeAll(keepingCapacity: true)
    if !exclusions.isEmpty { excluded.append(rows.position(of: number)) }
  }

  /// Finds the rows left out.
  mutating func start(
    _ rows: AdjacencyAccess.Opened, _ context: ExecutionContext
  ) throws(SQLError) {
    isEmpty = false
    excluded.removeAll(keepingCapacity: true)
    for exclusion in exclusions {
      var one = DataChunk([], count: 1)
      let key = try exclusion.key.evaluate(&one, context).flattened()
      var fold = KeyFold()
      fold.add(key)
      if fold.count == 0 {
        isEmpty = true
      } else {
        excluded.append(rows.position(of: fold.least))
      }
    }
  }

  /// Those of some rows that are not left out.
  func remaining(
    _ positions: Buffer<UInt32>, _ count: Int
  ) -> (positions: Buffer<UInt32>, count: Int) {
    if isEmpty { return (positions, 0) }
    if excluded.isEmpty { return (positions, count) }
    let kept = Buffer<UInt32>(uninitialized: count + 1)
    var found = 0
    for index in 0..<count {
      kept[found] = positions[index]
      found &+= bit(!excluded.contains(positions[index]))
    }
    return (kept, found)
  }
}

/// What is asked of the rows of a closure without handing them on, by the number where it starts without a run.
extension ClosureSource: SummarizedByNumber {
  var parameter: Int? {
    guard conditions?.areKept ?? true, rounds?.isShort ?? true else { return nil }
    let parameter: Int?
    switch seeds {
    case .walked(let walker): parameter = walker.parameter
    case .row(_, let own, _): parameter = access.takesNumber ? own : nil
    case .rows, .edges: parameter = nil
    }
    return selection.depends(onlyOn: parameter) ? parameter : nil
  }

  /// A walk that is longer than this is left to a run, which can be cancelled.
  private static let shortCount = 1 << 14

  func countRows(of number: Int64, in tables: any TableSource) throws(SQLError) -> Int? {
    guard try startShort(from: number, in: tables) else { return nil }
    while let goesOn = try goOnShort() {
      if !goesOn { return reached.forgottenCount + reached.count }
    }
    return nil
  }

  func fold(
    _ column: Int, of number: Int64, in tables: any TableSource
  ) throws(SQLError) -> KeyFold? {
    guard try startShort(from: number, in: tables) else { return nil }
    var fold = KeyFold()
    if try !addRound(0..<reached.count, column, to: &fold, nil) { return nil }
    while let goesOn = try goOnShort() {
      if !goesOn { return fold }
      let round = reached.walkedCount..<reached.count
      if try !addRound(round, column, to: &fold, nil) { return nil }
    }
    return nil
  }

  /// Finds the rows of the first round for the number where it starts, without a run; false where they are many.
  private func startShort(
    from number: Int64, in tables: any TableSource
  ) throws(SQLError) -> Bool {
    switch seeds {
    case .walked(let walker):
      guard let start = try walker.rows(number: number, in: tables) else { return false }
      try open(tables)
      selection.start(from: number, try access.current())
      reached.insert(start.positions, groups: nil, count: start.count)
      return true
    case .row(_, _, let isGiven):
      try open(tables)
      selection.start(from: number, try access.current())
      reached.insert(try access.current().position(of: number))
      if isGiven { return true }
      reached.unmark()
      if try !walkShort() { return false }
      reached.dropWalked()
      return true
    case .rows, .edges: return false
    }
  }

  /// Walks on from the rows of the last round, and says whether it gave any; nil where they are many.
  private func goOnShort() throws(SQLError) -> Bool? {
    let reached = reached
    if reached.walkedCount == reached.count { return false }
    if let rounds, !rounds.goesOnShort { return false }
    reached.beginRound()
    let last = reached.count
    if try !walkShort() { return nil }
    if reached.count == last { return false }
    return try rounds?.next() ?? true
  }

  /// Walks from all rows that have not been walked from; false where that takes long.
  private func walkShort() throws(SQLError) -> Bool {
    let reached = reached
    let last = reached.count
    let opened = try access.current()
    let end = try opened.arrivals().end
    while reached.walkedCount < last {
      if reached.count + reached.forgottenCount > Self.shortCount { return false }
      if let conditions {
        if try conditions.walkKnown(reached, at: end, to: last) { continue }
        return false
      }
      reached.walk(
        opened.lists, opened.adjacency, at: end, to: last, edgeLimit: Self.shortCount)
    }
    return true
  }

  /// Adds what a column has in the rows of a round; false where it is not known which of them are wanted, and there is no run to
  /// find out.
  func addRound(
    _ range: Range<Int>, _ column: Int, to fold: inout KeyFold, _ context: ExecutionContext?
  ) throws(SQLError) -> Bool {
    if let rounds, !selection.rounds.allSatisfy({ $0.0.holds(rounds.value, $0.1) }) { return true }
    var positions = reached.positions.slice(range)
    var count = range.count
    if let rows = selection.rows {
      if let context { try rows.ask(positions, count: count, context) }
      let kept = Buffer<UInt32>(uninitialized: count + 1)
      let all = PagePointer(positions)
      guard let found = rows.rows.select(all, of: all, count: count, into: kept) else {
        return false
      }
      (positions, count) = (kept, found)
    }
    (positions, count) = selection.remaining(positions, count)
    let opened = try access.current()
    if let rounds, column == rounds.place {
      fold.add(rounds.value, times: count)
    } else if column < types.count, let keys = opened.serialKey {
      fold.add(positions, count: count, keys: keys)
    } else {
      try addValues(column, positions, count, to: &fold)
    }
    return true
  }

  /// Adds the values of a column that must be read.
  private func addValues(
    _ column: Int, _ positions: Buffer<UInt32>, _ count: Int, to fold: inout KeyFold
  ) throws(SQLError) {
    for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
      let length = min(Vector.chunkCapacity, count - start)
      let part = positions.slice(start..<(start + length))
      if column >= types.count, let ownReaders {
        fold.add(ownReaders.gather(part, count: length)[column - types.count])
      } else {
        let keys = try access.columns(
          TableAccess.Stretch(positions: part, neighbours: part, count: length))
        fold.add(keys[0])
      }
    }
  }
}
