package import Diagnostics

/// INSERT.
package struct InsertStatement: Sendable {
  /// The rows.
  package enum Source: Sendable {
    /// `DEFAULT VALUES`.
    case defaultValues
    /// `VALUES (…), …`, in which DEFAULT may stand for a value.
    case values(ValuesList)
    /// Any other query.
    case query(SelectStatement)
  }
  /// Which of identity columns' values win.
  package enum Overriding: String, Sendable, Hashable {
    case system = "SYSTEM"
    case user = "USER"
  }
  /// WITH before INSERT.
  package var with: WithClause?
  /// The table and its alias.
  package var table: NamedTable
  /// The columns, each possibly with a field or subscript; none means all.
  package var columns: [AssignmentTarget]
  /// OVERRIDING … VALUE.
  package var overriding: Overriding?
  /// The rows.
  package var source: Source
  /// ON CONFLICT.
  package var onConflict: OnConflict?
  /// RETURNING.
  package var returning: [SelectItem]
  /// Where it stands.
  package var range: SourceRange
}

/// The place that an assignment goes to: a column, or a part of one.
package struct AssignmentTarget: Sendable {
  /// A step into the column's value.
  package enum Step: Sendable {
    case field(Identifier)
    case element(Subscript)
  }
  /// The column.
  package var column: Identifier
  /// Steps into it, mostly none.
  package var steps: [Step]
  /// Where it stands.
  package var range: SourceRange
}

/// ON CONFLICT.
package struct OnConflict: Sendable {
  /// Which conflicts are meant.
  package enum Target: Sendable {
    /// Any.
    case any
    /// Those on an index over these columns, of rows that meet the condition.
    case columns([IndexElement], filter: Expression?)
    /// Those on this constraint.
    case constraint(Identifier)
  }
  /// What to do.
  package enum Action: Sendable {
    case nothing
    case update([Assignment], filter: Expression?)
  }
  /// Which conflicts are meant.
  package var target: Target
  /// What to do.
  package var action: Action
  /// Where it stands.
  package var range: SourceRange
}

/// One entry of SET.
package enum Assignment: Sendable {
  /// `column = value`.
  case single(AssignmentTarget, Expression)
  /// `(a, b) = value`, where the value is a row, a subquery, or any row-valued expression.
  case multiple([AssignmentTarget], Expression)
}

/// UPDATE.
package struct UpdateStatement: Sendable {
  package var with: WithClause?
  package var table: NamedTable
  package var assignments: [Assignment]
  package var from: [TableReference]
  package var filter: Expression?
  package var returning: [SelectItem]
  package var range: SourceRange
}

/// DELETE.
package struct DeleteStatement: Sendable {
  package var with: WithClause?
  package var table: NamedTable
  package var using: [TableReference]
  package var filter: Expression?
  package var returning: [SelectItem]
  package var range: SourceRange
}

extension InsertStatement {
  /// `INSERT INTO table (column, …)` of some rows.
  package init(into table: NamedTable, _ columns: [AssignmentTarget], _ source: Source) {
    self.init(
      with: nil, table: table, columns: columns, overriding: nil, source: source, onConflict: nil,
      returning: [], range: table.range)
  }
}

extension AssignmentTarget {
  /// A column as a whole.
  package init(_ column: String) {
    self.init(column: Identifier(column), steps: [], range: .none)
  }
}

extension OnConflict {
  /// What is to be done about some conflicts.
  package init(_ target: Target, _ action: Action) {
    self.init(target: target, action: action, range: .none)
  }
}

extension UpdateStatement {
  /// `UPDATE table SET …`.
  package init(_ table: NamedTable, _ assignments: [Assignment]) {
    self.init(
      with: nil, table: table, assignments: assignments, from: [], filter: nil, returning: [],
      range: table.range)
  }
}

extension DeleteStatement {
  /// `DELETE FROM table`.
  package init(from table: NamedTable) {
    self.init(
      with: nil, table: table, using: [], filter: nil, returning: [], range: table.range)
  }
}

/// MERGE.
package struct MergeStatement: Sendable {
  /// What a WHEN does.
  package enum Action: Sendable {
    case nothing
    case delete
    case update([Assignment])
    /// `values` is nil for DEFAULT VALUES.
    case insert(
      columns: [AssignmentTarget], overriding: InsertStatement.Overriding?, values: [Expression]?)
  }
  /// One WHEN.
  package struct Branch: Sendable {
    /// Whether it is WHEN MATCHED.
    package var isMatched: Bool
    /// The condition after AND.
    package var condition: Expression?
    package var action: Action
    package var range: SourceRange
  }
  package var with: WithClause?
  package var table: NamedTable
  package var source: TableReference
  package var condition: Expression
  package var branches: [Branch]
  package var range: SourceRange
}

/// TRUNCATE.
package struct TruncateStatement: Sendable {
  package var tables: [NamedTable]
  package var restartsIdentity: Bool
  package var isCascade: Bool
  package var range: SourceRange
}

/// COPY.
package struct CopyStatement: Sendable {
  /// What is copied.
  package enum Subject: Sendable {
    case table(QualifiedName, columns: [Identifier])
    /// A query or a statement with RETURNING, in parentheses.
    case query(Statement)
  }
  /// The other end.
  package enum Endpoint: Sendable, Hashable {
    case file(String)
    case program(String)
    case standardStream
  }
  package var subject: Subject
  /// Whether it is COPY … FROM.
  package var isFrom: Bool
  package var endpoint: Endpoint
  /// Options by their modern names, also if written in the old way (`CSV HEADER` is `format csv,
  /// header true`); REJECTS 'file' is the option `rejects`.
  package var options: [DefinitionOption]
  package var filter: Expression?
  package var range: SourceRange
}

/// One option of the form `name [= value]`.
package struct DefinitionOption: Sendable {
  /// The value of an option.
  package enum Value: Sendable, Hashable {
    /// A bare word, folded to lower case.
    case word(String)
    case string(String)
    case integer(Int64)
    case decimal(String)
    case boolean(Bool)
    /// A list of words or strings, such as the columns of FORCE_QUOTE.
    case list([String])
    /// `*`.
    case all
  }
  /// The name, in lower case; a qualified one with its dot.
  package var name: String
  /// The value, if one was given.
  package var value: Value?
  package var range: SourceRange
}
