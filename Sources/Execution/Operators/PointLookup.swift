import Catalog
package import Columnar
package import Diagnostics
import Planning

/// A look-up by one whole number that a parameter gives, carried out by itself: no pipeline is started for the
/// few rows that a point query finds, or for their number.
///
/// Sendable by rule: whoever takes it from a cache keeps it for itself until its run ends.
package final class PointLookup: @unchecked Sendable {
  /// The parameter that is the key, and its type.
  package let parameter: Int
  private let way: Way

  /// How the rows are come by.
  private enum Way {
    /// From a table; with the place of each output among the columns read, nil where they are the columns read.
    case rows(TableAccess, places: [Int]?)
    /// As a count.
    case count(RowCountSource)
  }

  /// The number of rows that a source counts by a number; nil for any other source.
  init?(_ source: OneChunkSource?) {
    guard let source = source as? RowCountSource, let parameter = source.parameter else {
      return nil
    }
    self.parameter = parameter
    way = .count(source)
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
    switch source.node {
    case .keyLookup(let lookup) where lookup.filters.isEmpty:
      access = KeyAccess(lookup.table, lookup.columns, keyColumns: lookup.keyColumns)
      keys = lookup.keys
    case .adjacencyLookup(let lookup) where lookup.step.filters.isEmpty:
      access = AdjacencyAccess(lookup.step)
      keys = lookup.keys
    default: return nil
    }
    guard keys.count == 1, keys[0].count == 1, case .parameter(let index, _) = keys[0][0],
      access.takesNumber
    else { return nil }
    parameter = index
    way = .rows(access, places: places)
  }

  /// More rows than this are left to a pipeline, which counts memory and can be cancelled.
  private static let rowLimit = 65_536

  /// The rows of `number`, in the order of the index; nil where they are too many for this way.
  ///
  /// Their texts may stand in the tables.
  ///
  /// - Throws: XX000 for a plan that breaks its own rules.
  /// - Complexity: O(rows found).
  package func rows(
    of number: Int64, in tables: any TableSource
  ) throws(SQLError) -> [DataChunk]? {
    switch way {
    case .rows(let access, let places):
      return try Self.rows(of: number, access, places, in: tables)
    case .count(let source):
      return try source.chunk(of: number, in: tables).map { [$0] }
    }
  }

  private static func rows(
    of number: Int64, _ access: TableAccess, _ places: [Int]?, in tables: any TableSource
  ) throws(SQLError) -> [DataChunk]? {
    try access.open(tables)
    if let chunk = try access.shortRows(number: number) {
      if chunk.count == 0 { return [] }
      guard let places else { return [chunk] }
      return [DataChunk(places.map { chunk.columns[$0] }, count: chunk.count)]
    }
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
