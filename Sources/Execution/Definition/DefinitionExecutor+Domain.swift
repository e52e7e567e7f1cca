import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Domains: types with conditions, which columns of them and casts to them look at.
extension DefinitionExecutor {
  mutating func createDomain(_ statement: CreateDomainStatement) throws(SQLError) -> String {
    let name = try newName(statement.name)
    if catalog.typeNames[name] != nil || catalog.relations[name] != nil {
      throw SQLError(.duplicateObject, "type \"\(name.name)\" already exists")
    }
    let base = try collated(
      try environment.type(statement.type, in: catalog), statement.collation)
    switch base.type {
    case .unknown, .void:
      throw SQLError(
        .datatypeMismatch, "\"\(base.type.name)\" is not a valid base type for a domain")
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
      .character, .name, .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit,
      .varbit, .uuid, .json, .jsonb, .oid, .array, .record, .enumeration:
      break
    }
    var domain = Domain(type: base)
    // A domain over another one has what that one has.
    if statement.type.arrayBounds.isEmpty, let below = self.domain(statement.type)?.domain {
      domain = below
      domain.type = base
    }
    for constraint in statement.constraints {
      try add(constraint, to: &domain, name: name.name)
    }
    transaction.catalog.put(
      TypeDefinition(
        id: transaction.makeID(), name: name,
        kind: .domain(
          domain.type, isNotNull: domain.isNotNull, defaultValue: domain.defaultValue,
          checks: domain.checks)))
    return "CREATE DOMAIN"
  }

  private func add(
    _ constraint: ColumnConstraint, to domain: inout Domain, name: String
  ) throws(SQLError) {
    try Self.checkEnforced(constraint)
    switch constraint.kind {
    case .notNull: domain.isNotNull = true
    case .null: domain.isNotNull = false
    case .defaultValue(let value):
      _ = try environment.bind(
        value, as: .defaultValue(column: "value", domain.type), in: catalog)
      domain.defaultValue = value
    case .check(let expression):
      let table = Self.table(of: domain, named: name)
      _ = try environment.bind(expression, as: .check(table), in: catalog)
      var checkName = constraint.name?.name ?? "\(name)_check"
      var number = 1
      while domain.checks.contains(where: { $0.name == checkName }) {
        checkName = "\(name)_check\(number)"
        number += 1
      }
      domain.checks.append(CheckConstraint(name: checkName, expression: expression))
    case .primaryKey: throw misplaced("primary key", constraint)
    case .unique: throw misplaced("unique", constraint)
    case .references: throw misplaced("foreign key", constraint)
    case .generated, .identity:
      throw SQLError.unsupported("a generated domain", at: constraint.range)
    }
  }

  private func misplaced(_ what: String, _ constraint: ColumnConstraint) -> SQLError {
    SQLError(
      .syntaxError, "\(what) constraints not possible for domains", at: constraint.range)
  }

  /// The domain that a type's name means, if it means one.
  func domain(_ name: TypeName) -> (id: ObjectID, domain: Domain)? {
    guard !name.isStandard, !name.isColumnType,
      let type = catalog.type(
        schema: name.name.qualifier, named: name.name.name, searchPath: environment.searchPath),
      let domain = Domain(type)
    else { return nil }
    return (type.id, domain)
  }

  /// Gives a column of a domain what the domain asks of its values.
  func apply(
    _ name: TypeName, to index: Int, in building: inout TableBuilding
  ) {
    guard name.arrayBounds.isEmpty, let (id, domain) = domain(name) else { return }
    let column = building.table.columns[index].name
    building.table.columns[index].domain = id
    if domain.isNotNull { building.table.columns[index].isNotNull = true }
    if let value = domain.defaultValue {
      building.table.columns[index].defaultValue = .expression(value)
    }
    for check in domain.checks {
      var checkName = check.name
      var number = 1
      while building.table.checks.contains(where: { $0.name == checkName }) {
        checkName = "\(check.name)\(number)"
        number += 1
      }
      building.table.checks.append(
        CheckConstraint(
          name: checkName, expression: Self.applied(check.expression, to: column)))
    }
  }
}
