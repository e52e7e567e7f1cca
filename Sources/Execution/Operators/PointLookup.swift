import Catalog
package import Columnar
package import Diagnostics
import Planning

/// A look-up by one whole number that a parameter gives, carried out by itself: no pipeline is started for the
/// few rows that a point query finds, or for their number.
///
/// Whoever takes it from a cache keeps it for itself until its run ends.
package final class PointLookup {
  /// The parameter that is the key, and its type.
  package let parameter: Int
  /// Where rows come from; nil for a count.
  private let access: TableAccess?
  /// The place of each output among the columns read, nil where they are the columns read.
  private let places: [Int]?
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
    order = nil
  }

  /// A plan of that form: a look-up of one key without conditions, its rows perhaps in an order and limited, its columns perhaps in
  /// another one.
  init?(_ plan: PhysicalPlan) {
    var source = plan
    var places: [Int]?
    if case .project(let input, let expressions) = plan.node {
      guard let found = Self.places(of: expressions, in: input) else { return nil }
      source = input
      places = found
    }
    order = PointOrder(&source)
    let access: TableAccess
    let keys: [[BoundExpression]]
    // Columns of one table are read in the order in which they are wanted.
    if case .keyLookup(let lookup) = source.node, lookup.filters.isEmpty {
      var columns = lookup.columns
      if let wanted = places, order == nil {
        columns = wanted.map { columns[$0] }
        places = nil
      }
      access = KeyAccess(lookup.table, columns, keyColumns: lookup.keyColumns)
      keys = lookup.keys
    } else if case .adjacencyLookup(let lookup) = source.node, lookup.step.filters.isEmpty {
      var step = lookup.step
      if let wanted = places, order == nil, step.edgeColumns.isEmpty {
        step.neighbourColumns = wanted.map { step.neighbourColumns[$0] }
        places = nil
      } else if let wanted = places, order == nil, step.neighbourColumns.isEmpty {
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

  /// The rows of `number`, in the order of the index; nil where they are too many for this way.
  ///
  /// Their texts may stand in the tables. A few rows are written over those found last if nobody holds these any
  /// more, so that a look-up whose rows are read and let go of allocates nothing.
  ///
  /// - Throws: XX000 for a plan that breaks its own rules.
  /// - Complexity: O(rows found).
  package func rows(
    of number: Int64, in tables: any TableSource
  ) throws(SQLError) -> [DataChunk]? {
    guard let access else {
      return try counted?.chunk(of: number, in: tables, over: &last[0]) ?? false ? last : nil
    }
    try access.open(tables)
    if try access.shortRows(number: number, over: &last[0]) {
      if let order { return [try order.rows(of: last[0], places)] }
      guard let places else { return last }
      return [DataChunk(places.map { last[0].columns[$0] }, count: last[0].count)]
    }
    guard let order else { return try Self.rows(of: number, access, places) }
    // Many rows are sorted by a pipeline, which would have to gather them again.
    if let count = try access.countMatches(number: number), count > Vector.chunkCapacity {
      return nil
    }
    guard let found = try Self.rows(of: number, access, nil), found.count < 2 else { return nil }
    return try found.map { (chunk) throws(SQLError) in try order.rows(of: chunk, places) }
  }

  /// The rows by the way that takes any number of them.
  private static func rows(
    of number: Int64, _ access: TableAccess, _ places: [Int]?
  ) throws(SQLError) -> [DataChunk]? {
    var chunks: [DataChunk] = []
    var count = 0
    let isWhole = try access.forEachStretch(number: number) { (stretch) throws(SQLError) in
      count += stretch.count
      if count > rowLimit { return false }
      return try stretch.forEachPart { (part) throws(SQLError) in
        let columns = try access.columns(part)
        chunks.append(
          DataChunk(places.map { $0.map { columns[$0] } } ?? columns, count: part.count))
        return true
      }
    }
    return isWhole ? chunks : nil
  }
}

/// The order in which a look-up's rows are wanted, and which of them.
private struct PointOrder {
  private let places: [Int]
  private let orders: [SortOrder]
  private let rows: Range<Int>

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
    guard limit?.ties == nil, let count = Self.number(limit?.count, or: .max),
      let offset = Self.number(limit?.offset, or: 0)
    else { return nil }
    var places: [Int] = []
    for key in keys {
      guard let place = input.place(of: key.expression) else { return nil }
      places.append(place)
    }
    self.places = places
    orders = keys.map(\.order)
    rows = offset..<(offset + min(count, .max - offset))
    plan = input
  }

  /// The number that an expression stands for; nil where it is not written out, or less than none.
  private static func number(_ expression: BoundExpression?, or other: Int) -> Int? {
    guard let expression else { return other }
    guard case .constant(.int64(let number), _) = expression, number >= 0 else { return nil }
    return Int(number)
  }

  /// The rows of a chunk, or some of their columns; equal rows stay in their order.
  func rows(of chunk: DataChunk, _ columns: [Int]?) throws(SQLError) -> DataChunk {
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
