package import Catalog
package import SQLSyntax

/// Paths through a graph of tables, from the vertices of the input's rows to those of the target's.
///
/// It is a join whose condition is that a path exists: one row comes out for each path, with the columns of the input's
/// row, of the target's and of `outputs`. A vertex is a row of one of `tables`; both sides have a column that is the
/// position of such a row.
///
/// Source: ISO/IEC 39075:2024 (GQL), 16.4 and 16.5, path patterns and their prefixes; the automaton of segments is the
/// one of Deutsch et al., "Graph Pattern Matching in GQL and SQL/PGQ" (SIGMOD 2022).
package struct PathPlan: Sendable {
  package var input: LogicalPlan
  /// The column of the input that is the position of the first vertex.
  package var start: ColumnID
  package var target: LogicalPlan
  /// The column of the target that is the position of the last vertex.
  package var end: ColumnID
  package var pattern: PathSearchPattern
  /// Rows that conditions on elements within the path let pass: each gives one column, a position.
  package var conditions: [LogicalPlan]
  /// Edges that no index leads along: each gives the positions of an edge's row and of its source and destination.
  package var links: [LogicalPlan]
  /// What edges cost: each gives the positions of edges that may be walked, and what it costs to walk them.
  package var costs: [LogicalPlan]
  package var outputs: [PathOutput]

  package init(
    input: LogicalPlan, start: ColumnID, target: LogicalPlan, end: ColumnID,
    pattern: PathSearchPattern, conditions: [LogicalPlan], links: [LogicalPlan],
    costs: [LogicalPlan], outputs: [PathOutput]
  ) {
    self.costs = costs
    self.input = input
    self.start = start
    self.target = target
    self.end = end
    self.pattern = pattern
    self.conditions = conditions
    self.links = links
    self.outputs = outputs
  }
}

/// Which paths are looked for.
package struct PathSearchPattern: Sendable {
  /// The tables of vertices; a vertex is one of them with the position of a row.
  package var vertices: [TableDefinition]
  /// The tables of edges, in the same way.
  package var edges: [TableDefinition]
  package var startTable: Int
  package var endTable: Int
  /// The parts of the path, one behind the other.
  package var segments: [PathSegment]
  /// What the vertices between two segments must be: one entry fewer than there are segments.
  package var gates: [[VertexRule]]
  package var mode: PathPrefix.Mode
  package var selector: PathPrefix.Selector
  /// Segments that have a mode together, beside that of the whole path.
  package var parts: [ModeRange]

  package init(
    vertices: [TableDefinition], edges: [TableDefinition], startTable: Int, endTable: Int,
    segments: [PathSegment], gates: [[VertexRule]], mode: PathPrefix.Mode,
    selector: PathPrefix.Selector, parts: [ModeRange] = []
  ) {
    self.parts = parts
    self.vertices = vertices
    self.edges = edges
    self.startTable = startTable
    self.endTable = endTable
    self.segments = segments
    self.gates = gates
    self.mode = mode
    self.selector = selector
  }
}

extension PathSearchPattern {
  /// Whether a path can meet the pattern in several ways that no names tell apart.
  package var isAmbiguous: Bool {
    let marks = segments.filter { $0.minimum != $0.maximum }.map(\.mark)
    return Set(marks).count < marks.count
  }
}

/// A mode that holds for some of a path's segments, or for some hops of each time of a segment.
package struct ModeRange: Sendable {
  package var range: Range<Int>
  package var mode: PathPrefix.Mode

  package init(_ range: Range<Int>, _ mode: PathPrefix.Mode) {
    self.range = range
    self.mode = mode
  }
}

/// A part of a path that comes a number of times in a row.
package struct PathSegment: Sendable {
  package var minimum: Int
  /// nil is no bound.
  package var maximum: Int?
  /// The edges of one time, each by all tables and directions that it may be of.
  package var hops: [[PathHop]]
  /// What the vertices of one time must be: one entry more than there are hops.
  package var sites: [[VertexRule]]
  /// Segments of one mark are not told apart by the names of their edges and vertices.
  package var mark: Int
  /// Conditions on elements of one time that are further apart than an edge and its ends.
  package var conditions: [RoundCondition]
  /// Edges in a row that have a mode each time.
  package var modes: [ModeRange]

  package init(
    minimum: Int, maximum: Int?, hops: [[PathHop]], sites: [[VertexRule]], mark: Int = 0,
    conditions: [RoundCondition] = [], modes: [ModeRange] = []
  ) {
    self.mark = mark
    self.conditions = conditions
    self.modes = modes
    self.minimum = minimum
    self.maximum = maximum
    self.hops = hops
    self.sites = sites
  }
}

extension PathSegment {
  /// Whether it matters for an edge how the vertex that it leads from was reached.
  package var remembers: Bool { !conditions.isEmpty || !modes.isEmpty }
}

/// A condition on several elements of one time of a segment.
package struct RoundCondition: Sendable {
  /// One of these elements.
  package struct Element: Sendable {
    package var place: RoundPlace
    /// The entry of the pattern's `edges` or `vertices`.
    package var table: Int
    package var columns: [ScanPlan.Column]

    package init(place: RoundPlace, table: Int, columns: [ScanPlan.Column]) {
      self.place = place
      self.table = table
      self.columns = columns
    }
  }

  /// The condition where the elements are of certain tables.
  package struct Variant: Sendable {
    package var elements: [Element]
    /// Over the elements' columns, and those of queries around.
    package var expression: BoundExpression

    package init(elements: [Element], expression: BoundExpression) {
      self.elements = elements
      self.expression = expression
    }
  }

  /// For all tables that the elements may be of; the places are the same in each.
  package var variants: [Variant]

  package init(variants: [Variant]) { self.variants = variants }

  /// The edge behind which all elements are known.
  package var hop: Int {
    let hops = variants.first?.elements.map { element in
      switch element.place {
      case .vertex(let index): index - 1
      case .edge(let index): index
      }
    }
    return max(0, hops?.max() ?? 0)
  }
}

