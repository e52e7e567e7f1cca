package import Catalog
package import SQLSyntax

/// A query in another system's words.
package struct TranslatedQuery: Sendable {
  /// A recursion whose rounds somebody has to make: the system has no statement for it.
  ///
  /// The rows of `anchor` are the first found. `step` leads on from those found last, which it reads as `NAME_new`. Rows that were
  /// found before are dropped, until none is left. All that were found are then read as `NAME`. Rows are the same if all of their
  /// columns are, or only those of `keys`.
  package struct Rounds: Sendable {
    package var name: String
    package var anchor: SelectStatement
    package var step: SelectStatement
    package var keys: [String]?
  }
  /// The recursions, each before what reads it.
  package var rounds: [Rounds]
  package var statement: SelectStatement
  /// Whether it gathers values into arrays or JSON in an order that nothing settles.
  package var gathersInAnyOrder = false
}

/// Which table a query is to read for one of the database.
package struct TableChoice: Sendable {
  package var name: QualifiedName
  /// Whether it is so small that each machine had better have all of it.
  package var isSmall: Bool

  /// Whether the rows of tables that inherit from it are to be left out.
  package var isOnly: Bool

  package init(_ name: QualifiedName, isSmall: Bool = false, isOnly: Bool = false) {
    self.name = name
    self.isSmall = isSmall
    self.isOnly = isOnly
  }
}

/// Chooses the table by its definition and the columns that a query joins it on, those that lead to large tables first.
package typealias TableChooser = @Sendable (TableDefinition, _ joined: [Int]) -> TableChoice
