package import Diagnostics

/// A record that is no row of the table, and why.
package struct RejectedRecord: Sendable {
  /// The line, counted from 1, on which the record starts.
  package let line: Int
  /// The byte, counted from 0, at which it starts in the file.
  package let offset: Int
  /// The column at fault, if it is one.
  package let column: String?
  /// The value at fault, if the column's type does not have it.
  package let value: [UInt8]?
  /// What is wrong.
  package let error: SQLError
  /// The record as it stands in the file, or put together again from its fields.
  package let text: [UInt8]

  package init(
    line: Int, offset: Int, column: String? = nil, value: [UInt8]? = nil, error: SQLError,
    text: [UInt8] = []
  ) {
    self.line = line
    self.offset = offset
    self.column = column
    self.value = value
    self.error = error
    self.text = text
  }
}

/// Records that an earlier reading of the same bytes has found to break a rule of their table.
package struct KnownFaults: Sendable {
  /// Why, by the byte at which the record starts in the file.
  package private(set) var errors: [Int: SQLError] = [:]
  /// The keys of `errors`, rising.
  private var places: [Int] = []

  package init() {}

  /// Adds records.
  package mutating func add(_ records: [RejectedRecord]) {
    for record in records { errors[record.offset] = record.error }
    places = errors.keys.sorted()
  }

  /// Whether a record that starts in `range` is known.
  ///
  /// - Complexity: O(log *n*).
  func hasAny(in range: Range<Int>) -> Bool {
    var lower = 0
    var upper = places.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if places[middle] < range.lowerBound { lower = middle + 1 } else { upper = middle }
    }
    return lower < places.count && places[lower] < range.upperBound
  }
}
