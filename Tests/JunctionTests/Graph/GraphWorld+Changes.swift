extension GraphWorld {
  /// Rows of all tables, as the statements that insert them.
  mutating func fill(_ random: inout GraphRandom) -> [String] {
    var statements: [String] = []
    for _ in 0..<(2 + random.below(7)) { statements += insertVertex(&random) }
    for _ in 0..<(2 + random.below(11)) { statements += insertEdge(&random) }
    return statements
  }

  /// One change of the rows.
  mutating func change(_ random: inout GraphRandom) -> [String] {
    switch random.below(10) {
    case 0: insertVertex(&random)
    case 1: deleteVertex(&random)
    case 2, 3: updateVertex(&random)
    case 4, 5: updateEdge(&random)
    case 6, 7: deleteEdge(&random)
    default: insertEdge(&random)
    }
  }

  private func value(_ random: inout GraphRandom) -> Int? {
    random.chance(15) ? nil : random.below(5)
  }

  private func reference(
    to table: String, nullable: Bool, _ random: inout GraphRandom
  ) -> Int? {
    if nullable, random.chance(20) { return nil }
    let found = vertexIDs(of: table)
    return found.isEmpty ? nil : random.pick(found)
  }

  private func key(_ vertex: Int?) -> String { Self.literal(vertex.map { $0 % 100 }) }

  mutating func insertVertex(_ random: inout GraphRandom) -> [String] {
    let table = random.pick(["p", "p", "p", "q", "q", "r"])
    let candidates =
      table == "r" ? [311, 312, 321] : (1...4).map { $0 + (table == "p" ? 100 : 200) }
    guard let id = candidates.first(where: { vertices[$0] == nil }) else { return [] }
    var vertex = Vertex(value: value(&random))
    if table == "r" {
      vertex.value = nil
      vertices[id] = vertex
      return ["INSERT INTO r VALUES (\((id - 300) / 10), \((id - 300) % 10), 1)"]
    }
    vertex.parent = reference(to: "p", nullable: true, &random)
    if table == "p", random.chance(10) { vertex.parent = id }
    vertices[id] = vertex
    return [
      "INSERT INTO \(table) VALUES (\(id % 100), \(Self.literal(vertex.value)), \(key(vertex.parent)))"
    ]
  }

  /// Deletes a vertex with what refers to it; where no foreign keys are, its edges stay without it.
  mutating func deleteVertex(_ random: inout GraphRandom) -> [String] {
    guard vertices.count > 2, let id = vertices.keys.sorted().randomElement(using: &random) else {
      return []
    }
    var statements: [String] = []
    if hasForeignKeys {
      for edge in edges.keys.sorted() {
        guard let row = edges[edge], row.source == id || row.destination == id else { continue }
        // What no foreign key guards may lose an end.
        if Self.table(ofEdge: edge) == "n" { continue }
        statements.append(delete(edge))
      }
      for (child, row) in vertices.sorted(by: { $0.key < $1.key }) where row.parent == id {
        vertices[child]?.parent = nil
        let table = Self.table(ofVertex: child)
        statements.append(
          "UPDATE \(table) SET \(table == "p" ? "boss" : "p_id") = NULL WHERE id = \(child % 100)")
      }
    }
    vertices[id] = nil
    let table = Self.table(ofVertex: id)
    let condition =
      table == "r" ? "k1 = \((id - 300) / 10) AND k2 = \(id % 10)" : "id = \(id % 100)"
    return statements + ["DELETE FROM \(table) WHERE \(condition)"]
  }

  mutating func updateVertex(_ random: inout GraphRandom) -> [String] {
    let candidates = vertices.keys.filter { $0 < 300 }.sorted()
    guard let id = candidates.randomElement(using: &random) else { return [] }
    let table = Self.table(ofVertex: id)
    if random.chance(40) {
      let value = value(&random)
      vertices[id]?.value = value
      return ["UPDATE \(table) SET val = \(Self.literal(value)) WHERE id = \(id % 100)"]
    }
    let parent = reference(to: "p", nullable: true, &random)
    vertices[id]?.parent = parent
    let column = table == "p" ? "boss" : "p_id"
    return ["UPDATE \(table) SET \(column) = \(key(parent)) WHERE id = \(id % 100)"]
  }

  mutating func insertEdge(_ random: inout GraphRandom) -> [String] {
    let table = random.pick(Self.edgeTables + graphEdges.filter(Self.edgeTables.contains))
    let (source, destination) = ends(table)
    let isPair = table == "j" || table == "pp"
    var edge = Edge(
      source: reference(to: source, nullable: !isPair, &random),
      destination: reference(to: destination, nullable: !isPair, &random), value: value(&random))
    if table == "n", random.chance(10) { edge.source = source == "p" ? 109 : 209 }
    if isPair {
      guard let first = edge.source, let second = edge.destination else { return [] }
      let id = (Self.bases[table] ?? 0) + first % 10 * 10 + second % 10
      if edges[id] != nil { return [] }
      edges[id] = edge
      return [
        "INSERT INTO \(table) VALUES (\(first % 10), \(second % 10), \(Self.literal(edge.value)))"
      ]
    }
    let base = Self.bases[table] ?? 0
    guard let id = (base + 1...base + 8).first(where: { edges[$0] == nil }) else { return [] }
    edges[id] = edge
    return [
      "INSERT INTO \(table) VALUES (\(id - base), \(key(edge.source)), \(farKey(edge, table, &random)), "
        + "\(Self.literal(edge.value)))"
    ]
  }

  /// The columns of an edge's destination; those of a key of two columns may be NULL in part.
  private func farKey(_ edge: Edge, _ table: String, _ random: inout GraphRandom) -> String {
    guard table == "pr" else { return key(edge.destination) }
    guard let end = edge.destination else {
      return random.pick(["NULL, NULL", "1, NULL", "NULL, 2"])
    }
    return "\((end - 300) / 10), \(end % 10)"
  }

  private func condition(_ id: Int) -> String {
    switch Self.table(ofEdge: id) {
    case "j": "p_id = \(id % 1000 / 10) AND q_id = \(id % 10)"
    case "pp": "a = \(id % 1000 / 10) AND b = \(id % 10)"
    default: "id = \(id % 1000)"
    }
  }

  private mutating func delete(_ id: Int) -> String {
    edges[id] = nil
    return "DELETE FROM \(Self.table(ofEdge: id)) WHERE \(condition(id))"
  }

  mutating func deleteEdge(_ random: inout GraphRandom) -> [String] {
    edges.keys.sorted().randomElement(using: &random).map { [delete($0)] } ?? []
  }

  mutating func updateEdge(_ random: inout GraphRandom) -> [String] {
    guard let id = edges.keys.sorted().randomElement(using: &random), let old = edges[id] else {
      return []
    }
    let table = Self.table(ofEdge: id)
    let ends = ends(table)
    if random.chance(40) {
      let value = value(&random)
      edges[id]?.value = value
      return ["UPDATE \(table) SET w = \(Self.literal(value)) WHERE \(condition(id))"]
    }
    if table == "j" || table == "pp" {
      // The key is both ends, so the edge becomes another.
      guard let far = reference(to: ends.destination, nullable: false, &random) else { return [] }
      let next = id / 10 * 10 + far % 10
      if edges[next] != nil { return [] }
      let change = "UPDATE \(table) SET \(table == "j" ? "q_id" : "b") = \(far % 10)"
      defer {
        edges[id] = nil
        edges[next] = Edge(source: old.source, destination: far, value: old.value)
      }
      return ["\(change) WHERE \(condition(id))"]
    }
    if random.chance(50) {
      let near = reference(to: ends.source, nullable: true, &random)
      edges[id]?.source = near
      return ["UPDATE \(table) SET a = \(key(near)) WHERE \(condition(id))"]
    }
    let far = reference(to: ends.destination, nullable: true, &random)
    edges[id]?.destination = far
    let columns = table == "pr" ? "(k1, k2)" : "b"
    let value = farKey(Edge(destination: far), table, &random)
    return [
      "UPDATE \(table) SET \(columns) = \(table == "pr" ? "(\(value))" : value) WHERE \(condition(id))"
    ]
  }
}
