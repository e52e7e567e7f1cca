import Catalog
import Columnar
import Diagnostics
import Execution
import Planning

/// Values for the columns that a file does not have: defaults, sequences, NULL.
struct ColumnFills {
  private enum Fill {
    case null
    case sequence(SequenceDefinition, ScalarKernel?)
    case expression(BoundExpression)
  }
  private let types: [LogicalType]
  private var fills: [Int: Fill] = [:]
  private let numbers: TakenNumbers

  init(
    _ table: TableDefinition, without given: Set<Int>, _ binder: Binder, _ catalog: CatalogSnapshot,
    _ numbers: TakenNumbers
  ) throws(SQLError) {
    types = table.columns.map(\.type)
    self.numbers = numbers
    for (index, column) in table.columns.enumerated() where !given.contains(index) {
      switch column.defaultValue {
      case .sequence(let id):
        guard let sequence = catalog.sequences[id] else { continue }
        fills[index] = .sequence(
          sequence, try castKernel(from: .bigint, to: column.columnType, context: .assignment))
      case .expression(let expression):
        let bound = try binder.bindExpression(
          expression, for: .columnDefault, target: (column.name, column.columnType))
        fills[index] = .expression(bound.expression)
      case nil: fills[index] = .null
      }
    }
  }

  /// The values of column `index` for `count` new rows.
  func vector(
    for index: Int, count: Int, _ run: ExecutionContext
  ) throws(SQLError) -> Vector {
    switch fills[index] {
    case .sequence(let sequence, let kernel):
      let values = Buffer<Int64>(uninitialized: count)
      var done = 0
      while done < count {
        let taken = try numbers.take(count - done, of: sequence)
        for step in 0..<taken.count {
          values[done] = taken.first &+ Int64(step) &* sequence.increment
          done += 1
        }
      }
      let numbers = Vector(.bigint, values, count: count)
      return try kernel?([numbers], count, run.evaluation) ?? numbers
    case .expression(let expression):
      var chunk = DataChunk([], count: count)
      return try ExpressionCompiler([]).compile(expression).evaluate(&chunk, run)
    case .null, nil: return .null(types[index], count: count)
    }
  }
}

/// The numbers that a load has taken from sequences: another attempt at it uses them first, so that rows have the
/// same ones however often they are read.
final class TakenNumbers {
  private struct Run {
    let first: Int64
    let count: Int
  }
  private let counters: SequenceCounters
  private var runs: [ObjectID: [Run]] = [:]
  /// The numbers of each sequence that the attempt in hand has used.
  private var used: [ObjectID: (run: Int, count: Int)] = [:]

  init(from counters: SequenceCounters) { self.counters = counters }

  /// Begins another attempt.
  func rewind() { used = [:] }

  /// Up to `count` numbers that follow one another.
  ///
  /// - Throws: 2200H where the sequence has come to its end.
  func take(
    _ count: Int, of sequence: SequenceDefinition
  ) throws(SQLError) -> (first: Int64, count: Int) {
    var place = used[sequence.id] ?? (0, 0)
    let known = runs[sequence.id] ?? []
    if place.run < known.count {
      let run = known[place.run]
      let taken = min(count, run.count - place.count)
      let first = run.first &+ Int64(place.count) &* sequence.increment
      place.count += taken
      if place.count == run.count { place = (place.run + 1, 0) }
      used[sequence.id] = place
      return (first, taken)
    }
    let taken = try counters.take(count, of: sequence)
    runs[sequence.id, default: []].append(Run(first: taken.first, count: taken.count))
    used[sequence.id] = (place.run + 1, 0)
    return taken
  }
}
