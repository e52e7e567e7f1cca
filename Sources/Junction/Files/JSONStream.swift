import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Synchronization

/// Makes a table of objects of JSON that stand behind one another or in an array, a window of their files at a time, of which
/// all workers read parts.
///
/// Where a record begins is known only to who has read those before it. So a part begins where one seems to, and counts only if the
/// part before it ends there. Keys and types are those of the first window until something else is met: then all is
/// done again. What is not as simple as that, or wrong, is left to `JSONRecords`.
struct JSONStream {
  private let sources: JSONSources
  private let session: Session
  private let table: String
  private let evaluation: EvaluationContext
  private let progress: ((LoadProgress) -> Void)?
  private let inference: SchemaInference

  private let sizes: JSONWindow.Sizes

  private var isWanted: (String) -> Bool
  private var keys = JSONKeyTable()
  private var guesses: [JSONColumnGuess] = []
  /// Whether something was met in this round that the table has no room for.
  private var isDisproved = false
  private var rowCount = 0
  private var bytesRead = 0

  private enum Outcome {
    case done
    /// What is known now was not known before.
    case again
    /// This is for others to read.
    case unsuited
  }

  init(
    _ sources: JSONSources, into table: String, of session: Session,
    _ evaluation: EvaluationContext, _ progress: ((LoadProgress) -> Void)?,
    sizes: JSONWindow.Sizes = JSONWindow.Sizes(), _ isWanted: @escaping (String) -> Bool
  ) {
    self.sizes = sizes
    self.sources = sources
    self.table = table
    self.session = session
    self.evaluation = evaluation
    self.progress = progress
    self.isWanted = isWanted
    inference = SchemaInference(session: session)
  }

  /// Makes the table.
  ///
  /// - Returns: it, and the names of all keys; nil for files that are to be read otherwise.
  /// - Throws: 58030, 53200, 57014.
  mutating func load() throws(SQLError) -> (definition: TableDefinition, names: [String])? {
    if try survey() == .unsuited { return nil }
    if keys.columns.isEmpty {
      // A table has at least one column.
      guard let first = keys.names.first else { return nil }
      isWanted = { $0 == HeaderNames.cut(first) }
      keys = JSONKeyTable()
      if try survey() == .unsuited { return nil }
    }
    while true {
      let load = ChunkLoad(session, table: table, evaluation)
      var outcome = Outcome.done
      let definition = try load.run(
        HeaderNames(keys.columns).names, guesses.map { ColumnType($0.type) }
      ) { append throws(SQLError) in
        var rules: [JSONColumnRule] = []
        for guess in guesses { rules.append(try JSONColumnRule(guess.type)) }
        outcome = try read(rules, append)
        return outcome == .done
      }
      if let definition { return (definition, keys.names) }
      if outcome == .unsuited { return nil }
    }
  }

  /// Looks at the first window.
  private mutating func survey() throws(SQLError) -> Outcome {
    guard sources.count > 0 else { return .unsuited }
    return try readFile(0, nil, isFirstWindow: true) { _ in }
  }

  /// Reads all files.
  private mutating func read(
    _ rules: [JSONColumnRule], _ append: ChunkLoad.Append
  ) throws(SQLError) -> Outcome {
    isDisproved = false
    rowCount = 0
    bytesRead = 0
    for file in 0..<sources.count {
      let outcome = try readFile(file, rules, isFirstWindow: false, append)
      if outcome != .done { return outcome }
    }
    return isDisproved ? .again : .done
  }

  private mutating func readFile(
    _ file: Int, _ rules: [JSONColumnRule]?, isFirstWindow: Bool, _ append: ChunkLoad.Append
  ) throws(SQLError) -> Outcome {
    var window = try JSONWindow(try sources.opened(file), sizes)
    guard let (first, isArray) = Self.firstRecord(window.text) else { return .unsuited }
    var start = first
    let bytesBefore = bytesRead
    let rowsBefore = rowCount
    while true {
      let stop = try readWindow(window, from: start, isArray, rules, append)
      if stop.isMisfit { return .again }
      bytesRead = bytesBefore + window.bytesRead
      progress?(LoadProgress(bytesRead: bytesRead, bytesInAll: nil, rows: rowCount))
      guard rowCount > rowsBefore else { return .unsuited }
      if isFirstWindow { return .done }
      switch try Self.moveOn(&window, stop, isArray) {
      case .record(let place): start = place
      case .end:
        // One object that is all of a file may wrap its records.
        return isArray || rowCount - rowsBefore > 1 ? .done : .unsuited
      case .unsuited: return .unsuited
      }
    }
  }

  /// Where the first object begins, and whether it is in an array.
  private static func firstRecord(_ text: TextBytes) -> (Int, Bool)? {
    // A mark of the byte order, as some editors write it.
    let hasMark = text.count >= 3 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF
    var place = JSONRecordScanner.skipSpace(text, from: hasMark ? 3 : 0)
    let isArray = place < text.count && text[place] == UInt8(ascii: "[")
    if isArray { place = JSONRecordScanner.skipSpace(text, from: place + 1) }
    guard place < text.count, text[place] == UInt8(ascii: "{") else { return nil }
    return (place, isArray)
  }

  // MARK: Windows

  /// How far a window was read.
  private struct Stop {
    var next: JSONPart.Next
    var end: Int
    /// Whether a value was met that is none of its column's type.
    var isMisfit = false
  }

  private enum Step {
    case record(Int)
    case end
    case unsuited
  }

