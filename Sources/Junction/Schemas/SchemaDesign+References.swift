import Diagnostics

/// Foreign keys and junction tables, and what two relations say of one.
extension SchemaDesign {
  /// Adds a foreign key along which, or against which, a relation leads.
  mutating func refer(
    _ place: Place, child: Int, parent: Int, _ columns: [String]
  ) throws(SQLError) {
    let isToMany = place.declaration.kind != .one
    var reference = SchemaReference(
      columns: columns, parent: tables[parent].name,
      parentColumns: try key(of: parent, for: place), isLink: false)
    // One row against a foreign key is one only if no two refer to the same.
    reference.isUnique = !isToMany && child == place.to && child != place.from
    reference.rule = place.declaration.deleteRule.map { .init(value: $0, by: place.words) }
    if isToMany { reference.count = try count(place) }
    for column in columns where tables[child].column(column) == nil {
      tables[child].columns.append(
        SchemaColumn(name: column, type: SchemaType(name: Int.sqlType.name)))
    }
    if isToMany, case .named(let order) = place.declaration.order {
      addOrder(order, to: child)
    }
    try add(reference, to: child)
  }

  /// Adds both foreign keys of a junction table, and what makes it one.
  mutating func link(
    _ place: Place, through name: String, near: [String], far: [String]
  ) throws(SQLError) {
    let index = junction(name)
    for column in near + far where tables[index].column(column) == nil {
      tables[index].columns.append(
        SchemaColumn(name: column, type: SchemaType(name: Int.sqlType.name)))
    }
    if tables[index].key.isEmpty {
      tables[index].key = (near + far).sorted { a, b in
        columnPlace(a, index) < columnPlace(b, index)
      }
      tables[index].isKeySaid = true
      // A primary key sees to it that they are not NULL.
      for place in tables[index].columns.indices
      where tables[index].key.contains(tables[index].columns[place].name) {
        tables[index].columns[place].isNullable = nil
      }
    } else if !Set(near + far).isSubset(of: tables[index].key) {
      tables[index].addUnique(near + far)
    }
    if case .named(let order) = place.declaration.order { addOrder(order, to: index) }
    let rule = place.declaration.deleteRule.map { SchemaReference.Said(value: $0, by: place.words) }
    for (columns, parent) in [(near, place.from), (far, place.to)] {
      var reference = SchemaReference(
        columns: columns, parent: tables[parent].name,
        parentColumns: try key(of: parent, for: place), isLink: true)
      reference.rule = rule
      if columns == near { reference.count = try count(place) }
      try add(reference, to: index)
    }
  }

  /// The place of a column in its table.
  private func columnPlace(_ column: String, _ table: Int) -> Int {
    tables[table].columns.firstIndex { $0.name == column } ?? 0
  }

  private mutating func junction(_ name: String) -> Int {
    if let known = tables.firstIndex(where: { $0.name == name }) { return known }
    tables.append(SchemaTable(name: name, record: nil))
    return tables.count - 1
  }

  private mutating func addOrder(_ column: String, to table: Int) {
    if tables[table].column(column) != nil { return }
    tables[table].columns.append(
      SchemaColumn(name: column, type: SchemaType(name: Int32.sqlType.name)))
  }

  /// Adds a foreign key, or what is said of one that is there.
  ///
  /// - Throws: 42P16 where another relation says something else.
  private mutating func add(_ reference: SchemaReference, to table: Int) throws(SQLError) {
    let known = tables[table].references.firstIndex {
      $0.columns == reference.columns && $0.parent == reference.parent
    }
    var merged = reference
    if let known {
      let old = tables[table].references[known]
      merged.isLink = old.isLink || reference.isLink
      merged.isUnique = old.isUnique || reference.isUnique
      merged.rule = try Self.agreed(old.rule, reference.rule, "delete rules") { "\($0)" }
      merged.count = try Self.agreed(old.count, reference.count, "counts") { "\($0)" }
      tables[table].references[known] = merged
    } else {
      tables[table].references.append(merged)
    }
    if merged.isUnique { tables[table].addUnique(merged.columns) }
    try check(merged, of: tables[table])
  }

