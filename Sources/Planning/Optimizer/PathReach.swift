import Catalog
import SQLSyntax

/// How far searches for paths get, as far as statistics tell.
struct PathReach {
  /// The vertices that one start leads to, or the paths from it where all of them are looked for.
  private(set) var ends = 1.0
  /// The edges that are walked from one start.
  private(set) var work = 0.0
  /// The vertices that paths may end at.
  let vertexCount: Double

  /// The share of pairs of a start and a vertex between which there is a path.
  var share: Double { ends / max(vertexCount, 1) }

  /// The paths of a plan, from its target if `isReversed`.
  init(_ path: PathPlan, isReversed: Bool = false, statistics: StatisticsSource) {
    let pattern = path.pattern
    func rows(_ table: TableDefinition) -> Double { max(statistics(table.id)?.rowCount ?? 1000, 1) }
    vertexCount = rows(pattern.vertices[isReversed ? pattern.startTable : pattern.endTable])
    let all = pattern.vertices.reduce(0) { $0 + rows($1) }
    // Searches for one path do not go on from a vertex twice.
    let limit = pattern.selector == .all ? 100 * all : all
    for segment in isReversed ? pattern.segments.reversed() : pattern.segments {
      let degree = segment.hops.reduce(1) { product, hops in
        product * hops.reduce(0) { $0 + Self.degree($1, pattern, isReversed, statistics) }
      }
      walk(segment, degree: degree, limit: limit)
    }
    if pattern.selector != .all { ends = min(ends, vertexCount) }
  }

  /// So many times an unbounded segment is looked at: by then a walk has been nearly everywhere.
  private static let timeMax = 32

  private mutating func walk(_ segment: PathSegment, degree: Double, limit: Double) {
    var frontier = ends
    var found = segment.minimum == 0 ? frontier : 0
    var time = 1
    while time <= min(segment.maximum ?? Self.timeMax, Self.timeMax), work < limit * max(degree, 1)
    {
      work += frontier * degree
      frontier = min(frontier * degree, limit)
      if time >= segment.minimum { found += frontier }
      if frontier < 1e-3 || found >= limit { break }
      time += 1
    }
    ends = min(found, limit)
  }

  /// The edges that lead on from a vertex.
  private static func degree(
    _ hop: PathHop, _ pattern: PathSearchPattern, _ isReversed: Bool,
    _ statistics: StatisticsSource
  ) -> Double {
    let edge = pattern.edges[hop.edge]
    let from = pattern.vertices[isReversed ? hop.to : hop.from]
    let each =
      (statistics(edge.id)?.rowCount ?? 1000) / max(statistics(from.id)?.rowCount ?? 1000, 1)
    /// The share of rows that have a parent.
    func known(_ key: Int) -> Double {
      guard let column = edge.foreignKeys[key].columns.first else { return 1 }
      return 1 - (statistics(edge.id)?.column(column)?.nullFraction ?? 0)
    }
    switch hop.access {
    case .junction, .link: return each
    case .toParent(let key): return isReversed ? each * known(key) : known(key)
    case .toChildren(let key): return isReversed ? known(key) : each * known(key)
    }
  }
}
