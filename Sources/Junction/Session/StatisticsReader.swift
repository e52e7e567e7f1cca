import Catalog
import Columnar
import Execution
import Planning
import Storage
import Synchronization

/// Gives the optimiser what the stored tables know of themselves: bounds and counts that follow the rows.
///
/// One is made for each statement that is planned.
final class StatisticsReader: Sendable {
  private let catalog: CatalogSnapshot
  private let tables: any TableSource
  private let evaluation: EvaluationContext
  /// A number of this statement alone.
  private let statement = StatisticsReader.lastStatement.wrappingAdd(1, ordering: .relaxed).newValue

  private static let lastStatement = Atomic<UInt64>(0)

  init(_ catalog: CatalogSnapshot, _ tables: any TableSource, _ evaluation: EvaluationContext) {
    self.catalog = catalog
    self.tables = tables
    self.evaluation = evaluation
  }

  /// Where the optimiser asks.
  var source: StatisticsSource {
    StatisticsSource { [self] id in
      guard let table = try? tables.table(id), catalog.tables[id] != nil else { return nil }
      return Planning.TableStatistics(
        rowCount: Double(table.liveRowCount), sample: { self.sample($0, table, beside: $1) },
        combinations: { self.combinations($0, $1, table) },
        column: { index in
          guard index < table.types.count else { return nil }
          let found = table.recentStatistics(ofColumn: index)
          return Planning.ColumnStatistics(
            distinctCount: found.distinctCount ?? self.distinctCount(ofColumn: index, table),
            nullFraction: Double(found.nullCount) / Double(max(1, table.liveRowCount)),
            minimum: found.minimum, maximum: found.maximum, span: found.span,
            skew: { table.recentSkew(ofColumn: index) })
        })
    }
  }

  /// What a sample shows of a scan's conditions: the optimiser asks for the rows of a scan again and again.
  private func sample(
    _ scan: ScanPlan, _ table: TableStore, beside largest: Double
  ) -> SampledShare? {
    guard let sample = ConditionSample(scan, table, beside: largest) else { return nil }
    let share = table.sample(sample.fingerprint(statement: statement)) {
      sample.share(ExecutionContext(evaluation: evaluation, tables: tables))
    }
    return share.map { SampledShare(met: $0.met, of: $0.count) }
  }

  /// What a sample shows of a column whose different values nobody has counted.
  private func distinctCount(ofColumn index: Int, _ table: TableStore) -> Double? {
    let sample = CombinationSample([index], table)
    return table.combinations(sample.fingerprint(statement: statement)) {
      sample.count(ExecutionContext(evaluation: evaluation, tables: tables))
    }
  }

  /// What a sample shows of the combinations of values in a scan's rows.
  private func combinations(_ scan: ScanPlan, _ columns: [Int], _ table: TableStore) -> Double? {
    guard let sample = CombinationSample(scan, columns, table) else { return nil }
    return table.combinations(sample.fingerprint(statement: statement)) {
      sample.count(ExecutionContext(evaluation: evaluation, tables: tables)) { index in
        table.recentStatistics(ofColumn: index).distinctCount
          ?? self.distinctCount(ofColumn: index, table)
      }
    }
  }
}