  private static func agreed<Value>(
    _ one: SchemaReference.Said<Value>?, _ other: SchemaReference.Said<Value>?, _ what: String,
    _ words: (Value) -> String
  ) throws(SQLError) -> SchemaReference.Said<Value>? {
    guard let one, let other, one.value != other.value else { return one ?? other }
    throw SQLError(
      .invalidTableDefinition,
      "relations \(one.by) and \(other.by) say different \(what) of one foreign key: \(words(one.value)) and \(words(other.value))",
      hint: "Say it at one of them, or the same at both.")
  }

  /// - Throws: 42P16 for rules that cannot be kept.
  private func check(_ reference: SchemaReference, of table: SchemaTable) throws(SQLError) {
    if let count = reference.count, let rule = reference.rule, rule.value == .noAction {
      throw SQLError(
        .invalidTableDefinition,
        "relation \(count.by) has a count, and \(rule.by) the delete rule noAction",
        detail: "Rows cannot be counted by a foreign key that is not enforced.",
        hint: "Leave out one of them.")
    }
    if !reference.isLink, let rule = reference.rule, rule.value == .nullify,
      let column = reference.columns.first(where: { table.column($0)?.isNullable == false })
    {
      throw SQLError(
        .invalidTableDefinition,
        "relation \(rule.by) has the delete rule nullify, but column \"\(column)\" of table \"\(table.name)\" takes no NULL",
        hint: "Make its property an optional, or say cascade or deny.")
    }
  }

  /// What a relation says of the number of rows.
  private func count(_ place: Place) throws(SQLError) -> SchemaReference.Said<ClosedRange<Int>>? {
    guard let count = place.declaration.count else { return nil }
    if count.lowerBound < 0 {
      throw SQLError(
        .invalidTableDefinition, "the count of relation \(place.words) begins below 0",
        hint: "Say count: 0...\(max(count.upperBound, 0)).")
    }
    return SchemaReference.Said(value: count, by: place.words)
  }

  // MARK: What is wrong

  /// The key by which rows of a table are referred to.
  ///
  /// - Throws: 42830 if there is none.
  func key(of table: Int, for place: Place) throws(SQLError) -> [String] {
    let key = tables[table].key
    if !key.isEmpty { return key }
    let record = tables[table].record ?? tables[table].name
    throw SQLError(
      .invalidForeignKey,
      "relation \(place.words) needs a key of record \(record), which has none",
      hint:
        "Give it a property id, or say which one it is: ColumnMapping(\"column\", \\.property, .primaryKey)."
    )
  }

  /// - Throws: 42830 where one column is to refer to several.
  func check(_ key: [String], _ column: String, _ place: Place) throws(SQLError) {
    if key.count == 1 { return }
    throw SQLError(
      .invalidForeignKey,
      "relation \(place.words) names column \"\(column)\", but the key that it refers to has \(key.count) columns",
      hint: "Leave the name out; the columns are then named after the table and its key.")
  }

  static func severalReferences(_ place: Place, _ names: [String]) -> SQLError {
    SQLError(
      .ambiguousFunction,
      "more than one relation of record \(place.declaration.to.typeName) leads back to \(place.words)",
      detail: "Candidates: \(names.joined(separator: ", ")).",
      hint:
        "Say which column of the other table refers: Many<\(place.declaration.to.typeName)>(from: \"…\")."
    )
  }

  static func severalJunctions(_ place: Place, _ names: [String]) -> SQLError {
    SQLError(
      .ambiguousFunction, "more than one junction table fits relation \(place.words)",
      detail: "Candidates: \(names.joined(separator: ", ")).",
      hint: "Say which: Many<\(place.declaration.to.typeName)>(through: \"…\").")
  }

  static func sameColumns(_ place: Place, _ columns: [String]) -> SQLError {
    SQLError(
      .ambiguousFunction,
      "both ends of relation \(place.words) would be column \(SchemaNames.list(columns))",
      hint:
        "Say the column that leads here at both directions: Many<\(place.declaration.to.typeName)>(through: \"…\", from: \"…\")."
    )
  }
}
