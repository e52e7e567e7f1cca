package import Diagnostics

/// What a table keeps besides its columns: which indexes, over what.
package struct TableLayout: Sendable, Hashable {
  /// A key index: UNIQUE, PRIMARY KEY, or a plain index.
  package struct Key: Sendable, Hashable {
    /// Columns of the table, in the order of the key.
    package var columns: [Int]
    package var isUnique: Bool
    /// Whether two NULLs count as equal.
    ///
    /// Otherwise a row with a NULL in the key is not entered at all.
    package var nullsNotDistinct: Bool
    /// The junction whose edges keep the key, by index; the key then has no index of its own.
    package var junction: Int?

    package init(
      columns: [Int], isUnique: Bool, nullsNotDistinct: Bool = false, junction: Int? = nil
    ) {
      self.columns = columns
      self.isUnique = isUnique
      self.nullsNotDistinct = nullsNotDistinct
      self.junction = junction
    }
  }

  /// A foreign key: for each row of this table, the position of a row of the parent.
  ///
  /// The caller finds parents through the parent's key index and hands their positions to the writer.
  package struct Reference: Sendable, Hashable {
    /// Columns of this table.
    package var columns: [Int]
    /// Tells parents apart, where the same columns refer to several.
    package var parent: UInt32

    package init(columns: [Int], parent: UInt32 = 0) {
      self.columns = columns
      self.parent = parent
    }
  }

  /// Two references that make each row an edge between two parents: a junction.
  ///
  /// Both references must be NOT NULL in every row, as rows without both are no edges.
  package struct Junction: Sendable, Hashable {
    /// Indices into `references`.
    package var from: Int
    package var to: Int
    /// Whether there is at most one row for two parents: a unique key over both foreign keys' columns,
    /// which the adjacency index enforces without a key index of its own.
    package var isUnique: Bool

    package init(from: Int, to: Int, isUnique: Bool) {
      self.from = from
      self.to = to
      self.isUnique = isUnique
    }
  }

  /// One adjacency index that a table keeps: from the rows of one parent to the rows of another, or to
  /// the rows of this table.
  struct Direction: Sendable, Hashable {
    var source: Int
    var target: Int?
    /// Which junction the direction is of.
    var junction: Int?
    /// Whether two edges between the same rows are looked for; of a junction in its first direction only.
    var isUnique: Bool
  }

  package var keys: [Key]
  package var references: [Reference]
  package var junctions: [Junction]

  package init(keys: [Key] = [], references: [Reference] = [], junctions: [Junction] = []) {
    self.keys = keys
    self.references = references
    self.junctions = junctions
  }

  /// Whether an index leads from the parents' rows of one reference to those of another.
  package func hasJunction(from: Int, to: Int) -> Bool {
    junctions.contains { ($0.from == from && $0.to == to) || ($0.from == to && $0.to == from) }
  }

  /// Both ways of each junction one behind the other, then the way from each parent that no junction
  /// starts from.
  var directions: [Direction] {
    var result: [Direction] = []
    for (index, junction) in junctions.enumerated() {
      result.append(
        Direction(
          source: junction.from, target: junction.to, junction: index, isUnique: junction.isUnique))
      result.append(
        Direction(source: junction.to, target: junction.from, junction: index, isUnique: false))
    }
    for reference in references.indices where !result.contains(where: { $0.source == reference }) {
      result.append(Direction(source: reference, target: nil, junction: nil, isUnique: false))
    }
    return result
  }
}

/// A row that would stand twice under a unique key, or that the statement had to end before all rows were looked at.
///
/// The writer that threw it has entered some rows already: go back to a version frozen before.
package struct KeyConflict: Error, Sendable, Hashable {
  /// What was violated.
  package enum Constraint: Sendable, Hashable {
    /// An index into `TableLayout.keys`.
    case key(Int)
    /// An index into `TableLayout.junctions`.
    case junction(Int)
  }
  package var constraint: Constraint
  /// The position of the row that came second.
  package var row: UInt32
  /// The position of the row that stood there.
  package var existing: UInt32
  /// What ended the statement; nil for a row that stands twice.
  package var interruption: SQLError?

  package init(constraint: Constraint, row: UInt32, existing: UInt32) {
    self.constraint = constraint
    self.row = row
    self.existing = existing
  }

  /// No conflict, but the end of a statement that was cancelled or ran out of time or memory.
  init(interruptedBy error: SQLError) {
    self.init(constraint: .key(0), row: 0, existing: 0)
    interruption = error
  }
}
