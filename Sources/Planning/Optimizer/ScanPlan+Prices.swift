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

  /// The price of an edge that is reached from the parent of a foreign key.
  ///
  /// Each column that is read from the edge's row is a step to another place in memory. The key of the other end alone is
  /// read from the index.
  package func edgeCost(_ foreign: ForeignKeyConstraint) -> Double {
    let read = columns.map(\.index).filter { !foreign.columns.contains($0) }
    if read.count == 1, table.foreignKeys.contains(where: { $0.columns == read }) { return 1 }
    return 1 + 0.7 * Double(read.count)
  }
}
