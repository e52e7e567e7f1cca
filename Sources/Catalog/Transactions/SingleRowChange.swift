package import Columnar
package import Storage

/// What has become of a change of one row that was tried by itself.
package enum RowChangeOutcome: Sendable {
  /// It has to be carried out as a statement; nothing was changed.
  case refused
  /// There was nothing to change.
  case unchanged
  case changed
}

/// One row that is added or deleted, as the log takes it.
package enum RowEvent {
  case insert(RowImage, parents: Buffer<UInt32>)
  case delete(UInt32)
}

/// A change of one row that was made ready, so that it is carried out without a pipeline around it.
///
/// First it is looked at, then the log is told, then it is made: once the log has it, it cannot fail.
package protocol SingleRowChange: AnyObject {
  /// Finds a table; nil if there is none.
  typealias TableLookup = (ObjectID) -> TableStore?

  /// The table that it changes.
  var table: ObjectID { get }

  /// Looks whether and how the change can be made; changes nothing.
  ///
  /// - Parameters:
  ///   - store: the table as it is.
  ///   - tables: all others.
  /// - Returns: `changed` if it can be, in these very versions.
  /// - Complexity: O(1) in rows.
  func examine(_ store: TableStore, among tables: TableLookup) -> RowChangeOutcome

  /// Whether each row of a parent has as many rows as it needs after the change that was looked at last, if nothing
  /// else is committed with it.
  ///
  /// - Complexity: O(cardinality constraints).
  func keepsCounts(in store: TableStore) -> Bool

  /// The change that was looked at last.
  var event: RowEvent { get }

  /// Makes the change that was looked at last.
  func apply(to writer: RowWriter)
}
