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
      guard let table = try? tables.table(id), let definition = catalog.tables[id] else {
        return nil
      }
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
            skew: { table.recentSkew(ofColumn: index) },
            isInOrder: { table.pageOrder(by: index) != nil },
            share: { self.share(of: $0, inColumn: index, of: definition, table) })
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

  /// The share of a table's rows that name a parent by a value, where its edges tell.
  private func share(
    of value: Value, inColumn index: Int, of definition: TableDefinition, _ table: TableStore
  ) -> Double? {
    guard table.liveRowCount > 0,
      let reference = definition.foreignKeys.firstIndex(where: {
        $0.columns == [index] && $0.isEnforced
      })
    else { return nil }
    if value.isNull { return 0 }
    let foreign = definition.foreignKeys[reference]
    guard let parents = try? tables.table(foreign.parent),
      let key = parents.keys.first(where: { $0.key.columns == foreign.parentColumns }),
      parents.types[foreign.parentColumns[0]].physical == table.types[index].physical
    else { return nil }
    let sought = Vector(constant: value, type: table.types[index], count: 1).flattened()
    let parent = key.lookup([sought], count: 1, in: parents)[0]
    if parent == TableStore.noRow { return 0 }
    let edges = table.edges(from: reference)
    return Double(edges.likelyDegree(of: parent)) / Double(table.liveRowCount)
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
