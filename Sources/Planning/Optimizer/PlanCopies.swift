/// A plan that is needed twice: no column may be produced in two places of a statement's plan.
struct PlanCopies {
  /// One of the two, and its columns by those of the plan that was copied.
  struct Copy {
    var plan: LogicalPlan
    var columns: ColumnMap<BoundExpression>

    func of(_ expressions: [BoundExpression]) -> [BoundExpression] {
      expressions.map { $0.replacing(columns) }
    }

    func of(_ call: AggregateCall) -> AggregateCall {
      call.mapOperands { $0.replacing(columns) }
    }
  }
  var first: Copy
  var second: Copy
  /// The plan as a common table expression that both refer to; nil where each has scans of its own.
  private var shared: (id: Int, definition: LogicalPlan)?

  /// Scans and plain operators over them are repeated, as indices serve them; what costs more is done once.
  init(_ plan: LogicalPlan, _ factory: ColumnFactory, _ commons: CommonNumbers) {
    var renamed: ColumnMap<PlanColumn> = [:]
    if let copy = plan.copied(factory, &renamed) {
      first = Copy(plan: plan, columns: [:])
      second = Copy(plan: copy, columns: renamed.mapValues(\.reference))
      return
    }
    let id = commons.next()
    func reference() -> Copy {
      let columns = plan.outputs.map { factory.make($0.name, $0.type) }
      var renamed: ColumnMap<BoundExpression> = [:]
      for (old, new) in zip(plan.outputs, columns) { renamed[old.id] = new.reference }
      return Copy(plan: .commonReference(id: id, columns: columns), columns: renamed)
    }
    first = reference()
    second = reference()
    shared = (id, plan)
  }

  /// The same of joins of tables, too, which are repeated where few of their rows are asked for; nil if there is more to the plan.
  init?(repeating plan: LogicalPlan, _ factory: ColumnFactory) {
    var renamed: ColumnMap<PlanColumn> = [:]
    guard let copy = plan.copied(factory, &renamed, repeatsJoins: true) else { return nil }
    first = Copy(plan: plan, columns: [:])
    second = Copy(plan: copy, columns: renamed.mapValues(\.reference))
  }

  /// `body`, in which both stand, below the definition that they refer to.
  func wrapped(_ body: LogicalPlan) -> LogicalPlan {
    guard let shared else { return body }
    return .withCommon(id: shared.id, definition: shared.definition, body: body)
  }
}

extension ScanPlan {
  /// The same scan with columns of its own, noted by those that they stand for.
  func copied(_ factory: ColumnFactory, _ renamed: inout ColumnMap<PlanColumn>) -> ScanPlan {
    var result = self
    for index in columns.indices {
      let own = factory.make(columns[index].column.name, columns[index].column.type)
      renamed[columns[index].column.id] = own
      result.columns[index].column = own
    }
    let references = renamed.mapValues(\.reference)
    result.filters = filters.map { $0.replacing(references) }
    return result
  }
}

extension LogicalPlan {
  /// The same plan with columns of its own; nil if it has operators that are not cheap to repeat.
  fileprivate func copied(
    _ factory: ColumnFactory, _ renamed: inout ColumnMap<PlanColumn>, repeatsJoins: Bool = false
  ) -> LogicalPlan? {
    func fresh(_ column: PlanColumn) -> PlanColumn {
      let copy = factory.make(column.name, column.type)
      renamed[column.id] = copy
      return copy
    }
    func replaced(_ expressions: [BoundExpression]) -> [BoundExpression] {
      let references = renamed.mapValues(\.reference)
      return expressions.map { $0.replacing(references) }
    }
    if case .scan(let scan) = self {
      guard !scan.filters.contains(where: \.containsSubquery) else { return nil }
      return .scan(scan.copied(factory, &renamed))
    }
    if case .filter(let input, let conditions) = self {
      guard !conditions.contains(where: \.containsSubquery),
        let below = input.copied(factory, &renamed, repeatsJoins: repeatsJoins)
      else { return nil }
      return .filter(below, replaced(conditions))
    }
    if case .project(let input, let columns) = self {
      guard !columns.contains(where: \.expression.containsSubquery),
        let below = input.copied(factory, &renamed, repeatsJoins: repeatsJoins)
      else { return nil }
      let expressions = replaced(columns.map(\.expression))
      return .project(
        below,
        zip(columns, expressions).map { column, expression in
          // A column that is passed on goes by the name that it has below already.
          let isPassed = column.expression.asColumn == column.column.id
          let own = isPassed ? renamed[column.column.id] : nil
          return ProjectedColumn(own ?? fresh(column.column), expression)
        })
    }
    if case .distinct(let input, on: nil) = self {
      return input.copied(factory, &renamed, repeatsJoins: repeatsJoins).map {
        .distinct($0, on: nil)
      }
    }
    if case .join(var join) = self, repeatsJoins, join.kind.isInner, !join.isLateral {
      guard !join.conditions.contains(where: \.containsSubquery),
        let left = join.left.copied(factory, &renamed, repeatsJoins: true),
        let right = join.right.copied(factory, &renamed, repeatsJoins: true)
      else { return nil }
      join.left = left
      join.right = right
      join.conditions = replaced(join.conditions)
      return .join(join)
    }
    if case .sort(let input, _) = self {
      return input.copied(factory, &renamed, repeatsJoins: repeatsJoins)
    }
    return nil
  }
}
