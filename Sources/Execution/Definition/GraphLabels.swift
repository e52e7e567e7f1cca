import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// The labels and properties of element tables.
extension DefinitionExecutor {
  /// A label with its properties; without a name of its own it has the element's.
  ///
  /// - Throws: 42703, 42701 for a property that comes twice, and what binding expressions throws.
  func bind(
    _ written: GraphLabel, of element: String, _ table: TableDefinition
  ) throws(SQLError) -> PropertyGraphDefinition.Label {
    var label = PropertyGraphDefinition.Label(
      name: written.name?.name ?? element, properties: [])
    switch written.properties {
    case .none: break
    case .all: label.properties = table.columns.indices.map { property($0, of: table) }
    case .allExcept(let names):
      var excluded: Set<Int> = []
      for name in names { excluded.insert(try columnIndex(name, of: table)) }
      label.properties = table.columns.indices.filter { !excluded.contains($0) }
        .map { property($0, of: table) }
    case .list(let list):
      for item in list {
        let bound = try bind(item, table)
        if label.properties.contains(where: { $0.name == bound.name }) {
          throw SQLError(
            .duplicateColumn, "property \"\(bound.name)\" specified more than once",
            at: item.value.range)
        }
        label.properties.append(bound)
      }
    }
    return label
  }

  private func property(
    _ column: Int, of table: TableDefinition
  ) -> PropertyGraphDefinition.Property {
    PropertyGraphDefinition.Property(
      name: table.columns[column].name, type: table.columns[column].columnType,
      value: .column(column))
  }

  /// A property as it is written.
  ///
  /// - Throws: 42601 for an expression without a name, and what binding it throws.
  func bind(
    _ written: GraphProperty, _ table: TableDefinition
  ) throws(SQLError) -> PropertyGraphDefinition.Property {
    var name = written.name?.name
    var column: Int?
    // Names stand for columns of the table alone, so that they need not say whose.
    let plain = TreeMapper(column: { name in
      let owner = name.parts.dropLast().map(\.name)
      guard owner == [table.name.name] || owner == [table.name.schema, table.name.name],
        let column = name.parts.last
      else { return name }
      return QualifiedName([column], at: name.range)
    }).map(written.value)
    if case .column(let column_) = plain.kind {
      name = name ?? column_.name
      if column_.parts.count == 1 { column = table.column(named: column_.name) }
    }
    guard let name else {
      throw SQLError(
        .syntaxError, "property name required", at: written.value.range,
        hint: "Write AS and a name behind the expression.")
    }
    if let column {
      var property = property(column, of: table)
      property.name = name
      return property
    }
    let bound = try environment.bind(plain, as: .graphProperty(table), in: catalog)
    for name in plain.columnNames where table.column(named: name.name) == nil {
      throw SQLError.unsupported("a whole row in a property expression", at: name.range)
    }
    try checkPropertyType(bound.expression.type, of: name, at: written.value.range)
    return PropertyGraphDefinition.Property(
      name: name, type: ColumnType(bound.expression.type, bound.modifier),
      value: .expression(plain))
  }

  private func checkPropertyType(
    _ type: LogicalType, of name: String, at range: SourceRange
  ) throws(SQLError) {
    switch type {
    case .record(let record) where record.name == nil: break
    case .unknown, .void: break
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .array, .record, .enumeration:
      return
    }
    throw SQLError(
      .invalidTableDefinition, "property \"\(name)\" has pseudo-type \(type.name)", at: range)
  }

  // MARK: Rules

  /// Checks an element by itself and with all other elements of its graph.
  ///
  /// - Throws: 42710 for a label that it has twice, 42P17 for a property that has two values, and for a label whose
  ///   properties are not those that it has elsewhere; 42804 for a property of another type than elsewhere.
  func check(
    _ element: GraphElement, against graph: PropertyGraphDefinition, at range: SourceRange
  ) throws(SQLError) {
    try checkLabels(of: element, at: range)
    var types: [String: (type: ColumnType, element: String)] = [:]
    var labels: [String: (properties: Set<String>, element: String)] = [:]
    for other in graph.vertices + graph.edges where other.name != element.name {
      for property in other.properties { types[property.name] = (property.type, other.name) }
      for label in other.labels {
        labels[label.name] = (Set(label.properties.map(\.name)), other.name)
      }
    }
    for property in element.properties {
      guard let known = types[property.name], known.type.type != property.type.type else {
        continue
      }
      throw SQLError(
        .datatypeMismatch,
        "property \"\(property.name)\" data type mismatch: \(property.type.type.name) in element"
          + " \"\(element.name)\" vs. \(known.type.type.name) in element \"\(known.element)\"",
        at: range,
        detail: "In a property graph, a property of the same name has to have the same data type"
          + " in each label.",
        hint: "Write PROPERTIES (...) with a cast or another name, or leave the column out with"
          + " PROPERTIES ALL COLUMNS EXCEPT (\(SQLPrinter.quoted(property.name))).")
    }
    for label in element.labels {
      let own = Set(label.properties.map(\.name))
      guard let known = labels[label.name], known.properties != own else { continue }
      throw SQLError(
        .invalidObjectDefinition, "mismatching properties in definition of label \"\(label.name)\"",
        at: range,
        detail:
          "\(Self.difference(own, element.name, known.properties, known.element)) The elements"
          + " of a label have to have properties of the same names.")
    }
  }

  private func checkLabels(of element: GraphElement, at range: SourceRange) throws(SQLError) {
    var labels: Set<String> = []
    var values: [String: String] = [:]
    for label in element.labels {
      guard labels.insert(label.name).inserted else {
        throw SQLError(
          .duplicateObject,
          "label \"\(label.name)\" specified more than once for element \"\(element.name)\"",
          at: range)
      }
      for property in label.properties {
        let text = try text(of: property, element)
        if let known = values[property.name], known != text {
          throw SQLError(
            .invalidObjectDefinition,
            "element \"\(element.name)\" property \"\(property.name)\" expression mismatch:"
              + " \(text) vs. \(known)", at: range,
            detail: "In a property graph element, a property of the same name has to have the same"
              + " expression in each label.")
        }
        values[property.name] = text
      }
    }
  }

  private func text(
    of property: PropertyGraphDefinition.Property, _ element: GraphElement
  ) throws(SQLError) -> String {
    switch property.value {
    case .column(let column): SQLPrinter.quoted(try elementTable(element).columns[column].name)
    case .expression(let expression): SQLPrinter.text(of: expression)
    }
  }

  /// One sentence for each side that has what the other lacks.
  private static func difference(
    _ own: Set<String>, _ element: String, _ known: Set<String>, _ other: String
  ) -> String {
    func sentence(_ names: Set<String>, _ owner: String, _ lacking: String) -> String? {
      if names.isEmpty { return nil }
      let list = names.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
      return "Element \"\(owner)\" has \(list), and \"\(lacking)\" has not."
    }
    let sentences = [
      sentence(own.subtracting(known), element, other),
      sentence(known.subtracting(own), other, element),
    ]
    return sentences.compactMap { $0 }.joined(separator: " ")
  }
}
