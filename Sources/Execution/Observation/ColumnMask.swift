/// Some columns of a table, as far as a word tells them apart: those from the 64th on count as one.
///
/// - Invariant: it says that a column is in it if it is, and may say so of one that is not.
package struct ColumnMask: Sendable, Hashable {
  private var bits: UInt64

  private init(bits: UInt64) { self.bits = bits }

  package init(_ columns: some Sequence<Int>) {
    bits = 0
    for column in columns { insert(column) }
  }

  package static let none = ColumnMask(bits: 0)
  package static let all = ColumnMask(bits: .max)

  package mutating func insert(_ column: Int) { bits |= 1 &<< UInt64(min(column, 63)) }

  package mutating func formUnion(_ other: ColumnMask) { bits |= other.bits }

  package func union(_ other: ColumnMask) -> ColumnMask { ColumnMask(bits: bits | other.bits) }

  package func meets(_ other: ColumnMask) -> Bool { bits & other.bits != 0 }
}
