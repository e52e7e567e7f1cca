import Catalog
import Columnar
import Parquet
import Storage

/// Columns of a file that were read for an earlier statement.
struct KeptColumns {
  private let definition: TableDefinition
  let store: TableStore

  init(_ definition: TableDefinition, _ store: TableStore) {
    self.definition = definition
    self.store = store
  }

  /// The type of a column; nil for one that was not read.
  func type(of name: String) -> ColumnType? {
    definition.columns.first { $0.name == name }?.columnType
  }

  func place(of name: String) -> Int? { definition.columns.firstIndex { $0.name == name } }
}

/// Columns of a parquet file in its order: those that are kept, and those that are read now.
struct JoinedColumns {
  private enum Place {
    /// A column of the table that is kept.
    case kept(Int)
    /// A column of the chunks that are read.
    case read(Int)
  }

  private let kept: KeptColumns?
  private var places: [Place] = []
  private(set) var names: [String] = []
  private(set) var types: [ColumnType] = []

  init(_ rows: ParquetRows, _ kept: KeptColumns?) {
    self.kept = kept
    for name in rows.names {
      if let kept, let type = kept.type(of: name), let place = kept.place(of: name) {
        places.append(.kept(place))
        types.append(type)
      } else if let place = rows.columns.firstIndex(where: { $0.name == name }) {
        places.append(.read(place))
        types.append(rows.columns[place].type)
      } else {
        continue
      }
      names.append(name)
    }
  }

  /// Chunks of all columns for some of those that are read now, of which the first begins with row `start`.
  ///
  /// - Precondition: no chunk reaches over the end of a page.
  func chunks(_ read: [DataChunk], from start: inout Int) -> [DataChunk] {
    guard let store = kept?.store else { return read }
    return read.map { chunk in
      defer { start += chunk.count }
      let (page, offset) = start.quotientAndRemainder(dividingBy: Vector.chunkCapacity)
      let columns = places.map { place in
        switch place {
        case .read(let index): return chunk.columns[index]
        case .kept(let index):
          let whole = store.scan(page: page, columns: [index]).columns[0]
          return whole.count == chunk.count
            ? whole : whole.slice(from: offset, count: chunk.count)
        }
      }
      return DataChunk(columns, count: chunk.count)
    }
  }
}
