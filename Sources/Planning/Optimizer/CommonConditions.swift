import Columnar

/// Tells a common table expression which of its rows are asked for.
///
/// A common table expression that is read in several places is computed once, with all of its rows. Where each of the places
/// asks for a part of them (`x.year = 2001` here, `x.year = 2002` there), rows that none asks for need not be made: one of the
/// conditions holds for those that are. What the places ask stays where it is.
struct CommonConditions {
  let rules: OptimizerRules
  let simplification: ExpressionSimplification

  /// More places are taken to ask for all rows.
  private static let placeMax = 32

  func applied(_ plan: LogicalPlan) -> LogicalPlan {
    if RunningStatement.isInterrupted { return plan }
    guard case .withCommon(let id, var definition, let body) = plan else {
      return plan.mapInputs(applied)
    }
    // Definitions of others that read this one come first: what is asked of them is asked of this.
    let reading = applied(body)
    if let asked = asked(of: id, definition, in: reading) {
      let narrowed = FilterPushDown(rules: rules).push([asked], into: definition)
      definition = simplification.simplified(narrowed).restricted(to: definition.outputs)
    }
    return .withCommon(id: id, definition: applied(definition), body: reading)
  }

  /// What holds for all rows that some place asks for; nil where one asks for all.
  private func asked(
    of id: Int, _ definition: LogicalPlan, in body: LogicalPlan
  ) -> BoundExpression? {
    guard !definition.isVolatile, !body.hasSubqueries else { return nil }
    var places: [[BoundExpression]] = []
    guard collect(id, definition.outputs, body, [], &places), !places.isEmpty,
      places.count <= Self.placeMax
    else { return nil }
    return simplification.simplified(.or(places.map { .conjunction($0) }))
  }

  /// Gathers the conditions of each place, over the columns of the definition; false where one has none.
  private func collect(
    _ id: Int, _ outputs: [PlanColumn], _ plan: LogicalPlan, _ above: [BoundExpression],
    _ places: inout [[BoundExpression]]
  ) -> Bool {
    if case .commonReference(id, let columns) = plan {
      var meaning: ColumnMap<BoundExpression> = [:]
      for (column, source) in zip(columns, outputs) { meaning[column.id] = source.reference }
      let own = above.flatMap(\.conjuncts).filter { condition in
        let used = condition.columns
        return !used.isEmpty && !condition.isVolatile && used.allSatisfy { meaning[$0] != nil }
      }
      if own.isEmpty { return false }
      places.append(own.map { $0.replacing(meaning) })
      return true
    }
    if case .filter(let input, let conditions) = plan {
      return collect(id, outputs, input, conditions, &places)
    }
    return !plan.containsInput { !collect(id, outputs, $0, [], &places) }
  }
}

extension LogicalPlan {
  /// Whether an expression of the plan has a query in it, which may read what is defined around it.
  fileprivate var hasSubqueries: Bool {
    contains { $0.containsExpression(where: \.containsSubquery) }
  }
}
