import Diagnostics

/// CREATE and ALTER PROPERTY GRAPH.
extension Parser {
  /// Whether `PROPERTY GRAPH` comes next.
  var isAtPropertyGraph: Bool { at(word: "property") && isWord(peek(), "graph") }

  /// CREATE PROPERTY GRAPH; CREATE was taken.
  mutating func parseCreatePropertyGraph(
    _ persistence: Persistence, _ start: Int
  ) throws(ParseFailure) -> Statement {
    index += 2
    let name = try parseQualifiedName()
    let (vertices, edges) = try parseElementTables()
    return .createPropertyGraph(
      CreatePropertyGraphStatement(
        name: name, persistence: persistence, vertexTables: vertices, edgeTables: edges,
        range: range(from: start)))
  }

  /// `[VERTEX TABLES (…)] [EDGE TABLES (…)]`.
  private mutating func parseElementTables()
    throws(ParseFailure) -> (vertices: [GraphElementTable], edges: [GraphElementTable])
  {
    var vertices: [GraphElementTable] = []
    var edges: [GraphElementTable] = []
    if takeElementKind(isEdge: false) {
      try expect(.tables)
      vertices = try parseElementTableList(isEdge: false)
    }
    if takeElementKind(isEdge: true) {
      try expect(.tables)
      edges = try parseElementTableList(isEdge: true)
    }
    return (vertices, edges)
  }

  private mutating func takeElementKind(isEdge: Bool) -> Bool {
    isEdge
      ? take(word: "edge") || take(word: "relationship")
      : take(word: "vertex") || take(word: "node")
  }

  private mutating func parseElementTableList(
    isEdge: Bool
  ) throws(ParseFailure) -> [GraphElementTable] {
    try expect(.leftParen)
    var tables = [try parseElementTable(isEdge: isEdge)]
    while take(.comma) { tables.append(try parseElementTable(isEdge: isEdge)) }
    try expect(.rightParen)
    return tables
  }

  private mutating func parseElementTable(
    isEdge: Bool
  ) throws(ParseFailure) -> GraphElementTable {
    let start = self.start
    var table = GraphElementTable(
      table: try parseQualifiedName(), alias: nil, key: [], source: nil, destination: nil,
      labels: [], range: .none)
    if take(.as) { table.alias = try parseName() }
    if take(.key) { table.key = try parseRequiredNames() }
    if isEdge {
      try expect(word: "source")
      table.source = try parseEdgeEnd()
      try expect(word: "destination")
      table.destination = try parseEdgeEnd()
    }
    table.labels = try parseLabels()
    table.range = range(from: start)
    return table
  }

  private mutating func parseRequiredNames() throws(ParseFailure) -> [Identifier] {
    if !at(.leftParen) { throw syntaxError() }
    return try parseOptionalNameList()
  }

  /// `[KEY (column, …) REFERENCES] vertex [(column, …)]`.
  private mutating func parseEdgeEnd() throws(ParseFailure) -> GraphEdgeEnd {
    let start = self.start
    var key: [Identifier] = []
    if at(.key), peek().kind == .leftParen {
      advance()
      key = try parseRequiredNames()
      try expect(.references)
    }
    let vertex = try parseName()
    let columns = key.isEmpty ? [] : try parseOptionalNameList()
    return GraphEdgeEnd(
      key: key, vertex: vertex, vertexColumns: columns, range: range(from: start))
  }

  // MARK: Labels and properties

  private mutating func parseLabels() throws(ParseFailure) -> [GraphLabel] {
    var labels: [GraphLabel] = []
    let start = self.start
    if let properties = try parseProperties() {
      return [GraphLabel(name: nil, properties: properties, range: range(from: start))]
    }
    while at(.label) || at(.default) { labels.append(try parseLabelWithProperties()) }
    return labels
  }

