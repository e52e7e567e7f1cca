import Catalog
import Columnar
import Planning
import Storage

extension AdjacencyStep {
  /// Notes that the edges of some parents are read.
  func note(
    edgesOf parents: Buffer<UInt32>, count: Int, _ edges: TableStore, _ reads: ReadNotes
  ) {
    var columns = ColumnMask(stored: edgeColumns)
    columns.formUnion(ColumnMask(edgeTable.foreignKeys[from].columns))
    if let to { columns.formUnion(ColumnMask(edgeTable.foreignKeys[to].columns)) }
    reads.note(
      edgesOf: parents, count: count, in: edges, edgeTable.id, reference: from, columns)
  }
}

extension ReadNotes {
  /// Notes rows of a set.
  func note(_ set: ReachedSet, of table: TableDefinition, _ columns: ColumnMask) {
    guard let store = set.table else { return }
    guard let list = set.list else { return note(all: table.id, columns) }
    note(rows: list, count: set.count, of: store, table.id, columns)
  }
}

extension AdjacencyStep {
  /// Notes that the edges of a set of parents are read.
  func note(edgesOf parents: ReachedSet, _ edges: TableStore, _ reads: ReadNotes) {
    if let list = parents.list {
      return note(edgesOf: list, count: parents.count, edges, reads)
    }
    var columns = ColumnMask(edgeTable.foreignKeys[from].columns)
    if let to { columns.formUnion(ColumnMask(edgeTable.foreignKeys[to].columns)) }
    reads.note(all: edgeTable.id, columns)
  }
}

extension ColumnMask {
  /// The columns of a table that are read, whether as they are stored or by dictionary.
  init(_ columns: TableColumns) {
    self.init(columns.indices.compactMap { $0 >= 0 ? $0 : ScanPlan.codedColumn($0) })
  }
}
