import Catalog
import Execution
import Planning
import Storage

/// Gives the optimiser what the stored tables know of themselves: always exact, never stale.
struct StatisticsReader {
  let catalog: CatalogSnapshot
  let tables: any TableSource

  /// Where the optimiser asks.
  var source: StatisticsSource {
    { [catalog, tables] id in
      guard let table = try? tables.table(id), let definition = catalog.tables[id] else {
        return nil
      }
      return Planning.TableStatistics(
        rowCount: Double(table.liveRowCount), columns: columns(of: table, definition))
    }
  }
}

private func columns(of table: TableStore, _ definition: TableDefinition) -> [Planning
  .ColumnStatistics]
{
  var columns = definition.columns.map { _ in Planning.ColumnStatistics() }
  for key in table.keys where key.key.columns.count == 1 && key.key.columns[0] < columns.count {
    columns[key.key.columns[0]].distinctCount = Double(key.distinctCount)
  }
  return columns
}