  private mutating func parseLabelWithProperties() throws(ParseFailure) -> GraphLabel {
    let start = self.start
    var name: Identifier?
    if take(.default) {
      try expect(.label)
    } else {
      try expect(.label)
      name = try parseName()
    }
    let properties = try parseProperties() ?? .all
    return GraphLabel(name: name, properties: properties, range: range(from: start))
  }

  /// The properties, where some words say which.
  private mutating func parseProperties() throws(ParseFailure) -> GraphProperties? {
    if at(.no), isWord(peek(), "properties") {
      index += 2
      return GraphProperties.none
    }
    guard take(word: "properties") else { return nil }
    if at(.leftParen) { return .list(try parsePropertyList()) }
    _ = take(word: "are")
    try expect(.all)
    try expect(.columns)
    return take(.except) ? .allExcept(try parseRequiredNames()) : .all
  }

  private mutating func parsePropertyList() throws(ParseFailure) -> [GraphProperty] {
    try expect(.leftParen)
    var list: [GraphProperty] = []
    repeat {
      let value = try parseExpression()
      list.append(GraphProperty(value: value, name: take(.as) ? try parseName() : nil))
    } while take(.comma)
    try expect(.rightParen)
    return list
  }

  // MARK: ALTER

  /// ALTER PROPERTY GRAPH; these words were taken.
  mutating func parseAlterPropertyGraph(_ start: Int) throws(ParseFailure) -> Statement {
    let ifExists = try parseIfExists()
    let name = try parseQualifiedName()
    let action: AlterPropertyGraphStatement.Action
    if take(.add) {
      let (vertices, edges) = try parseElementTables()
      if vertices.isEmpty, edges.isEmpty { throw syntaxError() }
      action = .add(vertexTables: vertices, edgeTables: edges)
    } else if take(.drop) {
      let isEdge = try parseElementKind()
      try expect(.tables)
      action = .drop(try parseRequiredNames(), isEdge: isEdge, behavior: parseBehavior())
    } else if take(.alter) {
      let isEdge = try parseElementKind()
      try expect(.table)
      action = try parseElementAction(try parseName(), isEdge: isEdge)
    } else {
      let object = ObjectReference(
        name: name, argumentTypes: nil, table: nil, range: name.range)
      guard let action = try parseObjectAction() else {
        return skipUnsupported("ALTER PROPERTY GRAPH", start)
      }
      return .alterObject(
        AlterObjectStatement(
          kind: .propertyGraph, object: object, action: action, ifExists: ifExists,
          range: range(from: start)))
    }
    return .alterPropertyGraph(
      AlterPropertyGraphStatement(
        name: name, ifExists: ifExists, action: action, range: range(from: start)))
  }

  private mutating func parseElementKind() throws(ParseFailure) -> Bool {
    if takeElementKind(isEdge: false) { return false }
    guard takeElementKind(isEdge: true) else { throw syntaxError() }
    return true
  }

  private mutating func parseElementAction(
    _ element: Identifier, isEdge: Bool
  ) throws(ParseFailure) -> AlterPropertyGraphStatement.Action {
    if at(.add) {
      var labels: [GraphLabel] = []
      while take(.add) {
        if !at(.label) { throw syntaxError() }
        labels.append(try parseLabelWithProperties())
      }
      return .addLabels(labels, to: element, isEdge: isEdge)
    }
    if take(.drop, .label) {
      let label = try parseName()
      return .dropLabel(label, of: element, isEdge: isEdge, behavior: parseBehavior())
    }
    try expect(.alter, .label)
    let label = try parseName()
    if take(.add) {
      try expect(word: "properties")
      let properties = try parsePropertyList()
      return .addProperties(properties, label: label, of: element, isEdge: isEdge)
    }
    try expect(.drop)
    try expect(word: "properties")
    let names = try parseRequiredNames()
    return .dropProperties(
      names, label: label, of: element, isEdge: isEdge, behavior: parseBehavior())
  }
}
