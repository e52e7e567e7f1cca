import Catalog
import Columnar

/// Reads texts of smaller tables by dictionary where rows are grouped, joined and sorted by them, and looks up the texts at the end.
///
/// `GROUP BY d.name` over millions of rows compares millions of texts; there are twenty of them. Their codes are small numbers in
/// the same order, so that groups, DISTINCT, joins, windows and sorts need no more than the numbers, through common table
/// expressions as well. A table has its dictionary once for each of its versions.
///
/// Each operator gives, for the columns that matter, the value, the code, or both; who needs a value of which only the code is left
/// decodes it. (Abadi, Madden and Ferreira, "Integrating Compression and Execution in Column-Oriented Database Systems",
/// SIGMOD 2006.)
struct TextsAsCodes {
  private let statistics: StatisticsSource
  private let factory: ColumnFactory
  /// The columns of scans that may be read as codes.
  private var candidates: ColumnMap<Code> = [:]
  /// The scans that give them.
  private var scans: [LogicalPlan] = []
  private var commons: [Int: Common] = [:]
  private let profiles = Profiles()

  init(statistics: StatisticsSource, factory: ColumnFactory) {
    self.statistics = statistics
    self.factory = factory
  }

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    var uses = KeyUses()
    uses.collect(plan)
    if uses.scans.isEmpty { return plan }
    var inner = self
    for scan in uses.scans { inner.note(scan, uses.columns) }
    return inner.candidates.isEmpty ? plan : inner.whole(plan)
  }

  /// A column's codes.
  struct Code {
    var column: PlanColumn
    var source: CodedColumn
    /// How many rows the table has, or counts for.
    var rows: Double
  }

  /// A plan in which some columns have codes.
  struct Coded {
    var plan: LogicalPlan
    /// By the column whose values they stand for.
    var codes: ColumnMap<Code> = [:]
    /// The columns of which the plan gives only the code.
    var hidden: ColumnSet = []
  }

  /// What the references to a common table expression find in it.
  private struct Common {
    /// The codes that stand in the place of columns.
    var hidden: [Int: Code] = [:]
    /// The codes behind all columns, each with the place of its column.
    var added: [(place: Int, code: Code)] = []
  }

  /// Below so many rows there is little to gain.
  private static let rowMin = 10_000.0
  /// How many times as many rows there must be as the table has of whose column codes are made.
  private static let rowShare = 3.0
  /// The same for the rows of both sides of a join, each of which would be hashed.
  private static let comparedShare = 2.0
  /// How often a text must come in a table on average, or else the table counts as so many times as large.
  private static let repetitionMin = 2.0
  private static let uniqueShare = 10.0
  /// A table whose texts come so often counts as smaller: what makes codes groups the rows by the way, and whoever comes next has them.
  private static let frequencyMin = 32.0
  private static let frequentShare = 0.25
  /// Tables that are so small need not repeat their texts.
  private static let tinyRows = 1000.0

  private mutating func note(_ scan: ScanPlan, _ used: ColumnSet) {
    scans.append(.scan(scan))
    guard let known = statistics(scan.table.id), known.rowCount > 0 else { return }
    for column in scan.columns where column.index >= 0 && used.contains(column.column.id) {
      if scan.table.isIndexed(by: column.index) { continue }
      var rows = known.rowCount
      if rows > Self.tinyRows {
        guard let different = known.column(column.index)?.distinctCount else { continue }
        if different * Self.repetitionMin > rows {
          rows *= Self.uniqueShare
        } else if different * Self.frequencyMin <= rows {
          rows *= Self.frequentShare
        }
      }
      candidates[column.column.id] = Code(
        column: factory.make(column.column.name, .integer),
        source: CodedColumn(table: scan.table.id, column: column.index), rows: rows)
    }
  }

  // MARK: Operators

  /// The plan with codes inside, and the same columns.
  private func whole(_ plan: LogicalPlan) -> LogicalPlan {
    let coded = coded(plan)
    let outputs = plan.outputs
    guard outputs.contains(where: { coded.hidden.contains($0.id) }) else {
      return coded.codes.isEmpty ? coded.plan : coded.plan.restricted(to: outputs)
    }
    return .project(
      coded.plan, outputs.map { ProjectedColumn($0, coded.value(of: $0.reference)) })
  }

  private func coded(_ plan: LogicalPlan) -> Coded {
    if RunningStatement.isInterrupted { return Coded(plan: plan) }
    switch plan {
    case .scan(let scan): return coded(scan)
    case .filter(let input, let conditions):
      var result = coded(input)
      result.plan = .filter(result.plan, conditions.map(result.value))
      return result
    case .project(let input, let list): return projected(coded(input), list, Rows(input))
    case .join(let join) where !join.isLateral: return coded(join)
    case .aggregate(let aggregate): return coded(aggregate)
    case .window(let input, let calls): return windowed(input, calls)
    case .sort(let input, let keys):
      var result = coded(input)
      let keys = sortKeys(keys, result, Rows(input))
      result.plan = .sort(result.plan, keys)
      return result
    case .limit(let input, var limit):
      var result = coded(input)
      limit.ties = limit.ties.map { sortKeys($0, result, Rows(input)) }
      result.plan = .limit(result.plan, limit)
      return result
    case .distinct(let input, on: let keys?):
      var result = coded(input)
      let rows = Rows(input)
      result.plan = .distinct(result.plan, on: keys.map { key($0, result, rows) })
      return result
    case .distinct(let input, on: nil): return distinct(input, keeping: [])
    case .setOperation(let operation): return coded(operation)
    case .withCommon(let id, let definition, let body): return coded(id, definition, body)
    case .commonReference(let id, let columns): return reference(id, columns)
    case .values, .projectSet, .join, .path, .recursive, .workingTable, .tableFunction, .modify:
      return Coded(plan: plan.mapInputs(whole))
    }
  }

  private func coded(_ scan: ScanPlan) -> Coded {
    var scan = scan
    var codes: ColumnMap<Code> = [:]
    for column in scan.columns {
      guard let code = candidates[column.column.id] else { continue }
      scan.columns.append(
        ScanPlan.Column(code.column, index: ScanPlan.codeIndex(of: code.source.column)))
      codes[column.column.id] = code
    }
    return Coded(plan: .scan(scan), codes: codes)
  }

  private func projected(_ input: Coded, _ list: [ProjectedColumn], _ rows: Rows) -> Coded {
    var result = Coded(plan: input.plan)
    let computing = computing(list.map(\.expression), of: input, rows)
    var columns: [ProjectedColumn] = []
    for item in list {
      guard let source = item.expression.asColumn, var code = input.codes[source] else {
        columns.append(ProjectedColumn(item.column, computing.value(of: item.expression)))
        continue
      }
      if input.hidden.contains(source) {
        result.hidden.insert(item.column.id)
      } else {
        columns.append(item)
      }
      let column = factory.make(item.column.name, .integer)
      columns.append(ProjectedColumn(column, code.column.reference))
      code.column = column
      result.codes[item.column.id] = code
    }
    result.plan = .project(input.plan, columns)
    return result
  }

  private func coded(_ join: JoinPlan) -> Coded {
    let left = coded(join.left)
    let right = coded(join.right)
    var both = left
    both.codes.merge(right.codes) { first, _ in first }
    both.hidden.formUnion(right.hidden)
    let rows = Rows(join.left, join.right)
    var join = join
    join.conditions = join.conditions.map { compared($0, both, rows) }
    join.left = left.plan
    join.right = right.plan
    let outer = join.kind.onlyLooksForMatch ? left : both
    return Coded(plan: .join(join), codes: outer.codes, hidden: outer.hidden)
  }

  /// A condition of a join: texts of one column on both sides are compared by their codes where that pays.
  private func compared(
    _ condition: BoundExpression, _ input: Coded, _ rows: Rows
  ) -> BoundExpression {
    guard case .comparison(let comparison, let left, let right) = condition,
      let one = left.asColumn.flatMap({ input.codes[$0] }),
      let two = right.asColumn.flatMap({ input.codes[$0] }),
      one.source == two.source, pays(one, rows, Self.comparedShare)
    else { return input.value(of: condition) }
    return .comparison(comparison, one.column.reference, two.column.reference)
  }

  /// The different rows of a plan; those of `kept` stay values unless only their codes are left.
  private func distinct(_ input: LogicalPlan, keeping kept: ColumnSet) -> Coded {
    var result = settled(coded(input), input.outputs, Rows(input), keeping: kept)
    result.plan = .distinct(result.plan, on: nil)
    return result
  }

  private func coded(_ aggregate: AggregatePlan) -> Coded {
    // A value that another key determines is only kept, not compared.
    let identified = identified(by: ColumnSet(aggregate.keys.compactMap(\.expression.asColumn)))
    let input =
      if case .distinct(let rows, on: nil) = aggregate.input {
        distinct(rows, keeping: identified)
      } else {
        coded(aggregate.input)
      }
    if input.codes.isEmpty {
      var aggregate = aggregate
      aggregate.input = input.plan
      return Coded(plan: .aggregate(aggregate))
    }
    let rows = Rows(aggregate.input)
    var result = Coded(plan: input.plan)
    var inner = aggregate
    inner.input = input.plan
    let calls = aggregate.aggregates.map(\.call)
    let computing = computing(
      aggregate.keys.map(\.expression) + calls.flatMap(\.arguments) + calls.compactMap(\.filter),
      of: input, rows)
    for (place, item) in aggregate.keys.enumerated() {
      guard let source = item.expression.asColumn, var code = input.codes[source],
        input.hidden.contains(source) || !identified.contains(source) && pays(code, rows)
      else {
        inner.keys[place].expression =
          item.expression.asColumn == nil
          ? computing.value(of: item.expression) : input.value(of: item.expression)
        continue
      }
      let column = factory.make(item.column.name, .integer)
      inner.keys[place] = ProjectedColumn(column, code.column.reference)
      code.column = column
      result.codes[item.column.id] = code
      result.hidden.insert(item.column.id)
    }
    for (place, item) in aggregate.aggregates.enumerated() {
      var call = item.call
      if call.isExtreme, let source = call.arguments[0].asColumn, var code = input.codes[source],
        input.hidden.contains(source) || pays(code, rows)
      {
        // Codes are in the order of what they stand for.
        let filter = call.filter
        call = .extreme(of: code.column.reference, isMaximum: call.name == "max")
        call.filter = filter
        code.column = factory.make(item.column.name, .integer)
        result.codes[item.column.id] = code
        result.hidden.insert(item.column.id)
        inner.aggregates[place].column = code.column
      } else if call.name == "count", call.orderBy.isEmpty, call.arguments.count == 1 {
        call.arguments = [
          call.isDistinct
            ? key(call.arguments[0], input, rows) : input.shown(call.arguments[0])
        ]
      }
      if case .aggregate(let changed) = computing.value(of: .aggregate(call)) { call = changed }
      inner.aggregates[place].call = call
    }
    result.plan = .aggregate(inner)
    return result
  }

  /// The columns of tables of which some columns tell the row.
  private func identified(by columns: ColumnSet) -> ColumnSet {
    var result: ColumnSet = []
    for scan in scans where scan.isUnique(on: columns.intersection(scan.outputIDs)) {
      result.formUnion(scan.outputIDs)
    }
    return result
  }

  private func windowed(
    _ input: LogicalPlan, _ calls: [(column: PlanColumn, call: WindowCall)]
  ) -> Coded {
    var result = coded(input)
    if result.codes.isEmpty {
      result.plan = .window(result.plan, calls)
      return result
    }
    let rows = Rows(input)
    let changed = calls.map { column, call in
      var call = call
      call.partitionBy = call.partitionBy.map { key($0, result, rows) }
      call.orderBy = sortKeys(call.orderBy, result, rows)
      return (column: column, call: call.mapOperands { result.value(of: $0) })
    }
    result.plan = .window(result.plan, changed)
    return result
  }

  /// Both sides have the codes of one column, or else the values.
  private func coded(_ operation: SetOperationPlan) -> Coded {
    let sides = (coded(operation.left), coded(operation.right))
    let outputs = (operation.left.outputs, operation.right.outputs)
    var operation = operation
    var result = Coded(plan: .setOperation(operation))
    var lists: (left: [ProjectedColumn], right: [ProjectedColumn]) = ([], [])
    let rows = Rows(operation.left, operation.right)
    for (place, column) in operation.columns.enumerated() {
      let (one, two) = (outputs.0[place], outputs.1[place])
      if var code = sides.0.codes[one.id], let other = sides.1.codes[two.id],
        code.source == other.source,
        sides.0.hidden.contains(one.id) || sides.1.hidden.contains(two.id) || pays(code, rows)
      {
        lists.left.append(ProjectedColumn(code.column, code.column.reference))
        lists.right.append(ProjectedColumn(other.column, other.column.reference))
        code.column = factory.make(column.name, .integer)
        operation.columns[place] = code.column
        result.codes[column.id] = code
        result.hidden.insert(column.id)
      } else {
        lists.left.append(ProjectedColumn(one, sides.0.value(of: one.reference)))
        lists.right.append(ProjectedColumn(two, sides.1.value(of: two.reference)))
      }
    }
    operation.left = sides.0.codes.isEmpty ? sides.0.plan : .project(sides.0.plan, lists.left)
    operation.right = sides.1.codes.isEmpty ? sides.1.plan : .project(sides.1.plan, lists.right)
    result.plan = .setOperation(operation)
    return result
  }

  /// The columns of a plan in their order, each by its value or by its code.
  private func settled(
    _ input: Coded, _ outputs: [PlanColumn], _ rows: Rows, keeping kept: ColumnSet = []
  ) -> Coded {
    if input.codes.isEmpty { return input }
    var result = Coded(plan: input.plan)
    var list: [ProjectedColumn] = []
    for column in outputs {
      guard var code = input.codes[column.id],
        input.hidden.contains(column.id) || !kept.contains(column.id) && pays(code, rows)
      else {
        list.append(ProjectedColumn(column, column.reference))
        continue
      }
      let own = factory.make(column.name, .integer)
      list.append(ProjectedColumn(own, code.column.reference))
      code.column = own
      result.codes[column.id] = code
      result.hidden.insert(column.id)
    }
    result.plan = .project(input.plan, list)
    return result
  }

  // MARK: Common table expressions

  private func coded(_ id: Int, _ definition: LogicalPlan, _ body: LogicalPlan) -> Coded {
    let shared = coded(definition)
    var inner = self
    let outputs = definition.outputs
    profiles.note(id, definition)
    var common = Common()
    var list: [ProjectedColumn] = []
    for (place, column) in outputs.enumerated() {
      guard let code = shared.codes[column.id] else {
        list.append(ProjectedColumn(column, column.reference))
        continue
      }
      if shared.hidden.contains(column.id) {
        common.hidden[place] = code
        list.append(ProjectedColumn(code.column, code.column.reference))
      } else {
        common.added.append((place, code))
        list.append(ProjectedColumn(column, column.reference))
      }
    }
    list += common.added.map { ProjectedColumn($0.code.column, $0.code.column.reference) }
    inner.commons[id] = common
    let plan = shared.codes.isEmpty ? shared.plan : LogicalPlan.project(shared.plan, list)
    var result = inner.coded(body)
    result.plan = .withCommon(id: id, definition: plan, body: result.plan)
    return result
  }

  private func reference(_ id: Int, _ columns: [PlanColumn]) -> Coded {
    var result = Coded(plan: .commonReference(id: id, columns: columns))
    guard let common = commons[id] else { return result }
    var list = columns
    for (place, column) in columns.enumerated() {
      guard var code = common.hidden[place] else { continue }
      code.column = factory.make(column.name, .integer)
      list[place] = code.column
      result.codes[column.id] = code
      result.hidden.insert(column.id)
    }
    for (place, code) in common.added where columns.indices.contains(place) {
      var code = code
      code.column = factory.make(columns[place].name, .integer)
      list.append(code.column)
      result.codes[columns[place].id] = code
    }
    result.plan = .commonReference(id: id, columns: list)
    return result
  }

  // MARK: Keys

  /// What some expressions are computed of: codes where that pays, of which they are looked up rather than computed anew.
  private func computing(_ expressions: [BoundExpression], of input: Coded, _ rows: Rows) -> Coded {
    if input.codes.isEmpty { return input }
    var result = input
    for expression in expressions where expression.asColumn == nil {
      for column in expression.columns where !result.hidden.contains(column) {
        if let code = input.codes[column], pays(code, rows) { result.hidden.insert(column) }
      }
    }
    return result
  }

  /// What rows are grouped or sorted by: the code of a column where there is no other, or where that pays.
  private func key(_ key: BoundExpression, _ input: Coded, _ rows: Rows) -> BoundExpression {
    guard let column = key.asColumn, let code = input.codes[column],
      input.hidden.contains(column) || pays(code, rows)
    else { return input.value(of: key) }
    return code.column.reference
  }

  private func sortKeys(_ keys: [SortKey], _ input: Coded, _ rows: Rows) -> [SortKey] {
    if input.codes.isEmpty { return keys }
    return keys.map { key in
      SortKey(
        self.key(key.expression, input, rows), isDescending: key.isDescending,
        nullsFirst: key.nullsFirst)
    }
  }

  private func pays(_ code: Code, _ rows: Rows, _ share: Double = rowShare) -> Bool {
    let count = rows.count { profiles.profile(of: $0, statistics).rows }
    return count >= Self.rowMin && count >= code.rows * share
  }
}

extension TableDefinition {
  /// Whether an index finds rows by the text of a column.
  fileprivate func isIndexed(by column: Int) -> Bool {
    keys.contains { $0.columns == [column] }
      || indexes.contains { index in
        if case .column(column, _) = index.keys.first { return true }
        return false
      }
  }
}
