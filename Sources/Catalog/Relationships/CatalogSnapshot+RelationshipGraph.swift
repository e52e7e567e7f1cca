extension CatalogSnapshot {
  /// The graph of all relationships that foreign keys say: `GRAPH_TABLE (* …)`.
  ///
  /// Every table holds vertices, labelled with its name. Every foreign key holds edges from the child to the parent,
  /// labelled with the name of the constraint; the child's row is the edge. Every junction table holds edges from the
  /// parent of the first of its two foreign keys to that of the second, labelled with the table's name. All columns are
  /// properties.
  ///
  /// - Complexity: O(tables + foreign keys + columns).
  package var relationshipGraph: PropertyGraphDefinition {
    let tables = self.tables.values.filter { $0.materialized == nil }.sorted { $0.id < $1.id }
    var numbers: [ObjectID: Int] = [:]
    for (index, table) in tables.enumerated() { numbers[table.id] = index }
    let vertices = tables.map { element($0, label: $0.name.name) }
    var edges: [PropertyGraphDefinition.Element] = []
    for (index, table) in tables.enumerated() {
      for (first, second) in junctionPairs(of: table) {
        guard let source = numbers[first.parent], let destination = numbers[second.parent] else {
          continue
        }
        var edge = element(table, label: table.name.name)
        edge.ends = (end(source, first), end(destination, second))
        edges.append(edge)
      }
      for key in table.foreignKeys {
        guard let parent = numbers[key.parent] else { continue }
        var edge = element(table, label: key.name)
        let own = PropertyGraphDefinition.End(vertex: index, columns: [], vertexColumns: [])
        edge.ends = (own, end(parent, ForeignKeyLink(key, of: table.id)))
        edges.append(edge)
      }
    }
    return PropertyGraphDefinition(
      id: ObjectID(0), name: ObjectName("*"), vertices: vertices, edges: edges)
  }

  private func element(
    _ table: TableDefinition, label: String
  ) -> PropertyGraphDefinition.Element {
    let properties = table.columns.enumerated().map {
      PropertyGraphDefinition.Property(
        name: $1.name, type: $1.columnType, value: .column($0))
    }
    let key = (table.primaryKey ?? table.keys.first)?.columns ?? Array(table.columns.indices)
    return PropertyGraphDefinition.Element(
      name: table.name.name, table: table.id, key: key,
      labels: [PropertyGraphDefinition.Label(name: label, properties: properties)])
  }

  private func end(_ vertex: Int, _ link: ForeignKeyLink) -> PropertyGraphDefinition.End {
    PropertyGraphDefinition.End(
      vertex: vertex, columns: link.columns, vertexColumns: link.parentColumns)
  }
}
