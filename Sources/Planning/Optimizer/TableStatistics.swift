package import Catalog
package import Columnar

/// What is known of the values of a column.
package struct ColumnStatistics: Sendable {
  /// A guess of the number of different values.
  package var distinctCount: Double?
  /// The share of rows that are NULL, 0 to 1.
  package var nullFraction: Double
  package var minimum: Value?
  package var maximum: Value?

  package init(
    distinctCount: Double? = nil, nullFraction: Double = 0, minimum: Value? = nil,
    maximum: Value? = nil
  ) {
    self.distinctCount = distinctCount
    self.nullFraction = nullFraction
    self.minimum = minimum
    self.maximum = maximum
  }
}

/// What is known of the rows of a table.
package struct TableStatistics: Sendable {
  /// The number of live rows, exact.
  package var rowCount: Double
  private let find: @Sendable (Int) -> ColumnStatistics?

  /// Statistics with one entry for each column of the table, or none.
  package init(rowCount: Double, columns: [ColumnStatistics] = []) {
    self.init(rowCount: rowCount) { columns.indices.contains($0) ? columns[$0] : nil }
  }

  /// Statistics that are made for a column when it is asked for.
  package init(rowCount: Double, column: @escaping @Sendable (Int) -> ColumnStatistics?) {
    self.rowCount = rowCount
    find = column
  }

  /// What is known of the column at an index of the table.
  package func column(_ index: Int) -> ColumnStatistics? { find(index) }
}

/// Where the optimiser asks for statistics.
package typealias StatisticsSource = @Sendable (ObjectID) -> TableStatistics?
