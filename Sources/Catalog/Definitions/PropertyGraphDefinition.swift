package import Columnar
package import SQLSyntax

/// What the catalog knows of one property graph: which tables hold its vertices and edges, and what they are called.
///
/// A graph is a view: it keeps no rows, and each statement that asks it is bound over the tables anew.
///
/// - Invariant: the names of element tables differ from each other, and so do the labels of one of them. A property
///   of one name has one type in the whole graph, and one value in all labels of an element table.
package struct PropertyGraphDefinition: Sendable {
  /// A table whose rows are vertices or edges.
  package struct Element: Sendable {
    /// The name it goes by in the graph.
    package var name: String
    package var table: ObjectID
    /// The columns that tell its rows apart.
    package var key: [Int]
    package var labels: [Label]
    /// The ends of an edge; nil for vertices.
    package var ends: (source: End, destination: End)?

    package init(
      name: String, table: ObjectID, key: [Int], labels: [Label],
      ends: (source: End, destination: End)? = nil
    ) {
      self.name = name
      self.table = table
      self.key = key
      self.labels = labels
      self.ends = ends
    }

    /// The properties of all its labels, each once.
    package var properties: [Property] {
      var names: Set<String> = []
      return labels.flatMap(\.properties).filter { names.insert($0.name).inserted }
    }
  }

  /// One end of the edges of a table: the rows of a vertices' table that have the same values.
  ///
  /// Without columns, the edge's row itself is the vertex.
  package struct End: Sendable, Hashable {
    /// The position in `vertices`.
    package var vertex: Int
    /// Columns of the edges' table.
    package var columns: [Int]
    /// Columns of the vertices' table, in the same order.
    package var vertexColumns: [Int]

    package init(vertex: Int, columns: [Int], vertexColumns: [Int]) {
      self.vertex = vertex
      self.columns = columns
      self.vertexColumns = vertexColumns
    }
  }

  /// A name that elements are found by.
  package struct Label: Sendable {
    package var name: String
    package var properties: [Property]

    package init(name: String, properties: [Property]) {
      self.name = name
      self.properties = properties
    }
  }

  /// A value that elements have.
  package struct Property: Sendable {
    package enum Value: Sendable {
      case column(Int)
      /// An expression over the names of the table's columns.
      case expression(SQLSyntax.Expression)
    }
    package var name: String
    package var type: ColumnType
    package var value: Value

    package init(name: String, type: ColumnType, value: Value) {
      self.name = name
      self.type = type
      self.value = value
    }
  }

  package var id: ObjectID
  package var name: ObjectName
  package var vertices: [Element]
  package var edges: [Element]
  package var isTemporary: Bool
  package var comment: String?

  package init(
    id: ObjectID, name: ObjectName, vertices: [Element], edges: [Element],
    isTemporary: Bool = false, comment: String? = nil
  ) {
    self.id = id
    self.name = name
    self.vertices = vertices
    self.edges = edges
    self.isTemporary = isTemporary
    self.comment = comment
  }

  /// The tables it is over.
  package var tables: Set<ObjectID> { Set((vertices + edges).map(\.table)) }
}
