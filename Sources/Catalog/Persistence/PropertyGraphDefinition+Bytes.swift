import Diagnostics

extension CatalogWriter {
  mutating func write(_ graph: PropertyGraphDefinition) {
    write(graph.id)
    write(graph.name)
    write(list: graph.vertices) { $0.write($1) }
    write(list: graph.edges) { $0.write($1) }
    write(optional: graph.comment) { $0.write($1) }
  }

  private mutating func write(_ element: PropertyGraphDefinition.Element) {
    write(element.name)
    write(element.table)
    write(places: element.key)
    write(list: element.labels) { writer, label in
      writer.write(label.name)
      writer.write(list: label.properties) { $0.write($1) }
    }
    write(optional: element.ends) { writer, ends in
      writer.write(ends.source)
      writer.write(ends.destination)
    }
  }

  private mutating func write(_ property: PropertyGraphDefinition.Property) {
    write(property.name)
    write(property.type)
    switch property.value {
    case .column(let column):
      write(tag: 1)
      write(place: column)
    case .expression(let expression):
      write(tag: 2)
      write(expression)
    }
  }

  private mutating func write(_ end: PropertyGraphDefinition.End) {
    write(place: end.vertex)
    write(places: end.columns)
    write(places: end.vertexColumns)
  }
}

extension CatalogReader {
  mutating func graph() throws(SQLError) -> PropertyGraphDefinition {
    let id = try id()
    let name = try name()
    let vertices = try list { reader throws(SQLError) in try reader.element() }
    let edges = try list { reader throws(SQLError) in try reader.element() }
    return PropertyGraphDefinition(
      id: id, name: name, vertices: vertices, edges: edges,
      comment: try optional { reader throws(SQLError) in try reader.text() })
  }

  private mutating func element() throws(SQLError) -> PropertyGraphDefinition.Element {
    let name = try text()
    let table = try id()
    let key = try places()
    let labels = try list { reader throws(SQLError) in
      let name = try reader.text()
      return PropertyGraphDefinition.Label(
        name: name,
        properties: try reader.list { reader throws(SQLError) in try reader.property() })
    }
    return PropertyGraphDefinition.Element(
      name: name, table: table, key: key, labels: labels,
      ends: try optional { reader throws(SQLError) in
        let source = try reader.end()
        return (source: source, destination: try reader.end())
      })
  }

  private mutating func property() throws(SQLError) -> PropertyGraphDefinition.Property {
    let name = try text()
    let type = try columnType()
    let value: PropertyGraphDefinition.Property.Value
    switch try tag() {
    case 1: value = .column(try place())
    case 2: value = .expression(try expression())
    case let tag: throw damage("\(tag) is no property's tag")
    }
    return PropertyGraphDefinition.Property(name: name, type: type, value: value)
  }

  private mutating func end() throws(SQLError) -> PropertyGraphDefinition.End {
    let vertex = try place()
    let columns = try places()
    return PropertyGraphDefinition.End(
      vertex: vertex, columns: columns, vertexColumns: try places())
  }
}
