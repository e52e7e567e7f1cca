import Columnar
import Diagnostics

/// What views, sequences, property graphs, functions and types hold to.
extension CatalogSnapshot {
  func check(_ view: ViewDefinition) throws(SQLError) {
    let object = "view \"\(view.name.name)\""
    guard view.columnNames.count == view.columnTypes.count,
      Set(view.columnNames).count == view.columnNames.count
    else { throw inconsistency(object, "its columns' names and types do not fit together") }
    for column in view.columnDefaults.keys where !view.columnNames.indices.contains(column) {
      throw inconsistency(object, "it has a default for a column that is not there")
    }
    for id in view.dependencies where !hasObject(id) {
      throw inconsistency(object, "it is made of \(id), which is not there")
    }
  }

  func check(_ sequence: SequenceDefinition) throws(SQLError) {
    let object = "sequence \"\(sequence.name.name)\""
    guard sequence.type.isInteger, sequence.increment != 0, sequence.minimum <= sequence.maximum
    else { throw inconsistency(object, "it has no values to give") }
    guard let owner = sequence.owner else { return }
    guard let table = tables[owner.table], table.columns.indices.contains(owner.column) else {
      throw inconsistency(object, "the column that owns it is not there")
    }
  }

  func check(_ type: TypeDefinition) throws(SQLError) {
    let object = "type \"\(type.name.name)\""
    switch type.kind {
    case .enumeration(let enumeration):
      guard Set(enumeration.labels).count == enumeration.labels.count else {
        throw inconsistency(object, "a label is there twice")
      }
    case .composite(let record):
      guard Set(record.fields.map(\.name)).count == record.fields.count else {
        throw inconsistency(object, "two of its attributes have one name")
      }
    case .domain(let base, _, _, _):
      guard base.type != .void, base.type != .unknown else {
        throw inconsistency(object, "it is of no type")
      }
    }
  }

  func check(_ function: FunctionDefinition) throws(SQLError) {
    let object = "function \"\(function.name.name)\""
    guard function.parameters.count <= 100 else {
      throw inconsistency(object, "it has more than 100 parameters")
    }
    for (index, parameter) in function.parameters.enumerated() where parameter.isVariadic {
      guard parameter.type.type.element != nil, index == function.parameters.count - 1 else {
        throw inconsistency(object, "parameter \(index + 1) cannot be VARIADIC")
      }
    }
    guard function.language == "sql" || function.language == "plpgsql" else {
      throw inconsistency(object, "its language is \"\(function.language)\"")
    }
    let types = function.parameters.map(\.type.type)
    for id in functionNames[function.name] ?? [] where id != function.id {
      guard functions[id]?.parameters.map(\.type.type) != types else {
        throw inconsistency(object, "another function has its name and parameters")
      }
    }
  }

  func check(_ graph: PropertyGraphDefinition) throws(SQLError) {
    let object = "property graph \"\(graph.name.name)\""
    var names: Set<String> = []
    var types: [String: ColumnType] = [:]
    for element in graph.vertices + graph.edges {
      guard !element.name.isEmpty, names.insert(element.name).inserted else {
        throw inconsistency(object, "two of its tables are called \"\(element.name)\"")
      }
      try check(element, of: graph, object)
      for property in element.labels.flatMap(\.properties) {
        guard
          types.updateValue(property.type, forKey: property.name) ?? property.type
            == property.type
        else {
          throw inconsistency(object, "property \"\(property.name)\" is of two types")
        }
      }
    }
    guard graph.vertices.allSatisfy({ $0.ends == nil }),
      graph.edges.allSatisfy({ $0.ends != nil })
    else { throw inconsistency(object, "vertices have ends, or edges have none") }
  }

  private func check(
    _ element: PropertyGraphDefinition.Element, of graph: PropertyGraphDefinition, _ object: String
  ) throws(SQLError) {
    let object = "table \"\(element.name)\" of \(object)"
    guard let table = tables[element.table] else {
      throw inconsistency(object, "there is no table \(element.table)")
    }
    guard !element.key.isEmpty, element.key.allSatisfy(table.columns.indices.contains) else {
      throw inconsistency(object, "its key is over columns that are not there")
    }
    guard Set(element.labels.map(\.name)).count == element.labels.count else {
      throw inconsistency(object, "a label is there twice")
    }
    for label in element.labels {
      var names: Set<String> = []
      for property in label.properties {
        guard names.insert(property.name).inserted else {
          throw inconsistency(object, "property \"\(property.name)\" is there twice")
        }
        if case .column(let column) = property.value, !table.columns.indices.contains(column) {
          throw inconsistency(object, "property \"\(property.name)\" is of no column")
        }
      }
    }
    guard let ends = element.ends else { return }
    for end in [ends.source, ends.destination] {
      guard graph.vertices.indices.contains(end.vertex),
        let vertices = tables[graph.vertices[end.vertex].table],
        end.columns.count == end.vertexColumns.count,
        end.columns.allSatisfy(table.columns.indices.contains),
        end.vertexColumns.allSatisfy(vertices.columns.indices.contains)
      else { throw inconsistency(object, "an end of it leads nowhere") }
      for (column, other) in zip(end.columns, end.vertexColumns)
      where !Self.canBeEqual(table.columns[column].type, vertices.columns[other].type) {
        throw inconsistency(object, "an end of it cannot be compared with its vertices")
      }
    }
  }
}
