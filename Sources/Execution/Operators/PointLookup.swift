import Catalog
package import Columnar
package import Diagnostics
import Planning

/// A look-up by one whole number that a parameter gives, carried out by itself: no pipeline is started for the
/// few rows that a point query finds and keeps, or for their number; nor for the first rows that follow the number.
///
/// Whoever takes it from a cache keeps it for itself until its run ends.
package final class PointLookup {
  /// The parameter that is the key, and its type.
  package let parameter: Int
  /// Where rows come from that have the number; nil for any other.
  private let access: TableAccess?
  /// Where rows come from that follow the number; nil for any other.
  private let range: RangeAccess?
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
    range = nil
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
    if case .scan(let scan) = source.node, let order, order.isLimited {
      conditions += scan.filters
      guard let range = RangeAccess(scan, where: conditions, by: order),
        let tests = try? ConjunctiveFilter(conditions, ExpressionCompiler(source.outputs)),
        tests.isTestedInPlace
      else { return nil }
      parameter = range.parameter
      self.range = range
      filter = range.meetsAll ? nil : tests
      counted = nil
      access = nil
      self.places = places
      return
    }
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
    range = nil
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
    if let range { return try rows(from: number, range, tables, context).map { [$0] } }
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

  /// The first rows from a number on.
  private func rows(
    from number: Int64, _ range: RangeAccess, _ tables: any TableSource,
    _ context: ExecutionContext?
  ) throws(SQLError) -> DataChunk? {
    guard let order, let wanted = order.rows(context) else { return nil }
    let found = try range.rows(from: number, wanted: wanted.upperBound, in: tables) {
      (chunk) throws(SQLError) in try filter.kept(chunk, context)
    }
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
