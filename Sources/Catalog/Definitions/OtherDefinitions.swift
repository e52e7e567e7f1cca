package import Columnar
package import SQLSyntax

/// What the catalog knows of one view: its query, bound anew for each statement that uses it.
package struct ViewDefinition: Sendable {
  package var id: ObjectID
  package var name: ObjectName
  /// Names of the output columns.
  package var columnNames: [String]
  package var columnTypes: [ColumnType]
  package var query: SelectStatement
  /// WITH CHECK OPTION: new rows written through the view must be rows of it.
  package var checkOption: CreateViewStatement.CheckOption?
  /// Defaults of columns, by index, for rows inserted through the view.
  package var columnDefaults: [Int: Expression] = [:]
  /// The tables, views and functions that the query uses, which cannot be dropped before it.
  package var dependencies: Set<ObjectID>
  package var isTemporary: Bool
  package var comment: String?

  package init(
    id: ObjectID, name: ObjectName, columnNames: [String], columnTypes: [ColumnType],
    query: SelectStatement, dependencies: Set<ObjectID>, isTemporary: Bool = false,
    comment: String? = nil
  ) {
    self.id = id
    self.name = name
    self.columnNames = columnNames
    self.columnTypes = columnTypes
    self.query = query
    self.dependencies = dependencies
    self.isTemporary = isTemporary
    self.comment = comment
  }
}

/// What the catalog knows of one sequence; its counter stands outside versions, as it never goes back.
package struct SequenceDefinition: Sendable {
  package var id: ObjectID
  package var name: ObjectName
  package var type: LogicalType
  package var start: Int64
  package var increment: Int64
  package var minimum: Int64
  package var maximum: Int64
  package var cycles: Bool
  /// The table and column that own it and take it along when they go.
  package var owner: (table: ObjectID, column: Int)?

  package init(
    id: ObjectID, name: ObjectName, type: LogicalType = .bigint, start: Int64 = 1,
    increment: Int64 = 1, minimum: Int64 = 1, maximum: Int64 = .max, cycles: Bool = false,
    owner: (table: ObjectID, column: Int)? = nil
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.start = start
    self.increment = increment
    self.minimum = minimum
    self.maximum = maximum
    self.cycles = cycles
    self.owner = owner
  }
}

/// A function made by CREATE FUNCTION whose body is SQL (or plpgsql that only returns a query).
package struct FunctionDefinition: Sendable {
  /// One argument.
  package struct Parameter: Sendable {
    package var name: String?
    package var type: ColumnType
    package var defaultValue: SQLSyntax.Expression?
    package var isVariadic: Bool

    package init(
      name: String?, type: ColumnType, defaultValue: SQLSyntax.Expression? = nil,
      isVariadic: Bool = false
    ) {
      self.name = name
      self.type = type
      self.defaultValue = defaultValue
      self.isVariadic = isVariadic
    }
  }
  /// What a call gives.
  package enum Result: Sendable {
    case scalar(ColumnType)
    /// SETOF one type.
    case set(ColumnType)
    /// RETURNS TABLE, several OUT parameters, or a row of a table or composite type.
    case table(RecordType, isSet: Bool)
    case void
  }
  /// The one named OUT parameter or TABLE column; with no other a call gives its value and not a row.
  package var soleOutput: RecordType.Field? {
    guard case .table(let record, _) = result, record.name == nil, record.fields.count == 1 else {
      return nil
    }
    return record.fields[0]
  }
  package var id: ObjectID
  package var name: ObjectName
  package var parameters: [Parameter]
  package var result: Result
  /// The statements of the body; the last one's rows are the result.
  package var body: [Statement]
  package var isStrict: Bool
  package var isVolatile: Bool
  /// The language as declared, `sql` or `plpgsql`.
  package var language: String
  /// The source text between the quotes, for `\sf` and `\df+`.
  package var source: String
  /// The body from BEGIN ATOMIC to END, if that is how it was written.
  package var atomicBody: String?
  /// In plpgsql a name that is both a column and a parameter is ambiguous except in ORDER BY; in SQL the column wins.
  package var comment: String?

  package init(
    id: ObjectID, name: ObjectName, parameters: [Parameter], result: Result, body: [Statement],
    isStrict: Bool, isVolatile: Bool, language: String, source: String, comment: String? = nil
  ) {
    self.id = id
    self.name = name
    self.parameters = parameters
    self.result = result
    self.body = body
    self.isStrict = isStrict
    self.isVolatile = isVolatile
    self.language = language
    self.source = source
    self.comment = comment
  }
}

/// A type made by CREATE TYPE or CREATE DOMAIN.
package struct TypeDefinition: Sendable {
  /// What kind of type it is.
  package enum Kind: Sendable {
    case enumeration(EnumerationType)
    case composite(RecordType)
    case domain(
      ColumnType, isNotNull: Bool, defaultValue: SQLSyntax.Expression?, checks: [CheckConstraint])
  }
  package var id: ObjectID
  package var name: ObjectName
  package var kind: Kind

  package init(id: ObjectID, name: ObjectName, kind: Kind) {
    self.id = id
    self.name = name
    self.kind = kind
  }

  /// Whether values of a type are of this one, or arrays of it.
  package func isUsed(by type: LogicalType) -> Bool {
    if case .array(let element) = type { return isUsed(by: element) }
    if case .enumeration(let used) = type, case .enumeration(let own) = kind { return used == own }
    if case .record(let used) = type, case .composite(let own) = kind { return used == own }
    return false
  }
}

/// What a domain asks of its values.
package struct Domain: Sendable {
  package var type: ColumnType
  package var isNotNull = false
  package var defaultValue: SQLSyntax.Expression?
  /// Conditions over the name `value`.
  package var checks: [CheckConstraint] = []

  package init(type: ColumnType) { self.type = type }

  /// The domain that a definition is of; nil for another kind of type.
  package init?(_ definition: TypeDefinition) {
    guard case .domain(let type, let isNotNull, let value, let checks) = definition.kind else {
      return nil
    }
    self.type = type
    self.isNotNull = isNotNull
    defaultValue = value
    self.checks = checks
  }
}
