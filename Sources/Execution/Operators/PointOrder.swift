import Columnar
import Diagnostics
import Planning

/// The order in which a look-up's rows are wanted, and which of them.
struct PointOrder {
  /// How many rows, written out or given by a parameter.
  private enum Bound {
    case number(Int)
    case parameter(Int)

    /// nil for an expression that is neither, or less than none.
    init?(_ expression: BoundExpression?, or other: Int) {
      guard let expression else {
        self = .number(other)
        return
      }
      if case .constant(.int64(let number), _) = expression, number >= 0 {
        self = .number(Int(number))
      } else if case .parameter(let index, .bigint) = expression {
        self = .parameter(index)
      } else {
        return nil
      }
    }

    var isParameter: Bool {
      if case .parameter = self { return true }
      return false
    }

    /// The number in a run; nil where it is less than none.
    ///
    /// NULL is no bound.
    func number(or other: Int, _ context: ExecutionContext?) -> Int? {
      switch self {
      case .number(let number): return number
      case .parameter(let index):
        guard let context, index < context.parameters.count else { return nil }
        guard let number = context.parameters[index].wholeNumber(at: 0) else { return other }
        return number < 0 ? nil : Int(number)
      }
    }
  }
  let places: [Int]
  let orders: [SortOrder]
  private let count: Bound
  private let offset: Bound

  /// Whether no more than a number of rows is wanted.
  var isLimited: Bool {
    if case .number(.max) = count { return false }
    return true
  }

  var needsContext: Bool { count.isParameter || offset.isParameter }

  /// What a plan says that sorts by columns, or limits; it is followed by its input then.
  init?(_ plan: inout PhysicalPlan) {
    let input: PhysicalPlan
    var keys: [SortKey] = []
    var limit: LimitPlan?
    if case .sort(let sorted, let order) = plan.node {
      (input, keys) = (sorted, order)
    } else if case .topN(let sorted, let order, let bounds) = plan.node {
      (input, keys, limit) = (sorted, order, bounds)
    } else if case .limit(let limited, let bounds) = plan.node {
      (input, limit) = (limited, bounds)
    } else {
      return nil
    }
    guard limit?.ties == nil, let count = Bound(limit?.count, or: .max),
      let offset = Bound(limit?.offset, or: 0)
    else { return nil }
    var places: [Int] = []
    for key in keys {
      guard let place = input.place(of: key.expression) else { return nil }
      places.append(place)
    }
    self.places = places
    orders = keys.map(\.order)
    (self.count, self.offset) = (count, offset)
    plan = input
  }

  /// Which rows are wanted in a run; nil for bounds that are none.
  func rows(_ context: ExecutionContext?) -> Range<Int>? {
    guard let count = count.number(or: .max, context),
      let offset = offset.number(or: 0, context)
    else { return nil }
    return offset..<(offset + min(count, .max - offset))
  }

  /// Those rows of a chunk in order, or some of their columns; equal rows stay in theirs.
  func sorted(
    _ chunk: DataChunk, _ rows: Range<Int>, _ columns: [Int]?
  ) throws(SQLError) -> DataChunk {
    let wanted = rows.clamped(to: 0..<chunk.count)
    let sorted =
      if orders.isEmpty || chunk.count < 2 {
        try Buffer<UInt32>(rising: chunk.count)
      } else {
        try Sorting.topPermutation(
          columns: places.map { chunk.columns[$0] }, orders: orders, count: chunk.count,
          limit: wanted.upperBound
        ).rows
      }
    let positions = sorted.slice(wanted)
    return DataChunk(
      (columns ?? Array(chunk.columns.indices)).map {
        chunk.columns[$0].gathered(positions, count: wanted.count)
      }, count: wanted.count)
  }
}

extension PhysicalPlan {
  /// The place of a column among the outputs; nil for any other expression.
  func place(of expression: BoundExpression) -> Int? {
    guard case .column(let id, let type) = expression,
      let place = outputs.firstIndex(where: { $0.id == id }), outputs[place].type == type
    else { return nil }
    return place
  }
}