/// A place within one time of a segment, by number.
package enum RoundPlace: Sendable, Hashable {
  case vertex(Int)
  case edge(Int)
}

/// A table that a vertex may be of, and what it must meet.
package struct VertexRule: Sendable, Hashable {
  package var table: Int
  /// The entry of `PathPlan.conditions` that has its position, if any.
  package var condition: Int?

  package init(table: Int, condition: Int?) {
    self.table = table
    self.condition = condition
  }
}

/// One way to walk from a vertex to the next.
package struct PathHop: Sendable {
  /// How edges are found.
  package enum Access: Sendable {
    /// From the parent of one foreign key of the edges' table to that of another.
    case junction(from: Int, to: Int)
    /// From a row to the parent of its foreign key: the row is the edge.
    case toParent(Int)
    /// From a row to the children that refer to it by a foreign key: they are the edges.
    case toChildren(Int)
    /// Along an entry of `PathPlan.links`, against it if reversed.
    case link(Int, isReversed: Bool)
  }
  package var access: Access
  /// The edges' table.
  package var edge: Int
  /// The vertices' tables.
  package var from: Int
  package var to: Int
  /// The entry of `PathPlan.conditions` that has the edge's position, if any.
  package var condition: Int?
  /// Whether edges from a vertex to itself are left to the other direction, which walks them too.
  package var skipsLoops: Bool
  /// The entry of `PathPlan.costs` that has what the edge costs; nil for nothing.
  package var cost: Int?

  package init(
    access: Access, edge: Int, from: Int, to: Int, condition: Int?, skipsLoops: Bool,
    cost: Int? = nil
  ) {
    self.cost = cost
    self.access = access
    self.edge = edge
    self.from = from
    self.to = to
    self.condition = condition
    self.skipsLoops = skipsLoops
  }
}

/// A value of a path.
package struct PathOutput: Sendable {
  package enum Kind: Sendable {
    /// The number of the edges of some segments.
    case length(Range<Int>)
    /// What the edges of some segments cost together.
    case cost(Range<Int>)
    /// A value of the only element at a place; NULL if the path has none there.
    case element(PathPlace)
    /// The values of all elements at a place, in the order of the path, as an array.
    case list(PathPlace)
    /// The values of all vertices of some segments, or of all their edges, in the same way.
    case vertices(Range<Int>)
    case edges(Range<Int>)

    /// Whether there may be several values.
    package var isList: Bool {
      switch self {
      case .length, .cost, .element: false
      case .list, .vertices, .edges: true
      }
    }
  }
  package var column: PlanColumn
  package var kind: Kind
  /// What the value of an element is, for those tables that have one; for others it is NULL.
  package var values: [PathValue]

  package init(column: PlanColumn, kind: Kind, values: [PathValue]) {
    self.column = column
    self.kind = kind
    self.values = values
  }
}

/// A place of a path's pattern.
///
/// The vertex where one time of a segment ends and the next begins is at two places, and so is one between segments.
package enum PathPlace: Sendable, Hashable {
  case vertex(segment: Int, index: Int)
  case edge(segment: Int, index: Int)
  /// Between a segment and the next, by the number of the former.
  case gate(Int)
}

/// The value of elements of one table.
package struct PathValue: Sendable {
  package var isEdge: Bool
  /// The entry of the pattern's `edges` or `vertices`.
  package var table: Int
  package var columns: [ScanPlan.Column]
  /// Over `columns`.
  package var expression: BoundExpression

  package init(
    isEdge: Bool, table: Int, columns: [ScanPlan.Column], expression: BoundExpression
  ) {
    self.isEdge = isEdge
    self.table = table
    self.columns = columns
    self.expression = expression
  }
}

extension PathPrefix.Selector {
  /// Whether there is one path at most between two vertices.
  fileprivate var isOnePath: Bool {
    switch self {
    case .any(1), .shortest(1), .cheapest(1): true
    case .all, .any, .allShortest, .shortest, .shortestGroups, .allCheapest, .cheapest: false
    }
  }
}

extension PathPlan {
  /// One path at most between two vertices tells rows apart by both sides' keys.
  var uniqueKeys: [UniqueKey] {
    guard pattern.selector.isOnePath else { return [] }
    var found: [UniqueKey] = []
    let targets = target.uniqueKeys
    for one in input.uniqueKeys {
      for other in targets {
        found.append(
          UniqueKey(
            columns: one.columns.union(other.columns),
            repeatsNulls: one.repeatsNulls || other.repeatsNulls))
      }
    }
    return found
  }
}

extension PathPlan {
  /// The same with each condition on elements of one time of a segment replaced.
  func mappingConditions<Failure: Error>(
    _ transform: (BoundExpression) throws(Failure) -> BoundExpression
  ) throws(Failure) -> PathPlan {
    var plan = self
    for segment in pattern.segments.indices {
      for condition in pattern.segments[segment].conditions.indices {
        var mapped = pattern.segments[segment].conditions[condition]
        for index in mapped.variants.indices {
          mapped.variants[index].expression = try transform(mapped.variants[index].expression)
        }
        plan.pattern.segments[segment].conditions[condition] = mapped
      }
    }
    return plan
  }

  /// The columns that stand for those of elements in such conditions.
  var elementColumns: ColumnSet {
    var found: ColumnSet = []
    for variant in pattern.segments.flatMap(\.conditions).flatMap(\.variants) {
      for element in variant.elements { found.formUnion(element.columns.map(\.column.id)) }
    }
    return found
  }
}