  /// Moves a window on, and finds the next record in it.
  private static func moveOn(
    _ window: inout JSONWindow, _ stop: Stop, _ isArray: Bool
  ) throws(SQLError) -> Step {
    var stop = stop
    while true {
      switch stop.next {
      case .record(let place): return .record(place)
      case .bad: return .unsuited
      case .cutOff:
        guard !window.isAtEnd, try window.advance(keeping: stop.end) else { return .unsuited }
        return .record(0)
      case .windowEnd:
        if window.isAtEnd { return isArray ? .unsuited : .end }
        guard try window.advance(keeping: stop.end) else { return .unsuited }
        stop = Stop(next: JSONPart.next(window.text, behind: 0, isArray), end: 0)
      case .arrayEnd(let place):
        let rest = JSONRecordScanner.skipSpace(window.text, from: place)
        if rest < window.count { return .unsuited }
        if window.isAtEnd { return .end }
        guard try window.advance(keeping: rest) else { return .unsuited }
        stop = Stop(next: .arrayEnd(0), end: 0)
      }
    }
  }

  /// Reads the records of a window, of which the first begins at `start`.
  private mutating func readWindow(
    _ window: JSONWindow, from start: Int, _ isArray: Bool, _ rules: [JSONColumnRule]?,
    _ append: ChunkLoad.Append
  ) throws(SQLError) -> Stop {
    let plan = JSONPartPlan(
      keys: keys, kinds: guesses.map(\.kinds), rules: isDisproved ? nil : rules,
      samplesWanted: guesses.map { JSONColumnGuess.sampleCount - $0.samples.count },
      isArray: isArray, evaluation: evaluation)
    let starts = window.starts(
      from: start, isArray: isArray, firstKey: keys.firstSpelling ?? [UInt8(ascii: "\"")])
    let stops = starts.dropFirst() + [window.count]
    let parts = try Self.parts(window, starts, Array(stops), plan)
    var stop = Stop(next: .record(start), end: start)
    for (index, partStop) in stops.enumerated() {
      guard case .record(let place) = stop.next else { break }
      // What begins elsewhere than where the one before ends is no record.
      if place >= partStop { continue }
      let part =
        place == starts[index]
        ? parts[index] : try JSONPart(window.text, from: place, to: partStop, by: plan)
      stop = Stop(next: part.next, end: part.end)
      if case .bad = part.next { return stop }
      guard take(part, knowing: plan) else { return Stop(next: .bad, end: part.end) }
      if let misfit = part.misfit, !isDisproved {
        guesses[misfit.column].widen(for: misfit.values, inference)
        stop.isMisfit = true
        return stop
      }
      if part.isConverted && !isDisproved { try append(part.chunks) }
    }
    return stop
  }

  private static func parts(
    _ window: JSONWindow, _ starts: [Int], _ stops: [Int], _ plan: JSONPartPlan
  ) throws(SQLError) -> [JSONPart] {
    let shared = SharedParts(count: starts.count)
    let bytes = window.bytes
    let count = window.count
    try parallelForThrowing(tasks: starts.count) { index throws(SQLError) in
      let part = try JSONPart(
        bytes.bytes(0..<count), from: starts[index], to: stops[index], by: plan)
      shared.set(part, at: index)
    }
    return shared.all
  }

  /// Takes over what a part has met; false if it is too much.
  private mutating func take(_ part: JSONPart, knowing plan: JSONPartPlan) -> Bool {
    rowCount += part.rowCount
    guard
      keys.merge(
        part.keys, knowing: plan.keys.count, isWanted: { isWanted(HeaderNames.cut($0)) })
    else { return false }
    for (index, name) in part.keys.columns.enumerated() {
      // Columns that were known have the same places.
      let place = index < plan.kinds.count ? index : keys.columns.firstIndex(of: name)
      guard let place else { continue }
      if place >= guesses.count {
        guesses.append(JSONColumnGuess(part.kinds[index], part.samples[index], inference))
        isDisproved = true
      } else if plan.rules == nil || !part.kinds[index].isSubset(of: guesses[place].kinds) {
        if !part.kinds[index].isSubset(of: guesses[place].kinds) { isDisproved = true }
        guesses[place].take(part.kinds[index], part.samples[index], inference)
      }
    }
    return true
  }
}

/// The parts of a window, as workers come to have read them.
private final class SharedParts: Sendable {
  private let parts: Mutex<[JSONPart?]>

  init(count: Int) { parts = Mutex(Array(repeating: nil, count: count)) }

  func set(_ part: JSONPart, at index: Int) { parts.withLock { $0[index] = part } }

  /// All of them, once they are there.
  var all: [JSONPart] { parts.withLock { $0.compactMap(\.self) } }
}

/// Files of JSON, each to be read as often as it takes.
final class JSONSources {
  private let paths: [String]
  private let standardInput: (any ByteSource)?
  /// What can be had only once, by path.
  private var kept: [String: any ByteSource] = [:]

  /// Sources of files, or of standard input.
  init(_ paths: [String], standardInput: (any ByteSource)?) {
    self.paths = paths
    self.standardInput = standardInput
  }

  var count: Int { standardInput == nil ? paths.count : 1 }

  /// A source at its beginning.
  ///
  /// - Throws: 58P01, 58030, 0A000.
  func opened(_ index: Int) throws(SQLError) -> any ByteSource {
    if let standardInput {
      try standardInput.rewind()
      return standardInput
    }
    let path = paths[index]
    if let known = kept[path] {
      try known.rewind()
      return known
    }
    let source = try TextFile.open(path)
    if source.isRepeatable { return source }
    let repeatable = source.repeatable
    kept[path] = repeatable
    return repeatable
  }
}
