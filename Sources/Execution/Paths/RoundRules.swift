import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// An edge by which a path may go on, and the state behind it.
struct PathCandidate: BitwiseCopyable {
  var next: Int
  var step: PathStep
}

/// Looks at the edges by which paths may go on within one time of a segment, where it matters how they came there; one
/// for each worker.
///
/// A condition is computed for all edges that lead on from a vertex together: what the path has passed in this time is
/// the same for all of them.
final class RoundRules {
  private struct Element {
    let place: RoundPlace
    let table: Int
    let columns: TableColumns
  }
  private struct Variant {
    let elements: [Element]
    let filter: ConjunctiveFilter
  }
  private struct Condition {
    let hop: Int
    let variants: [Variant]
  }

  /// What one time has passed: its first vertex, and its steps so far.
  struct Round {
    var first: UInt32
    var steps: [PathStep]
  }

  private let segments: [PathSegment]
  /// Conditions by segment.
  private let conditions: [[Condition]]

  /// Rules for a pattern; nil if it needs none.
  init?(
    _ pattern: PathSearchPattern, _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) throws(SQLError) {
    guard pattern.segments.contains(where: \.remembers) else { return nil }
    segments = pattern.segments
    var conditions: [[Condition]] = []
    for segment in pattern.segments {
      var own: [Condition] = []
      for condition in segment.conditions {
        var variants: [Variant] = []
        for variant in condition.variants {
          let columns = variant.elements.flatMap(\.columns).map(\.column)
          variants.append(
            Variant(
              elements: variant.elements.map {
                Element(place: $0.place, table: $0.table, columns: TableColumns($0.columns))
              }, filter: try ConjunctiveFilter([variant.expression], compiler(columns))))
        }
        own.append(Condition(hop: condition.hop, variants: variants))
      }
      conditions.append(own)
    }
    self.conditions = conditions
  }

  /// Whether it matters at a place how a path came there.
  func apply(at place: PathGraph.Place) -> Bool { segments[place.segment].remembers }

  /// Those edges by which a path may go on from a place.
  func allowed(
    _ candidates: [PathCandidate], behind round: Round, at place: PathGraph.Place,
    _ graph: PathGraph, _ context: ExecutionContext
  ) throws(SQLError) -> [PathCandidate] {
    var left = candidates
    for part in segments[place.segment].modes where part.range.contains(place.hop) {
      let lower = part.range.lowerBound
      let first = lower == 0 ? round.first : round.steps[lower - 1].vertex
      left.removeAll { !part.mode.allows($0.step, behind: round.steps[lower...], from: first) }
    }
    for condition in conditions[place.segment] where condition.hop == place.hop && !left.isEmpty {
      var kept: [PathCandidate] = []
      for variant in condition.variants {
        // Where there is one variant alone, its tables are all that the elements can be of.
        let fitting =
          condition.variants.count == 1
          ? left : Self.fitting(variant, left, round, place.hop, graph)
        kept += try meeting(variant, fitting, round, place.hop, graph, context)
      }
      left = kept
    }
    return left
  }

  /// Those edges with which the elements of a variant are of its tables.
  private static func fitting(
    _ variant: Variant, _ candidates: [PathCandidate], _ round: Round, _ hop: Int,
    _ graph: PathGraph
  ) -> [PathCandidate] {
    candidates.filter { candidate in
      variant.elements.allSatisfy {
        table(at: $0.place, candidate.step, round, hop, graph) == $0.table
      }
    }
  }

  /// Those edges that meet a condition on elements of certain tables, which they fit.
  private func meeting(
    _ variant: Variant, _ fitting: [PathCandidate], _ round: Round, _ hop: Int,
    _ graph: PathGraph, _ context: ExecutionContext
  ) throws(SQLError) -> [PathCandidate] {
    var kept: [PathCandidate] = []
    var start = 0
    while start < fitting.count {
      let part = fitting[start..<min(start + Vector.chunkCapacity, fitting.count)]
      start += part.count
      var columns: [Vector] = []
      for element in variant.elements {
        columns += try values(of: element, part, round, hop, graph)
      }
      var chunk = DataChunk(columns, count: part.count)
      guard let selected = try variant.filter.select(&chunk, context) else {
        kept += part
        continue
      }
      for index in 0..<selected.count {
        kept.append(part[part.startIndex + Int(selected.positions[index])])
      }
    }
    return kept
  }

  /// The columns of one element for each edge.
  private func values(
    of element: Element, _ candidates: ArraySlice<PathCandidate>, _ round: Round, _ hop: Int,
    _ graph: PathGraph
  ) throws(SQLError) -> [Vector] {
    let isEdge = element.place.isEdge
    guard let store = isEdge ? graph.edgeTables[element.table] : graph.vertexTables[element.table],
      let first = candidates.first
    else { throw SQLError.internal("a path passed a table that was not opened") }
    let readers = try ColumnReaders(element.columns, of: store)
    func row(_ step: PathStep) -> UInt32 {
      let number = Self.element(at: element.place, step, round, hop)
      return isEdge ? number : number &- graph.bases[element.table]
    }
    if !element.place.isNew(at: hop) {
      let rows = Buffer<UInt32>(repeating: row(first.step), count: 1)
      let repeated = Buffer<UInt32>(repeating: 0, count: candidates.count)
      return readers.gather(rows, count: 1).map { $0.gathered(repeated, count: candidates.count) }
    }
    let rows = Buffer<UInt32>(uninitialized: candidates.count)
    for (index, candidate) in candidates.enumerated() { rows[index] = row(candidate.step) }
    return readers.gather(rows, count: candidates.count)
  }

  // MARK: Elements

  /// An edge's row or a vertex's number.
  private static func element(
    at place: RoundPlace, _ step: PathStep, _ round: Round, _ hop: Int
  ) -> UInt32 {
    switch place {
    case .vertex(0): round.first
    case .vertex(let index): index == hop + 1 ? step.vertex : round.steps[index - 1].vertex
    case .edge(let index): index == hop ? step.row : round.steps[index].row
    }
  }

  private static func table(
    at place: RoundPlace, _ step: PathStep, _ round: Round, _ hop: Int, _ graph: PathGraph
  ) -> Int {
    switch place {
    case .vertex: graph.table(of: element(at: place, step, round, hop))
    case .edge(let index): Int(index == hop ? step.edge : round.steps[index].edge)
    }
  }
}

extension RoundPlace {
  fileprivate var isEdge: Bool {
    if case .edge = self { return true }
    return false
  }

  /// Whether the element comes with the edge of a hop.
  fileprivate func isNew(at hop: Int) -> Bool {
    switch self {
    case .vertex(let index): index == hop + 1
    case .edge(let index): index == hop
    }
  }
}

extension PathPrefix.Mode {
  /// Whether a path that has come from a vertex by some steps may go on by another one.
  ///
  /// - Complexity: O(steps), but for WALK.
  func allows(
    _ step: PathStep, behind steps: ArraySlice<PathStep>, from first: UInt32
  ) -> Bool {
    switch self {
    case .walk: return true
    case .trail:
      for known in steps where known.row == step.row && known.edge == step.edge { return false }
      return true
    case .acyclic, .simple:
      // A simple path that has come back to its start is closed.
      if let last = steps.last, last.vertex == first { return false }
      if step.vertex == first { return self == .simple }
      for known in steps where known.vertex == step.vertex { return false }
      return true
    }
  }
}
