package import Diagnostics

/// CREATE PROPERTY GRAPH.
///
/// Source: ISO/IEC 9075-16:2023, 11.1, <property graph definition>.
package struct CreatePropertyGraphStatement: Sendable {
  package var name: QualifiedName
  package var persistence: Persistence
  package var vertexTables: [GraphElementTable]
  package var edgeTables: [GraphElementTable]
  package var range: SourceRange
}

/// A table whose rows are vertices or edges of a graph.
package struct GraphElementTable: Sendable {
  package var table: QualifiedName
  /// The name it goes by in the graph, where it is not the table's.
  package var alias: Identifier?
  /// The columns that tell its rows apart; none means the primary key.
  package var key: [Identifier]
  /// Where an edge starts; nil for vertices.
  package var source: GraphEdgeEnd?
  /// Where an edge ends; nil for vertices.
  package var destination: GraphEdgeEnd?
  /// The labels; none means one that is called as the element is and has all columns as properties.
  package var labels: [GraphLabel]
  package var range: SourceRange
}

/// One end of the edges of a table.
package struct GraphEdgeEnd: Sendable {
  /// The columns of the edge table; none means those of its foreign key to the vertices' table.
  package var key: [Identifier]
  /// The element table of the vertices, by the name that it goes by in the graph.
  package var vertex: Identifier
  /// The columns of the vertices' table that they are equal to; none as for `key`.
  package var vertexColumns: [Identifier]
  package var range: SourceRange
}

/// `LABEL name` or `DEFAULT LABEL` with the properties that belong to it.
package struct GraphLabel: Sendable {
  /// The name; nil is that of the element.
  package var name: Identifier?
  package var properties: GraphProperties
  package var range: SourceRange

  package init(name: Identifier?, properties: GraphProperties, range: SourceRange) {
    self.name = name
    self.properties = properties
    self.range = range
  }
}

/// The properties of a label.
package enum GraphProperties: Sendable {
  /// PROPERTIES ALL COLUMNS, also where nothing is written.
  case all
  /// PROPERTIES ALL COLUMNS EXCEPT (…).
  case allExcept([Identifier])
  case none
  case list([GraphProperty])
}

/// One property of a label.
package struct GraphProperty: Sendable {
  package var value: Expression
  /// Its name, which only a column may go without.
  package var name: Identifier?

  package init(value: Expression, name: Identifier?) {
    self.value = value
    self.name = name
  }
}

/// ALTER PROPERTY GRAPH, except for its name, schema and owner (see `AlterObjectStatement`).
package struct AlterPropertyGraphStatement: Sendable {
  package enum Action: Sendable {
    case add(vertexTables: [GraphElementTable], edgeTables: [GraphElementTable])
    /// Element tables by their names in the graph.
    case drop([Identifier], isEdge: Bool, behavior: DropBehavior)
    case addLabels([GraphLabel], to: Identifier, isEdge: Bool)
    case dropLabel(Identifier, of: Identifier, isEdge: Bool, behavior: DropBehavior)
    case addProperties([GraphProperty], label: Identifier, of: Identifier, isEdge: Bool)
    case dropProperties(
      [Identifier], label: Identifier, of: Identifier, isEdge: Bool, behavior: DropBehavior)
  }
  package var name: QualifiedName
  package var ifExists: Bool
  package var action: Action
  package var range: SourceRange
}
