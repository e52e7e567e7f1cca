package import Columnar
package import Diagnostics
import Planning

/// A look-up by one whole number that is known, carried out by itself: no pipeline is started for the
/// few rows that a point query finds and keeps, or for their number; nor for the first rows that follow the number.
///
/// Whoever takes it from a cache keeps it for itself until its run ends.
package final class PointLookup {
  private enum Source {
    /// Look-ups whose rows come one behind another, at least one.
    case parts([PointPart])
    /// Rows that follow the number.
    case range(RangeAccess, ConjunctiveFilter?)
    /// What counts rows.
    case count(RowSummarySource)
  }

  /// The parameter that is the key; nil where it is computed, or there are several.
  package let parameter: Int?
  private let source: Source
  /// The types of the rows, and the place among them of each output, where rows are put in order; nil where they are the outputs.
  private let types: [LogicalType]
  private let places: [Int]?
  /// What is computed of the rows last; nil where the outputs are columns.
  private let computed: [any Evaluator]?
  /// In which order the rows are wanted, and which of them; nil where all are, as they come.
  private let order: PointOrder?
  /// The one chunk of the last count, whose memory is used again if nobody else holds it by then.
  private var last = [DataChunk([], count: 0)]

  /// The number of rows that a source counts by a number; nil for any other source.
  init?(_ source: OneChunkSource?) {
    guard let source = source as? RowSummarySource, let parameter = source.parameter else {
      return nil
    }
    self.parameter = parameter
    self.source = .count(source)
    types = []
    places = nil
    computed = nil
    order = nil
  }

  /// A plan of that form: look-ups of one key, beside each other, whose rows are perhaps compared with something, in an order and
  /// limited, and their columns in another one or computed with.
  init?(_ plan: PhysicalPlan) {
    var source = plan
    var places: [Int]?
    var computed: [any Evaluator]?
    if case .project(let input, let expressions) = plan.node {
      source = input
      places = input.places(of: expressions)
      if places == nil {
        guard let short = ExpressionCompiler(input.outputs).short(expressions) else { return nil }
        computed = short
      }
    }
    self.computed = computed
    order = PointOrder(&source)
    types = source.outputs.map(\.type)
    if let order, order.isLimited, let (range, filter) = Self.range(source, by: order) {
      parameter = range.key.parameter
      self.source = .range(range, filter)
      self.places = places
      return
    }
    // Without an order, look-ups give the columns as they are wanted.
    let wanted = order == nil ? places : nil
    var inputs = [source]
    if case .append(let list) = source.node { inputs = list }
    var parts: [PointPart] = []
    for input in inputs {
      guard let part = PointPart(input, wanted),
        zip(input.outputs, types).allSatisfy({ $0.type == $1 })
      else { return nil }
      parts.append(part)
    }
    guard let first = parts.first else { return nil }
    let shared = first.key.parameter
    parameter = parts.allSatisfy { $0.key.parameter == shared } ? shared : nil
    self.source = .parts(parts)
    self.places = order == nil ? nil : places
  }

  /// The first rows of a scan that follow a number, and what else is asked of them; nil for any other plan.
  private static func range(
    _ plan: PhysicalPlan, by order: PointOrder
  ) -> (RangeAccess, ConjunctiveFilter?)? {
    var (source, conditions) = (plan, [BoundExpression]())
    if case .filter(let input, let list) = plan.node { (source, conditions) = (input, list) }
    guard case .scan(let scan) = source.node else { return nil }
    conditions += scan.filters
    guard let range = RangeAccess(scan, where: conditions, by: order) else { return nil }
    if range.meetsAll { return (range, nil) }
    // Rows further on are not asked.
    guard conditions.allSatisfy(\.failsAtOnceOrNever) else { return nil }
    return ConjunctiveFilter.short(conditions, source.outputs).map { (range, $0) }
  }

  /// When no pipeline is started, for EXPLAIN.
  var condition: String {
    if case .range = source { return "no pipeline for few rows, if they stand in this order" }
    return "no pipeline for few rows"
  }

  /// Whether more is asked for than a parameter that is the key.
  package var needsContext: Bool {
    if parameter == nil || computed != nil { return true }
    let isAsked =
      switch source {
      case .parts(let parts): parts.contains(where: \.needsContext)
      case .range(_, let filter): filter != nil
      case .count: false
      }
    return isAsked || order?.needsContext ?? false
  }

  /// The rows of a number, in the order of the index or that which is wanted; nil where they are too many for this way.
  ///
  /// Their texts may stand in the tables. A few rows are written over those found last if nobody holds these any
  /// more, so that a look-up whose rows are read and let go of allocates nothing.
  ///
  /// - Parameters:
  ///   - given: The key, if it is a parameter.
  ///   - tables: The tables of a version.
  ///   - context: The run, where `needsContext`.
  /// - Returns: The rows in chunks, which may be empty.
  /// - Throws: what expressions throw; XX000 for a plan that breaks its own rules.
  /// - Complexity: O(rows found), and what it takes to put them in an order.
  package func rows(
    of given: Int64?, in tables: any TableSource, _ context: ExecutionContext? = nil
  ) throws(SQLError) -> [DataChunk]? {
    let found = try self.found(given, tables, context)
    guard let computed, let found else { return found }
    guard let context else { throw SQLError.withoutParameters }
    var chunks: [DataChunk] = []
    for chunk in found where chunk.count > 0 {
      var (chunk, columns) = (chunk, [Vector]())
      for evaluator in computed { columns.append(try evaluator.evaluate(&chunk, context)) }
      chunks.append(DataChunk(columns, count: chunk.count))
    }
    return chunks
  }

  /// The rows in order, before anything is computed of them.
  private func found(
    _ given: Int64?, _ tables: any TableSource, _ context: ExecutionContext?
  ) throws(SQLError) -> [DataChunk]? {
    let wanted = order?.rows(context)
    // Bounds that are none are refused by a run.
    if order != nil && wanted == nil { return nil }
    switch source {
    case .count(let source):
      guard let given else { return nil }
      return try source.chunk(of: given, in: tables, over: &last[0]) ? last : nil
    case .range(let range, let filter):
      guard let wanted, let number = try range.key.number(context, or: given) else { return nil }
      let found = try range.rows(from: number, wanted: wanted.upperBound, in: tables) {
        (chunk) throws(SQLError) in try filter.kept(chunk, context)
      }
      return try found.map { (chunk) throws(SQLError) in try sorted(chunk, wanted) }
    case .parts(let parts):
      // Many rows are sorted by a pipeline, which would have to gather them again.
      let most = order == nil ? Int.max : Vector.chunkCapacity
      var chunks: [DataChunk] = []
      for part in parts {
        // No row is found by NULL, which is no value to go on without.
        guard let number = try part.key.number(context, or: given),
          let found = try part.rows(of: number, in: tables, atMost: most, context)
        else { return nil }
        if parts.count == 1 { chunks = found } else { chunks += found }
      }
      guard let wanted else { return chunks }
      if chunks.count > 1 {
        chunks.removeAll { $0.count == 0 }
        if chunks.reduce(0, { $0 + $1.count }) > most { return nil }
        if chunks.count > 1 { chunks = [try DataChunk.concatenate(chunks, types: types)] }
      }
      return try chunks.first.map { (chunk) throws(SQLError) in try sorted(chunk, wanted) } ?? []
    }
  }

  private func sorted(_ chunk: DataChunk, _ wanted: Range<Int>) throws(SQLError) -> [DataChunk] {
    [try order.map { (order) throws(SQLError) in try order.sorted(chunk, wanted, places) } ?? chunk]
  }
}
