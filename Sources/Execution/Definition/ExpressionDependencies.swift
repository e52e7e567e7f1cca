import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// What rests on a function or a type by an expression.
///
/// Expressions of definitions do not write down what they use: they are bound to see it. What stands inside the body of
/// another function is that function's matter, unless the body was bound when it was made.
extension DefinitionExecutor {
  /// The users of a function or type, other than columns and parameters of the type.
  func addUsers(of id: ObjectID, add: (DroppedObject) -> Void) {
    var found: [(owner: ObjectID, object: DroppedObject)] = []
    for table in catalog.tables.values {
      addParts(of: table, using: id) { found.append((table.id, $0)) }
    }
    for table in materialized(on: id) { found.append((table.id, .table(table.id))) }
    for view in catalog.views.values where view.id != id {
      if view.dependencies.contains(id) {
        found.append((view.id, .view(view.id)))
        continue
      }
      for (index, value) in view.columnDefaults.sorted(by: { $0.key < $1.key })
      where view.columnNames.indices.contains(index) {
        let purpose = RowExpressionPurpose.defaultValue(
          column: view.columnNames[index], view.columnTypes[index])
        guard uses(value, as: purpose, id) else { continue }
        found.append((view.id, .defaultValue(table: view.id, column: view.columnNames[index])))
      }
    }
    for type in catalog.types.values {
      addParts(of: type, using: id) { found.append((type.id, $0)) }
    }
    for other in catalog.functions.values where other.id != id && uses(other, id) {
      found.append((other.id, .function(other.id)))
    }
    // Of the parts of one object the order stays as it is.
    for place in found.indices.sorted(by: { (found[$0].owner, $0) < (found[$1].owner, $1) }) {
      add(found[place].object)
    }
  }

  private func uses(
    _ expression: Expression, as purpose: RowExpressionPurpose, _ used: ObjectID
  ) -> Bool {
    guard names(expression, used) else { return false }
    // What cannot be bound is taken to use it.
    guard let bound = try? environment.bind(expression, as: purpose, in: catalog) else {
      return true
    }
    return bound.dependencies.contains(used)
  }

  /// Whether an expression names a function or type itself, or another one of the name.
  private func names(_ expression: Expression, _ used: ObjectID) -> Bool {
    if let function = catalog.functions[used] {
      return expression.functionNames.contains { $0.name == function.name.name }
    }
    guard let type = catalog.types[used] else { return false }
    return expression.typeNames.contains { $0.name == type.name.name }
  }

  private func addParts(
    of table: TableDefinition, using used: ObjectID, add: (DroppedObject) -> Void
  ) {
    for column in table.columns {
      if let generated = column.generated {
        if uses(
          generated, as: .generated(table, column: column.name, column.columnType), used)
        {
          add(.column(table: table.id, name: column.name))
        }
      } else if case .expression(let value) = column.defaultValue, !isOfDomain(value, column),
        uses(value, as: .defaultValue(column: column.name, column.columnType), used)
      {
        add(.defaultValue(table: table.id, column: column.name))
      }
    }
    for check in table.checks
    where !isOfDomain(check, table) && uses(check.expression, as: .check(table), used) {
      add(.constraint(table: table.id, name: check.name))
    }
    for index in table.indexes {
      let isUser =
        index.keys.contains { key in
          guard case .expression(let expression, _) = key else { return false }
          return uses(expression, as: .index(table), used)
        } || index.predicate.map { uses($0, as: .indexPredicate(table), used) } ?? false
      if isUser { add(.index(table: table.id, name: index.name)) }
    }
  }

  // MARK: Domains

  private func addParts(
    of type: TypeDefinition, using used: ObjectID, add: (DroppedObject) -> Void
  ) {
    guard let domain = Domain(type) else { return }
    if let value = domain.defaultValue,
      uses(value, as: .defaultValue(column: "value", domain.type), used)
    {
      add(.type(type.id))
    }
    let table = Self.table(of: domain, named: type.name.name)
    for check in domain.checks where uses(check.expression, as: .check(table), used) {
      add(.domainCheck(type.id, name: check.name))
    }
  }

  /// A table of one column, VALUE, over which the conditions of a domain are bound.
  static func table(of domain: Domain, named name: String) -> TableDefinition {
    TableDefinition(
      id: ObjectID(0), name: ObjectName(schema: "pg_temp", name),
      columns: [TableColumn(name: "value", columnType: domain.type)])
  }

  /// Whether the default of a column is that of its domain.
  private func isOfDomain(_ value: Expression, _ column: TableColumn) -> Bool {
    guard let domain = column.domain.flatMap({ catalog.types[$0] }).flatMap(Domain.init),
      let own = domain.defaultValue
    else { return false }
    return SQLPrinter.text(of: own) == SQLPrinter.text(of: value)
  }

  /// Whether a check of a table is one that a column got from its domain.
  private func isOfDomain(_ check: CheckConstraint, _ table: TableDefinition) -> Bool {
    let written = SQLPrinter.text(of: check.expression)
    return table.columns.contains { column in
      guard let domain = column.domain.flatMap({ catalog.types[$0] }).flatMap(Domain.init) else {
        return false
      }
      return domain.checks.contains {
        SQLPrinter.text(of: Self.applied($0.expression, to: column.name)) == written
      }
    }
  }

  /// The condition of a domain as one of a column.
  static func applied(_ condition: Expression, to column: String) -> Expression {
    TreeMapper(column: { name in
      name.parts.count == 1 && name.name == "value" ? QualifiedName(Identifier(column)) : name
    }).map(condition)
  }

  /// Takes a condition from a domain, and from the columns that got it.
  func removeCheck(_ name: String, ofDomain id: ObjectID) throws(SQLError) {
    guard var type = catalog.types[id],
      case .domain(let base, let isNotNull, let value, var checks) = type.kind,
      let place = checks.firstIndex(where: { $0.name == name })
    else { return }
    let check = checks.remove(at: place)
    for table in catalog.tables.values {
      let columns = table.columns.filter { $0.domain == id }
      if columns.isEmpty { continue }
      let copies = Set(
        columns.map { SQLPrinter.text(of: Self.applied(check.expression, to: $0.name)) })
      var copy = table
      copy.checks.removeAll { copies.contains(SQLPrinter.text(of: $0.expression)) }
      if copy.checks.count < table.checks.count { try transaction.setDefinition(copy) }
    }
    type.kind = .domain(base, isNotNull: isNotNull, defaultValue: value, checks: checks)
    transaction.catalog.put(type)
  }

  // MARK: Functions

  /// Whether a function's defaults use a function or type, or its body as it was bound.
  private func uses(_ user: FunctionDefinition, _ used: ObjectID) -> Bool {
    let isDefaultUser = user.parameters.contains { parameter in
      guard let value = parameter.defaultValue else { return false }
      return uses(
        value, as: .defaultValue(column: parameter.name ?? "", parameter.type), used)
    }
    if isDefaultUser { return true }
    guard user.atomicBody != nil else { return false }
    let names = user.body.contains { statement in
      guard case .select(let query) = statement else { return false }
      if let function = catalog.functions[used] {
        return query.functionNames.contains { $0.name == function.name.name }
      }
      return catalog.types[used].map { type in
        query.typeNames.contains { $0.name == type.name.name }
      } ?? false
    }
    guard names else { return false }
    return (try? environment.check(user, in: catalog).contains(used)) ?? true
  }
}
