import Columnar

/// What happens to a graph when its parts, or what they rest on, change.
extension PropertyGraphDefinition {
  /// The element table that goes by a name.
  package func element(named name: String) -> Element? {
    vertices.first { $0.name == name } ?? edges.first { $0.name == name }
  }

  /// The names of the edges that start or end at the vertices of an element table.
  package func edges(at vertex: String) -> [String] {
    guard let place = vertices.firstIndex(where: { $0.name == vertex }) else { return [] }
    return edges.filter { edge in
      edge.ends.map { $0.source.vertex == place || $0.destination.vertex == place } ?? false
    }.map(\.name)
  }

  /// Takes an element table away, and edges that would have lost an end with it.
  package mutating func removeElement(_ name: String) {
    if let place = vertices.firstIndex(where: { $0.name == name }) {
      let lost = Set(edges(at: name))
      edges.removeAll { lost.contains($0.name) }
      vertices.remove(at: place)
      for index in edges.indices {
        if let ends = edges[index].ends {
          edges[index].ends = (
            ends.source.without(vertex: place), ends.destination.without(vertex: place)
          )
        }
      }
    }
    edges.removeAll { $0.name == name }
  }

  package mutating func removeLabel(_ label: String, from element: String) {
    changeElements { copy in
      if copy.name == element { copy.labels.removeAll { $0.name == label } }
    }
  }

  /// Takes a property from a label, wherever that label is: its elements all have the same properties.
  package mutating func removeProperty(_ property: String, from label: String) {
    changeElements { element in
      for index in element.labels.indices where element.labels[index].name == label {
        element.labels[index].properties.removeAll { $0.name == property }
      }
    }
  }

  /// Lets the positions of a table's columns follow when one is taken from before them.
  ///
  /// Nothing of the graph is the column itself any more.
  package mutating func removeColumn(_ column: Int, of table: ObjectID) {
    func shifted(_ columns: [Int]) -> [Int] { columns.map { $0 > column ? $0 - 1 : $0 } }
    let owners = vertices.map { $0.table == table }
    changeElements { element in
      if let ends = element.ends {
        func moved(_ end: End) -> End {
          var copy = end
          if element.table == table { copy.columns = shifted(end.columns) }
          if owners[end.vertex] { copy.vertexColumns = shifted(end.vertexColumns) }
          return copy
        }
        element.ends = (moved(ends.source), moved(ends.destination))
      }
      guard element.table == table else { return }
      element.key = shifted(element.key)
      element.changeProperties { property in
        if case .column(let index) = property.value {
          property.value = .column(shifted([index])[0])
        }
      }
    }
  }

  /// Calls `change` for each vertex and each edge table.
  package mutating func changeElements(_ change: (inout Element) -> Void) {
    for index in vertices.indices { change(&vertices[index]) }
    for index in edges.indices { change(&edges[index]) }
  }

  /// Gives up what modifiers say of a property's type, such as a length, where elements differ in it.
  package mutating func settleModifiers() {
    var types: [String: ColumnType] = [:]
    for property in (vertices + edges).flatMap(\.labels).flatMap(\.properties) {
      if let known = types[property.name], known != property.type {
        types[property.name] = ColumnType(known.type)
      } else {
        types[property.name] = property.type
      }
    }
    changeElements { element in
      element.changeProperties { $0.type = types[$0.name] ?? $0.type }
    }
  }
}

extension PropertyGraphDefinition.Element {
  /// Calls `change` for each property of each label.
  package mutating func changeProperties(_ change: (inout PropertyGraphDefinition.Property) -> Void)
  {
    for label in labels.indices {
      for property in labels[label].properties.indices {
        change(&labels[label].properties[property])
      }
    }
  }
}

extension PropertyGraphDefinition.End {
  fileprivate func without(vertex place: Int) -> Self {
    var copy = self
    if vertex > place { copy.vertex -= 1 }
    return copy
  }
}
