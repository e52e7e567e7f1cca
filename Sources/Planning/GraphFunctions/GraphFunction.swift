package import Columnar

/// A graph algorithm that stands in FROM as a function of a graph.
///
/// The graph is a junction table, a foreign key, a property graph or a query that gives pairs: see `GraphShape`. Every
/// algorithm takes the arguments of its signature, in its order or by name.
package enum GraphFunction: String, CaseIterable, Sendable {
  case degree
  case pageRank = "pagerank"
  case weakComponents = "weak_components"
  case strongComponents = "strong_components"
  case bfs
  case dijkstra
  case triangles
  case clustering
  case coreNumbers = "core_numbers"
  case labelPropagation = "label_propagation"

  case betweenness, closeness, harmonic, eigenvector, hits
  case biconnectedComponents = "biconnected_components"
  case bridges
  case articulationPoints = "articulation_points"
  case topologicalOrder = "topological_order"
  case transitiveReduction = "transitive_reduction"
  case deltaStepping = "delta_stepping"
  case aStar = "a_star"
  case kShortestPaths = "k_shortest_paths"
  case allPairsShortestPaths = "all_pairs_shortest_paths"
  case spanningForest = "spanning_forest"
  case maxFlow = "max_flow"
  case minCut = "min_cut"
  case matching

  // Pairs, groups, patterns, walks.
  case jaccard
  case cosine
  case overlap
  case adamicAdar = "adamic_adar"
  case louvain
  case leiden
  case trussNumbers = "truss_numbers"
  case fourCycles = "four_cycles"
  case motifs
  case randomWalks = "random_walks"
  case node2VecWalks = "node2vec_walks"
  case graphLayout = "graph_layout"
  case graphEdges = "graph_edges"
}

/// What a graph algorithm is given and what it gives.
package struct GraphSignature: Sendable {
  /// An argument beside the graph.
  package struct Parameter: Sendable {
    package enum Kind: Equatable, Sendable {
      /// The key of a vertex: a row for a key of several columns.
      case vertex
      /// The same, or an array of them; none if it is left out.
      case vertices
      case value(LogicalType)
      /// The name of a column of the vertices' tables that holds numbers.
      case column
    }
    package var name: String
    package var kind: Kind
    /// Used where the argument is left out; nil for one that has to be given, NULL for one that need not.
    package var otherwise: Value?

    package init(_ name: String, _ kind: Kind, _ otherwise: Value? = nil) {
      self.name = name
      self.kind = kind
      self.otherwise = otherwise
    }
  }

  /// A column of the result that is no vertex.
  package struct Result: Sendable {
    package enum Kind: Sendable {
      case value(LogicalType)
      /// The key of a vertex, NULL where there is none.
      case vertex
      /// An array of the keys of vertices.
      case path
    }
    package var name: String
    package var kind: Kind

    package init(_ name: String, _ type: LogicalType) {
      self.name = name
      kind = .value(type)
    }

    package init(vertex name: String) {
      self.name = name
      kind = .vertex
    }

    package init(path name: String) {
      self.name = name
      kind = .path
    }
  }

  /// How the direction of edges matters.
  package enum Direction: Sendable {
    /// Edges are walked as they are written unless `directed => false`.
    case directed
    /// Edges are walked both ways unless `directed => true`.
    case undirected
    /// Edges have no direction for the algorithm.
    case none
  }

  package var parameters: [Parameter] = []
  /// What columns of vertices are called: each stands for the columns of the key.
  package var vertices: [String] = ["id"]
  package var results: [Result] = []
  package var direction = Direction.directed
  /// Whether the length, cost or strength of edges can be given by `weight`.
  package var takesWeight = false
  /// Whether the table that all vertices of the result are of can be given by `of`.
  package var takesTable = false
}

extension GraphFunction {
  /// The arguments and columns.
  package var signature: GraphSignature {
    switch self {
    case .degree: .degree
    case .pageRank: .pageRank
    case .weakComponents:
      GraphSignature(results: [.init("component", .bigint)], direction: .none)
    case .strongComponents:
      GraphSignature(results: [.init("component", .bigint)])
    case .bfs: .bfs
    case .dijkstra: .dijkstra
    case .triangles:
      GraphSignature(results: [.init("triangles", .bigint)], direction: .none)
    case .clustering:
      GraphSignature(results: [.init("coefficient", .double)], direction: .undirected)
    case .coreNumbers:
      GraphSignature(results: [.init("core", .bigint)], direction: .none)
    case .labelPropagation:
      GraphSignature(
        parameters: [.init("iterations", .value(.integer), .int32(10))],
        results: [.init("community", .bigint), .init(vertex: "label")], direction: .none)

    case .betweenness: .betweenness
    case .closeness: .closeness
    case .harmonic: .harmonic
    case .eigenvector: .eigenvector
    case .hits: .hits
    case .biconnectedComponents: .biconnectedComponents
    case .bridges: .bridges
    case .articulationPoints: .articulationPoints
    case .topologicalOrder: .topologicalOrder
    case .transitiveReduction: .transitiveReduction
    case .deltaStepping: .deltaStepping
    case .aStar: .aStar
    case .kShortestPaths: .kShortestPaths
    case .allPairsShortestPaths: .allPairsShortestPaths
    case .spanningForest: .spanningForest
    case .maxFlow: .maxFlow
    case .minCut: .minCut
    case .matching: .matching

    case .jaccard, .cosine, .overlap, .adamicAdar: .likeness
    case .louvain: .communities()
    case .leiden: .communities([.init("iterations", .value(.integer), .int32(2))])
    case .trussNumbers: .trussNumbers
    case .fourCycles: .fourCycles
    case .motifs: .motifs
    case .randomWalks: .walks()
    case .node2VecWalks:
      .walks([.init("p", .value(.double), .double(1)), .init("q", .value(.double), .double(1))])
    case .graphLayout: .layout
    case .graphEdges: .edges
    }
  }
}
