import Catalog
package import Columnar
package import Diagnostics
import Planning

/// A look-up by one whole number that a parameter gives, carried out by itself: no pipeline is started for the
/// few rows that a point query finds and keeps, or for their number.
///
/// Whoever takes it from a cache keeps it for itself until its run ends.
package final class PointLookup {
  /// The parameter that is the key, and its type.
  package let parameter: Int
  /// Where rows come from; nil for a count.
  private let access: TableAccess?
  /// The place of each output among the columns read, nil where they are the columns read.
  private let places: [Int]?
  /// What is asked of the rows: comparisons, which cannot fail and take no time; nil for nothing.
  private let filter: ConjunctiveFilter?
  /// In which order the rows are wanted, and which of them; nil where all are, as they come.
  private let order: PointOrder?
  /// What counts; nil for rows.
  private let counted: RowSummarySource?
  /// The one chunk of the last rows, whose memory is used again if nobody else holds it by then.
  private var last = [DataChunk([], count: 0)]

  /// The number of rows that a source counts by a number; nil for any other source.
  init?(_ source: OneChunkSource?) {
    guard let source = source as? RowSummarySource, let parameter = source.parameter else {
      return nil
    }
    self.parameter = parameter
    counted = source
    access = nil
    places = nil
    filter = nil
    order = nil
  }

  /// Whether other parameters are asked for than the key.
  package var needsContext: Bool { filter != nil || order?.needsContext ?? false }

  /// A plan of that form: a look-up of one key whose rows are perhaps compared with something, in an order and limited, and their
  /// columns in another one.
  init?(_ plan: PhysicalPlan) {
    var source = plan
    var places: [Int]?
    if case .project(let input, let expressions) = plan.node {
      guard let found = Self.places(of: expressions, in: input) else { return nil }
      source = input
      places = found
    }
    order = PointOrder(&source)
    var conditions: [BoundExpression] = []
    if case .filter(let input, let list) = source.node { (source, conditions) = (input, list) }
    let access: TableAccess
    let keys: [[BoundExpression]]
    // Columns of one table are read in the order in which they are wanted.
    if case .keyLookup(let lookup) = source.node {
      var columns = lookup.columns
      conditions += lookup.filters
      if let wanted = places, order == nil, conditions.isEmpty {
        columns = wanted.map { columns[$0] }
        places = nil
      }
      access = KeyAccess(lookup.table, columns, keyColumns: lookup.keyColumns)
      keys = lookup.keys
    } else if case .adjacencyLookup(let lookup) = source.node {
      var step = lookup.step
      conditions += step.filters
      let isFree = order == nil && conditions.isEmpty
      if let wanted = places, isFree, step.edgeColumns.isEmpty {
        step.neighbourColumns = wanted.map { step.neighbourColumns[$0] }
        places = nil
      } else if let wanted = places, isFree, step.neighbourColumns.isEmpty {
        step.edgeColumns = wanted.map { step.edgeColumns[$0] }
        places = nil
      }
      access = AdjacencyAccess(step)
      keys = lookup.keys
    } else {
      return nil
    }
    guard keys.count == 1, keys[0].count == 1, case .parameter(let index, _) = keys[0][0],
      access.takesNumber
    else { return nil }
    if conditions.isEmpty {
      filter = nil
    } else {
      let compiler = ExpressionCompiler(source.outputs)
      guard let tests = try? ConjunctiveFilter(conditions, compiler), tests.isTestedInPlace else {
        return nil
      }
      filter = tests
    }
    parameter = index
    counted = nil
    self.access = access
    self.places = places
  }

  /// The places of columns among the outputs of a plan; nil where one is computed.
  private static func places(
    of expressions: [BoundExpression], in input: PhysicalPlan
  ) -> [Int]? {
    var places: [Int] = []
    for expression in expressions {
      guard let place = input.place(of: expression) else { return nil }
      places.append(place)
    }
    return places
  }

  /// More rows than this are left to a pipeline, which counts memory and can be cancelled.
  private static let rowLimit = 65_536

  /// The rows of `number`, in the order of the index or that which is wanted; nil where they are too many for this way.
  ///
  /// Their texts may stand in the tables. A few rows are written over those found last if nobody holds these any
  /// more, so that a look-up whose rows are read and let go of allocates nothing.
  ///
  /// - Parameters:
  ///   - number: The key.
  ///   - tables: The tables of a version.
  ///   - context: The run, where `needsContext`.
  /// - Returns: The rows in chunks, which may be empty.
  /// - Throws: XX000 for a plan that breaks its own rules.
  /// - Complexity: O(rows found), and what it takes to put them in an order.
  package func rows(
    of number: Int64, in tables: any TableSource, _ context: ExecutionContext? = nil
  ) throws(SQLError) -> [DataChunk]? {
    guard let access else {
      return try counted?.chunk(of: number, in: tables, over: &last[0]) ?? false ? last : nil
    }
    let wanted = order?.rows(context)
    // Bounds that are none are refused by a run.
    if order != nil && wanted == nil { return nil }
    try access.open(tables)
    if try access.shortRows(number: number, over: &last[0]) {
      if filter == nil && order == nil && places == nil { return last }
      let kept = try filter.kept(last[0], context)
      guard let order, let wanted else { return [kept.columns(places)] }
      return [try order.sorted(kept, wanted, places)]
    }
    // Many rows are sorted by a pipeline, which would have to gather them again.
    if order != nil, let count = try access.countMatches(number: number),
      count > Vector.chunkCapacity
    {
      return nil
    }
    guard let found = try rows(of: number, access, context) else { return nil }
    guard let order, let wanted else { return found }
    guard found.count < 2 else { return nil }
    return try found.map { (chunk) throws(SQLError) in try order.sorted(chunk, wanted, places) }
  }

  /// The rows that are kept, by the way that takes any number of them; without an order, with the columns wanted.
  private func rows(
    of number: Int64, _ access: TableAccess, _ context: ExecutionContext?
  ) throws(SQLError) -> [DataChunk]? {
    var chunks: [DataChunk] = []
    var count = 0
    let wanted = order == nil ? places : nil
    let isWhole = try access.forEachStretch(number: number) { (stretch) throws(SQLError) in
      count += stretch.count
      if count > Self.rowLimit { return false }
      return try stretch.forEachPart { (part) throws(SQLError) in
        let found = DataChunk(try access.columns(part), count: part.count)
        let kept = try filter.kept(found, context)
        if kept.count > 0 { chunks.append(kept.columns(wanted)) }
        return true
      }
    }
    return isWhole ? chunks : nil
  }
}

extension ConjunctiveFilter? {
  /// The rows of a chunk that are kept.
  fileprivate func kept(
    _ chunk: DataChunk, _ context: ExecutionContext?
  ) throws(SQLError) -> DataChunk {
    guard let self, chunk.count > 0 else { return chunk }
    guard let context else { throw SQLError.internal("a look-up was given no parameters") }
    return try self.apply(chunk, context)
  }
}

extension DataChunk {
  /// Some of the columns; nil for all of them.
  fileprivate func columns(_ places: [Int]?) -> DataChunk {
    places.map { DataChunk($0.map { columns[$0] }, count: count) } ?? self
  }
}

/// The order in which a look-up's rows are wanted, and which of them.
private struct PointOrder {
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
  private let places: [Int]
  private let orders: [SortOrder]
  private let count: Bound
  private let offset: Bound

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
  fileprivate func place(of expression: BoundExpression) -> Int? {
    guard case .column(let id, let type) = expression,
      let place = outputs.firstIndex(where: { $0.id == id }), outputs[place].type == type
    else { return nil }
    return place
  }
}
