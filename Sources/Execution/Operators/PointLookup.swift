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
  }

  /// A plan of that form: a look-up of one key without conditions, its columns perhaps in another order.
  init?(_ plan: PhysicalPlan) {
    var source = plan
    var places: [Int]?
    if case .project(let input, let expressions) = plan.node {
      var found: [Int] = []
      for expression in expressions {
        guard case .column(let id, let type) = expression,
          let place = input.outputs.firstIndex(where: { $0.id == id }),
          input.outputs[place].type == type
        else { return nil }
        found.append(place)
      }
      source = input
      places = found
    }
    let access: TableAccess
    let keys: [[BoundExpression]]
    // Columns of one table are read in the order in which they are wanted.
    if case .keyLookup(let lookup) = source.node, lookup.filters.isEmpty {
      let columns = places.map { $0.map { lookup.columns[$0] } } ?? lookup.columns
      access = KeyAccess(lookup.table, columns, keyColumns: lookup.keyColumns)
      keys = lookup.keys
      places = nil
    } else if case .adjacencyLookup(let lookup) = source.node, lookup.step.filters.isEmpty {
      var step = lookup.step
      if let wanted = places, step.edgeColumns.isEmpty {
        step.neighbourColumns = wanted.map { step.neighbourColumns[$0] }
        places = nil
      } else if let wanted = places, step.neighbourColumns.isEmpty {
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
    guard try access.shortRows(number: number, over: &last[0]) else {
      return try Self.rows(of: number, access, places)
    }
    guard let places else { return last }
    return [DataChunk(places.map { last[0].columns[$0] }, count: last[0].count)]
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
