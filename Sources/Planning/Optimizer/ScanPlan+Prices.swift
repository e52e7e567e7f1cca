package import Catalog
import Columnar

extension ScanPlan {
  /// The price of a look-up by a key: whole numbers lead to rows by an array, other values are hashed and compared.
  ///
  /// A look-up finds rows that a filter then drops, where a hash join drops what would find them as it is read.
  package func lookupCost(_ key: [Int]) -> Double {
    if key.count > 1 { return 4 }
    let columns = table.columns
    let isArray = key.allSatisfy { columns.indices.contains($0) && columns[$0].type.isInteger }
    return isArray && filters.isEmpty ? 0.5 : 2
  }

  /// The price of an edge that is reached from the parent of a foreign key, in a table of `rows` rows.
  ///
  /// Each column that is read from the edge's row is a step to another place in memory, and a long one where the column is
  /// larger than what a processor keeps at hand: then it is as cheap to go through a fifth of the table. The key of the other end
  /// alone is read from the index.
  package func edgeCost(_ foreign: ForeignKeyConstraint, rows: Double) -> Double {
    let read = columns.map(\.index).filter { !foreign.columns.contains($0) }
    if read.isEmpty { return 1 }
    if read.count == 1, table.foreignKeys.contains(where: { $0.columns == read }) { return 1 }
    let isFar = rows > Self.nearRows
    return (isFar ? 2 : 1) + (isFar ? 1.4 : 0.7) * Double(read.count)
  }

  /// Columns of so many rows are as good as always in the processor's cache.
  private static let nearRows = 500_000.0
}
