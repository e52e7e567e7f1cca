import Catalog
import Execution
import Planning
import Storage

/// Gives the optimiser what the stored tables know of themselves: bounds and counts that follow the rows.
struct StatisticsReader {
  let catalog: CatalogSnapshot
  let tables: any TableSource

  /// Where the optimiser asks.
  var source: StatisticsSource {
    { [catalog, tables] id in
      guard let table = try? tables.table(id), catalog.tables[id] != nil else { return nil }
      return Planning.TableStatistics(rowCount: Double(table.liveRowCount)) { index in
        guard index < table.types.count else { return nil }
        let found = table.recentStatistics(ofColumn: index)
        return Planning.ColumnStatistics(
          distinctCount: found.distinctCount,
          nullFraction: Double(found.nullCount) / Double(max(1, table.liveRowCount)),
          minimum: found.minimum, maximum: found.maximum)
      }
    }
  }
}
