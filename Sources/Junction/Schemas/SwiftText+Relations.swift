import Catalog

/// Relations, as their declarations.
extension SwiftText {
  /// The properties of `Relations`; each gets a name that no property of the record has.
  func relations(of table: TableDefinition, taken: [String]) -> [String] {
    let all = catalog.relationships(of: table.id).filter { relationship in
      tables.contains { $0.id == relationship.target }
    }
    var names = Set(taken)
    return all.flatMap { relationship -> [String] in
      if case .toChildren(let key) = relationship.route, isJunction(key.child) { return [] }
      return declarations(of: relationship, table).map { name, type in
        "let \(SwiftNames.quoted(SwiftNames.free(name, &names))) = \(type)"
      }
    }
  }

  /// Whether the rows of a table are links between others.
  private func isJunction(_ id: ObjectID) -> Bool {
    guard let table = catalog.tables[id] else { return false }
    return !catalog.junctionPairs(of: table).isEmpty
  }

  /// Whether a foreign key is one of the two of a junction table.
  private func isOfJunction(_ key: ForeignKeyLink) -> Bool {
    guard let table = catalog.tables[key.child] else { return false }
    return catalog.junctionPairs(of: table).contains { $0.first == key || $0.second == key }
  }

  /// Names and types: one, and where links have columns of their own also one with them.
  private func declarations(
    of relationship: Relationship, _ table: TableDefinition
  ) -> [(String, String)] {
    guard let target = catalog.tables[relationship.target] else { return [] }
    let type = typeName(target.id)
    let noun = SwiftNames.property(target.name.name)
    switch relationship.route {
    case .toParent(let key):
      let column = columnNames(key).first ?? ""
      let isNamed = key.columns.count == 1 && column.hasSuffix("_id") && column.count > 3
      let name = isNamed ? SwiftNames.property(String(column.dropLast(3))) : noun
      let arguments = choice(relationship, .one, table, target, key)
      return [
        (
          name,
          "One<\(type)>(\((arguments + rules(key, isLink: isOfJunction(key), counts: false)).joined(separator: ", ")))"
        )
      ]
    case .toChildren(let key):
      if relationship.cardinality == .oneToOne {
        let arguments = choice(relationship, .one, table, target, key)
        return [(noun, "One<\(type)>(\(arguments.joined(separator: ", ")))")]
      }
      let arguments =
        choice(relationship, .many, table, target, key) + rules(key, isLink: false, counts: true)
      return [(SwiftNames.plural(noun), "Many<\(type)>(\(arguments.joined(separator: ", ")))")]
    case .throughJunction(let near, let far):
      return throughJunction(relationship, near, far, table, target)
    }
  }

  private func throughJunction(
    _ relationship: Relationship, _ near: ForeignKeyLink, _ far: ForeignKeyLink,
    _ table: TableDefinition, _ target: TableDefinition
  ) -> [(String, String)] {
    guard let junction = catalog.tables[near.child] else { return [] }
    let type = typeName(target.id)
    let rules = rules(near, isLink: true, counts: true)
    let arguments = choice(relationship, .many, table, target, near) + rules
    let noun = SwiftNames.plural(SwiftNames.property(target.name.name))
    let many = (noun, "Many<\(type)>(\(arguments.joined(separator: ", ")))")
    if Set(near.columns + far.columns).count == junction.columns.count { return [many] }
    let column = near.parent == far.parent ? [from(near)] : []
    let list = (column + rules).joined(separator: ", ")
    let link = SwiftNames.plural(SwiftNames.property(junction.name.name))
    return [many, (link, "Through<\(typeName(junction.id)), \(type)>(\(list))")]
  }

  private func columnNames(_ key: ForeignKeyLink) -> [String] {
    key.columns.compactMap { catalog.tables[key.child]?.columns[$0].name }
  }

  private func from(_ key: ForeignKeyLink) -> String {
    "from: \(SwiftNames.literal(columnNames(key).first ?? ""))"
  }

  /// The arguments without which more than one relationship would fit.
  private func choice(
    _ relationship: Relationship, _ kind: RelationDeclaration.Kind, _ table: TableDefinition,
    _ target: TableDefinition, _ key: ForeignKeyLink
  ) -> [String] {
    func isClear(_ through: ObjectID? = nil) -> Bool {
      let declaration = RelationDeclaration(
        kind: kind, from: RecordSource(table: table.name), to: RecordSource(table: target.name))
      return RelationRoute.candidates(
        for: declaration, from: table, to: target, through: through, catalog
      ).count == 1
    }
    if isClear() { return [] }
    if kind == .one {
      return ["column: \(SwiftNames.literal(columnNames(key).first ?? ""))"]
    }
    let name = catalog.tables[key.child].map { plainName($0.name) } ?? ""
    let through = "through: \(SwiftNames.literal(name))"
    if isClear(key.child) { return [through] }
    return [through, from(key)]
  }

  /// The delete rule and the count, where `Schema` would make others without them.
  private func rules(_ link: ForeignKeyLink, isLink: Bool, counts: Bool) -> [String] {
    guard let table = catalog.tables[link.child],
      let key = table.foreignKeys.first(where: { $0.name == link.name })
    else { return [] }
    var arguments: [String] = []
    let takesNull = key.columns.allSatisfy { !table.columns[$0].isNotNull }
    let standard: DeleteRule? = isLink || takesNull ? .nullify : nil
    let isStandard =
      standard.map { SchemaStatements.keeps($0, key, isLink: isLink) }
      ?? (key.isEnforced && key.onDelete == .noAction)
    let kept = [DeleteRule.nullify, .cascade, .deny, .noAction].first {
      SchemaStatements.keeps($0, key, isLink: isLink)
    }
    if !isStandard, let kept { arguments.append("deleteRule: .\(kept)") }
    let count = table.cardinalities.first { Set($0.columns) == Set(key.columns) }
    if counts, let bounds = count?.bounds {
      let upper = bounds.upperBound == .max ? ".max" : "\(bounds.upperBound)"
      arguments.append("count: \(bounds.lowerBound)...\(upper)")
    }
    return arguments
  }
}
