import Catalog
import Columnar
import Planning
import SQLSyntax

/// A search for paths that can be made round by round: one shortest path at most between two vertices, by one repeated part whose
/// vertices have keys of one column.
struct PathRounds {
  /// One kind of edge from a vertex to the next.
  struct Way {
    enum Source {
      /// Rows of a table, of which two columns are keys; only those that a plan gives the positions of, if there is one.
      case table(TableDefinition, from: Int, to: Int, rows: LogicalPlan?)
      /// A plan whose columns are keys.
      case plan(LogicalPlan, from: PlanColumn, to: PlanColumn)
    }
    let source: Source
    let skipsLoops: Bool
  }
  /// The columns of what was reached: `counted` is the length as far as it decides whether a path is long enough.
  static let names = ["origin", "node", "length", "counted"]

  /// The edges of one time of the part, each by all of its ways.
  let hops: [[Way]]
  /// The keys of the vertices that may be passed, before and behind each edge; nil for all.
  let sites: [LogicalPlan?]
  let keyType: LogicalType
  /// In edges.
  let leastLength: Int
  let greatestLength: Int?

  init(_ path: PathPlan) throws(Refusal) {
    let pattern = path.pattern
    switch pattern.selector {
    case .any(1):
      if !path.outputs.isEmpty {
        throw Self.refusal("a value of a path by ANY, which leaves open which path it is")
      }
    case .shortest(1): break
    case .all, .any, .shortest, .allShortest, .shortestGroups:
      throw Self.refusal("all paths, or several, between two vertices")
    case .allCheapest, .cheapest: throw Self.refusal("the cheapest paths")
    }
    guard pattern.mode == .walk, pattern.parts.isEmpty else {
      throw Self.refusal("a path by TRAIL, SIMPLE or ACYCLIC")
    }
    guard pattern.segments.count == 1, let segment = pattern.segments.first, !segment.remembers
    else { throw Self.refusal("a path of several parts, or with conditions across its edges") }
    for output in path.outputs {
      if case .length = output.kind { continue }
      throw Self.refusal("the elements of a path, of which there may be several as short")
    }
    let links = try Links(path)
    var table = pattern.startTable
    var hops: [[Way]] = []
    var sites = [try links.site(segment.sites[0], of: table)]
    for (index, ways) in segment.hops.enumerated() {
      guard let next = ways.first?.to, ways.allSatisfy({ $0.from == table && $0.to == next }) else {
        throw Self.refusal("a path through vertices of several tables at one place")
      }
      hops.append(try ways.map { (hop) throws(Refusal) in try links.way(hop) })
      table = next
      sites.append(try links.site(segment.sites[index + 1], of: table))
    }
    guard table == pattern.startTable, table == pattern.endTable else {
      throw Self.refusal("a path whose repeated part ends at another table than it begins at")
    }
    self.hops = hops
    self.sites = sites
    let vertices = pattern.vertices[table]
    keyType = vertices.columns[try links.key(of: vertices)].type
    leastLength = segment.minimum * hops.count
    greatestLength = segment.maximum.map { $0 * hops.count }
  }

  static func refusal(_ what: String) -> Refusal {
    Refusal("there is no translation for \(what)", about: .word("graph_table"))
  }

  /// Where the parts of a search are found.
  private struct Links {
    let path: PathPlan

    init(_ path: PathPlan) throws(Refusal) { self.path = path }

    func key(of table: TableDefinition) throws(Refusal) -> Int {
      if let key = table.keyColumn { return key }
      throw PathRounds.refusal(
        "a path through table \(table.name.name), which has no key of one column")
    }

    /// The keys of the vertices of a table that meet a site's rules; nil for all.
    func site(_ rules: [VertexRule], of table: Int) throws(Refusal) -> LogicalPlan? {
      guard let rule = rules.first(where: { $0.table == table }) else {
        throw PathRounds.refusal("a path that cannot be")
      }
      return rule.condition.map { path.conditions[$0] }
    }

    func way(_ hop: PathHop) throws(Refusal) -> Way {
      let pattern = path.pattern
      let edges = pattern.edges[hop.edge]
      let rows = hop.condition.map { path.conditions[$0] }
      func column(of number: Int, to vertices: Int) throws(Refusal) -> Int {
        let reference = edges.foreignKeys[number]
        guard reference.columns.count == 1,
          reference.parentColumns == [try key(of: pattern.vertices[vertices])]
        else { throw PathRounds.refusal("a path along edges that lead to no key of one column") }
        return reference.columns[0]
      }
      let source: Way.Source
      switch hop.access {
      case .junction(let from, let to):
        source = .table(
          edges, from: try column(of: from, to: hop.from), to: try column(of: to, to: hop.to),
          rows: rows)
      case .toParent(let number):
        source = .table(
          edges, from: try key(of: edges), to: try column(of: number, to: hop.to), rows: rows)
      case .toChildren(let number):
        source = .table(
          edges, from: try column(of: number, to: hop.from), to: try key(of: edges), rows: rows)
      case .link(let number, let isReversed):
        let plan = path.links[number]
        guard rows == nil, plan.outputs.count == 3 else {
          throw PathRounds.refusal("a path with a condition on edges without foreign keys")
        }
        let (source, destination) = (plan.outputs[1], plan.outputs[2])
        return Way(
          source: .plan(
            plan, from: isReversed ? destination : source, to: isReversed ? source : destination),
          skipsLoops: hop.skipsLoops)
      }
      return Way(source: source, skipsLoops: hop.skipsLoops)
    }
  }
}

extension TableDefinition {
  /// The column of a primary key of one column.
  var keyColumn: Int? {
    guard let key = primaryKey, key.columns.count == 1 else { return nil }
    return key.columns[0]
  }
}
