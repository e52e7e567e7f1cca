package import Columnar

/// One column that some operator of a statement's plan produces.
///
/// Identities are unique in a statement, so an expression can be moved between operators without
/// being rewritten; a column that nothing below produces is correlated with a query outside.
package struct ColumnID: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let number: Int32

  @inlinable package init(_ number: Int32) { self.number = number }

  @inlinable package static func < (left: ColumnID, right: ColumnID) -> Bool {
    left.number < right.number
  }

  package var description: String { "#\(number)" }
}

/// A column with what is known of it.
package struct PlanColumn: Hashable, Sendable {
  package var id: ColumnID
  /// The name that a result shows; also for EXPLAIN.
  package var name: String
  package var type: LogicalType

  package init(_ id: ColumnID, _ name: String, _ type: LogicalType) {
    self.id = id
    self.name = name
    self.type = type
  }
}

/// Gives out column identities for one statement.
package final class ColumnFactory {
  private var last: Int32

  /// A factory whose columns are numbered behind `last`.
  package init(after last: ColumnID = ColumnID(0)) { self.last = last.number }

  /// A column that nothing else is.
  package func make(_ name: String, _ type: LogicalType) -> PlanColumn {
    last += 1
    return PlanColumn(ColumnID(last), name, type)
  }
}
