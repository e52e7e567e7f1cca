package import Diagnostics

/// Statements about transactions.
package enum TransactionStatement: Sendable, Hashable {
  /// BEGIN or START TRANSACTION.
  case begin(TransactionModes)
  /// COMMIT or END; `chain` is AND CHAIN.
  case commit(chain: Bool)
  /// ROLLBACK or ABORT.
  case rollback(chain: Bool)
  case savepoint(Identifier)
  case release(Identifier)
  case rollbackTo(Identifier)
  /// PREPARE TRANSACTION, COMMIT PREPARED and ROLLBACK PREPARED, by their words.
  case twoPhase(String)
}

/// The modes of a transaction that were written.
package struct TransactionModes: Sendable, Hashable {
  package enum Isolation: String, Sendable, Hashable {
    case readUncommitted = "read uncommitted"
    case readCommitted = "read committed"
    case repeatableRead = "repeatable read"
    case serializable = "serializable"
  }
  package var isolation: Isolation?
  package var isReadOnly: Bool?
  package var isDeferrable: Bool?

  /// No modes.
  package init() {}
}

/// SET, RESET and SHOW of settings.
package struct SettingStatement: Sendable {
  package enum Scope: Sendable, Hashable { case session, local }
  package enum Action: Sendable {
    /// SET name = values.
    case set([DefinitionOption.Value])
    /// SET name TO DEFAULT, or RESET name.
    case reset
    /// RESET ALL; the name is empty.
    case resetAll
    case show
    /// SHOW ALL; the name is empty.
    case showAll
    /// `SET TRANSACTION modes`; the name is `transaction`.
    case transactionModes(TransactionModes)
    /// `SET SESSION CHARACTERISTICS AS TRANSACTION modes`; the name is `session characteristics`.
    case sessionModes(TransactionModes)
  }
  /// The setting's name in lower case, dotted ones included: `SET TIME ZONE` is `timezone`, `SET
  /// NAMES` `client_encoding`, `SET SCHEMA` `search_path`, `SET ROLE` `role`.
  package var name: String
  package var scope: Scope
  package var action: Action
  package var range: SourceRange
}

/// SET CONSTRAINTS.
package struct SetConstraintsStatement: Sendable {
  /// The constraints; none means ALL.
  package var names: [QualifiedName]
  package var isDeferred: Bool
  package var range: SourceRange
}

/// EXPLAIN.
package struct ExplainStatement: Sendable {
  package var statement: Statement
  /// Options by name in lower case; `EXPLAIN ANALYZE VERBOSE` gives `analyze` and `verbose`.
  package var options: [DefinitionOption]
  package var range: SourceRange
}

/// PREPARE.
package struct PrepareStatement: Sendable {
  package var name: Identifier
  package var parameterTypes: [TypeName]
  package var statement: Statement
  package var range: SourceRange
}

/// EXECUTE.
package struct ExecuteStatement: Sendable {
  package var name: Identifier
  package var arguments: [Expression]
  package var range: SourceRange
}

/// DECLARE CURSOR.
package struct DeclareCursorStatement: Sendable {
  package var name: Identifier
  package var query: SelectStatement
  package var isBinary: Bool
  /// SCROLL is true, NO SCROLL false.
  package var isScroll: Bool?
  package var isHold: Bool
  package var range: SourceRange
}

/// FETCH or MOVE.
package struct FetchStatement: Sendable {
  package enum Direction: Sendable, Hashable {
    /// The next n rows, or for negative n the previous ones; nil is ALL.
    case forward(Int64?)
    case backward(Int64?)
    case absolute(Int64)
    case relative(Int64)
  }
  package var cursor: Identifier
  package var direction: Direction
  /// Whether it is MOVE.
  package var isMove: Bool
  package var range: SourceRange
}

/// VACUUM, ANALYZE, REINDEX and CLUSTER.
package struct MaintenanceStatement: Sendable {
  package enum Kind: String, Sendable, Hashable {
    case vacuum = "VACUUM"
    case analyze = "ANALYZE"
    case reindex = "REINDEX"
    case cluster = "CLUSTER"
  }
  /// What the name of REINDEX is one of.
  package enum Scope: Sendable, Hashable {
    case index, table, schema, database
  }
  package var kind: Kind
  package var scope = Scope.table
  package var options: [DefinitionOption]
  /// The tables with the columns to look at; none means all.
  package var tables: [Target]
  package var range: SourceRange

  /// One table.
  package struct Target: Sendable {
    package var name: QualifiedName
    package var columns: [Identifier]
  }
}

/// DESCRIBE, SUMMARIZE and SHOW TABLES.
package struct DescribeStatement: Sendable {
  /// What is described.
  package enum Subject: Sendable {
    /// All tables and views.
    case tables
    /// A table, a view or a file.
    case relation(NamedTable)
    case query(SelectStatement)
  }
  package var subject: Subject
  /// Whether values are summed up rather than columns listed.
  package var isSummary: Bool
  package var range: SourceRange

  package init(_ subject: Subject, isSummary: Bool, range: SourceRange = .none) {
    self.subject = subject
    self.isSummary = isSummary
    self.range = range
  }
}

/// LOCK TABLE.
package struct LockStatement: Sendable {
  package var tables: [NamedTable]
  /// The mode in capitals, such as `ACCESS EXCLUSIVE`.
  package var mode: String
  package var isNoWait: Bool
  package var range: SourceRange
}

/// GRANT and REVOKE, which are read and accepted.
package struct PrivilegeStatement: Sendable, Hashable {
  package var isGrant: Bool
  package var range: SourceRange
}
