import Catalog
import Columnar
import Diagnostics
import Planning

/// The rows of one look-up of a number, those of them that meet conditions, with some of their columns.
///
/// One run at a time uses it.
final class PointPart {
  /// The number.
  let key: PointKey
  private let access: TableAccess
  /// The place of each output among the columns read, nil where they are the columns read.
  private let places: [Int]?
  /// What is asked of the rows, which takes no time worth cancelling; nil for nothing.
  private let filter: ConjunctiveFilter?
  /// The one chunk of the last rows, whose memory is used again if nobody else holds it by then.
  private var last = [DataChunk([], count: 0)]

  /// Whether other parameters are asked for than the number.
  var needsContext: Bool { filter != nil }

  /// A plan of that form, of whose outputs those at some places are wanted; nil for any other, and with nil all of them.
  init?(_ plan: PhysicalPlan, _ wanted: [Int]?) {
    var (source, places, conditions) = (plan, wanted, [BoundExpression]())
    if case .project(let input, let expressions) = plan.node {
      guard let own = input.places(of: expressions) else { return nil }
      source = input
      places = places.map { $0.map { own[$0] } } ?? own
    }
    if case .filter(let input, let list) = source.node { (source, conditions) = (input, list) }
    let keys: [[BoundExpression]]
    // Columns of one table are read in the order in which they are wanted.
    if case .keyLookup(let lookup) = source.node {
      var columns = lookup.columns
      conditions += lookup.filters
      if let wanted = places, conditions.isEmpty {
        columns = wanted.map { columns[$0] }
        places = nil
      }
      access = KeyAccess(lookup.table, columns, keyColumns: lookup.keyColumns)
      keys = lookup.keys
    } else if case .adjacencyLookup(let lookup) = source.node {
      var step = lookup.step
      conditions += step.filters
      if let wanted = places, conditions.isEmpty, step.edgeColumns.isEmpty {
        step.neighbourColumns = wanted.map { step.neighbourColumns[$0] }
        places = nil
      } else if let wanted = places, conditions.isEmpty, step.neighbourColumns.isEmpty {
        step.edgeColumns = wanted.map { step.edgeColumns[$0] }
        places = nil
      }
      access = AdjacencyAccess(step)
      keys = lookup.keys
    } else {
      return nil
    }
    guard keys.count == 1, keys[0].count == 1, access.takesNumber,
      let key = PointKey(keys[0][0])
    else { return nil }
    self.key = key
    if conditions.isEmpty {
      filter = nil
    } else {
      guard let tests = ConjunctiveFilter.short(conditions, source.outputs) else { return nil }
      filter = tests
    }
    self.places = places
  }

  /// More rows than this are left to a pipeline, which counts memory and can be cancelled.
  private static let rowLimit = 65_536

  /// The rows of `number`, in chunks which may be empty; nil where they are too many for this way, or more than `most`.
  ///
  /// A few rows are written over those found last if nobody holds these any more.
  ///
  /// - Throws: XX000 for a plan that breaks its own rules.
  func rows(
    of number: Int64, in tables: any TableSource, atMost most: Int = .max,
    _ context: ExecutionContext?
  ) throws(SQLError) -> [DataChunk]? {
    try access.open(tables)
    if try access.shortRows(number: number, over: &last[0]) {
      if filter == nil && places == nil { return last }
      return [try filter.kept(last[0], context).columns(places)]
    }
    if most < .max, let count = try access.countMatches(number: number), count > most { return nil }
    var chunks: [DataChunk] = []
    var count = 0
    let isWhole = try access.forEachStretch(number: number) { (stretch) throws(SQLError) in
      count += stretch.count
      if count > Self.rowLimit { return false }
      return try stretch.forEachPart { (part) throws(SQLError) in
        let found = DataChunk(try access.columns(part), count: part.count)
        let kept = try filter.kept(found, context)
        if kept.count > 0 { chunks.append(kept.columns(places)) }
        return true
      }
    }
    return isWhole ? chunks : nil
  }
}

extension ConjunctiveFilter {
  /// Short conditions; nil for others.
  static func short(
    _ conditions: [BoundExpression], _ columns: [PlanColumn]
  ) -> ConjunctiveFilter? {
    guard conditions.allSatisfy(\.isShort) else { return nil }
    return try? ConjunctiveFilter(conditions, ExpressionCompiler(columns))
  }
}

extension ConjunctiveFilter? {
  /// The rows of a chunk that are kept.
  func kept(_ chunk: DataChunk, _ context: ExecutionContext?) throws(SQLError) -> DataChunk {
    guard let self, chunk.count > 0 else { return chunk }
    guard let context else { throw SQLError.withoutParameters }
    return try self.apply(chunk, context)
  }
}

extension DataChunk {
  /// Some of the columns; nil for all of them.
  func columns(_ places: [Int]?) -> DataChunk {
    places.map { DataChunk($0.map { columns[$0] }, count: count) } ?? self
  }
}

extension PhysicalPlan {
  /// The places of columns among the outputs; nil where one is computed.
  func places(of expressions: [BoundExpression]) -> [Int]? {
    var places: [Int] = []
    for expression in expressions {
      guard let place = place(of: expression) else { return nil }
      places.append(place)
    }
    return places
  }
}
