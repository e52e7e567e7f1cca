import Columnar
import Diagnostics
import SQLSyntax

@testable import Catalog
@testable import Execution
@testable import Planning

/// Tables with made-up statistics, and the plans of queries over them.
struct PlanFixture: Sendable {
  private(set) var catalog = CatalogSnapshot()
  private var rowCounts: [ObjectID: Double] = [:]

  /// Adds a table; columns are written `name type [not null]`, the first key is the primary one.
  mutating func add(
    _ name: String, rows: Double, _ columns: String, keys: [[String]] = [],
    references: [(columns: [String], parent: String)] = []
  ) {
    var definitions: [TableColumn] = []
    for column in columns.split(separator: ",") {
      let words = column.split(separator: " ").map(String.init)
      definitions.append(
        TableColumn(
          name: words[0], columnType: ColumnType(Self.types[words[1]] ?? .text),
          isNotNull: words.count > 2))
    }
    var table = TableDefinition(
      id: catalog.makeID(), name: ObjectName(name), columns: definitions)
    for (index, key) in keys.enumerated() {
      let columns = key.compactMap { table.column(named: $0) }
      table.keys.append(
        KeyConstraint(name: "\(name)_key\(index)", columns: columns, isPrimary: index == 0))
      if index == 0 { for column in columns { table.columns[column].isNotNull = true } }
    }
    for (columns, parent) in references {
      guard let id = catalog.relations[ObjectName(parent)], let other = catalog.tables[id],
        let key = other.primaryKey
      else { continue }
      table.foreignKeys.append(
        ForeignKeyConstraint(
          name: "\(name)_fkey", columns: columns.compactMap { table.column(named: $0) },
          parent: id, parentColumns: key.columns))
    }
    catalog.tables[table.id] = table
    catalog.relations[ObjectName(name)] = table.id
    rowCounts[table.id] = rows
  }

  private static let types: [String: LogicalType] = [
    "int": .integer, "bigint": .bigint, "text": .text, "numeric": .numeric, "date": .date,
    "bool": .boolean, "double": .double,
  ]

  /// The school, with rows in proportion to `scale` students.
  static func school(students: Double = 3) -> PlanFixture {
    var fixture = PlanFixture()
    fixture.add("student", rows: students, "id int,first_name text,last_name text", keys: [["id"]])
    fixture.add(
      "course", rows: max(10, students / 100), "id int,short_code text,name text",
      keys: [["id"], ["short_code"]])
    fixture.add(
      "enrols_in", rows: students * 4, "student_id int,course_id int",
      keys: [["student_id", "course_id"]],
      references: [(["student_id"], "student"), (["course_id"], "course")])
    fixture.add("wish", rows: students, "student_id int,course_id int")
    return fixture
  }

  private var statistics: StatisticsSource {
    let rowCounts = self.rowCounts
    let tables = catalog.tables
    return StatisticsSource { id in
      guard let rows = rowCounts[id], let table = tables[id] else { return nil }
      let columns = table.columns.indices.map { index -> ColumnStatistics in
        if table.keys.contains(where: { $0.columns == [index] }) {
          return ColumnStatistics(distinctCount: rows)
        }
        if let key = table.foreignKeys.first(where: { $0.columns == [index] }) {
          return ColumnStatistics(distinctCount: min(rows, rowCounts[key.parent] ?? rows))
        }
        return ColumnStatistics(distinctCount: max(1, rows / 10))
      }
      return TableStatistics(rowCount: rows, columns: columns)
    }
  }

  /// The optimised logical plan of a query.
  func optimized(_ sql: String, rules: OptimizerRules = .all) throws -> LogicalPlan {
    let bound = try Binder(catalog: catalog).bind(try parseStatement(sql).statement)
    return try Optimizer(catalog: catalog, statistics: statistics, rules: rules)
      .optimize(bound.plan)
  }

  /// The physical plan of a query.
  func plan(_ sql: String, rules: OptimizerRules = .all) throws -> PhysicalPlan {
    try PhysicalPlanner(catalog: catalog, statistics: statistics, rules: rules)
      .plan(try optimized(sql, rules: rules))
  }

  /// What EXPLAIN says of a query, without guesses of rows.
  func explained(_ sql: String, rules: OptimizerRules = .all) throws -> String {
    explain(
      try plan(sql, rules: rules), catalog: catalog,
      options: ExplainOptions(showsEstimates: false)
    ).joined(separator: "\n")
  }
}
