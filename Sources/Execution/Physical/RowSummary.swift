import Catalog
import Columnar
package import Planning
import Storage

/// What is known of the rows of a plan without handing them on: one row, of their number and of measures of one of their columns.
package struct RowSummary: Sendable {
  package var input: PhysicalPlan
  /// One for each output.
  package var measures: [KeyMeasure]
  /// The place among the input's columns of the one that is measured; nil where rows are only counted.
  package var column: Int?
  /// Conditions on the rows reached by a closure, over the input's columns of them.
  package var filters: [BoundExpression]
  /// Conditions that leave out one of the rows, by its key.
  package var exclusions: [BoundExpression]
  /// Comparisons of the column that counts the rounds of a closure with numbers.
  package var roundFilters: [BoundExpression]

  /// Whether not all rows of a closure are wanted.
  var isSelective: Bool { !(filters + exclusions + roundFilters).isEmpty }

  /// nil for an aggregation that asks for more, or of rows of which less is known.
  init?(_ node: AggregateNode) {
    guard node.partial == nil, node.keys.isEmpty, node.groupingSets == nil, node.groupings.isEmpty,
      !node.aggregates.isEmpty
    else { return nil }
    var measured: ColumnID?
    for item in node.aggregates where !item.call.countsRows {
      guard let id = item.call.arguments.first?.asColumn, measured == nil || measured == id else {
        return nil
      }
      measured = id
    }
    guard let found = node.input.summarized(measured) else { return nil }
    let countsRows = node.aggregates.contains { $0.call.countsRows }
    // A column may be NULL where a row is counted.
    if measured != nil && countsRows && found.mayBeNull { return nil }
    var measures: [KeyMeasure] = []
    for item in node.aggregates {
      guard let measure = item.call.countsRows ? .count : KeyMeasure(item.call, isSet: found.isKey)
      else { return nil }
      measures.append(measure)
    }
    input = found.plan
    self.measures = measures
    column = found.column
    filters = found.filters
    exclusions = found.exclusions
    roundFilters = found.roundFilters
  }
}

extension AggregateCall {
  /// `count(*)`.
  fileprivate var countsRows: Bool { isPlainCount && arguments.isEmpty }
}

/// An operator that knows its rows without handing them on.
private struct SummarizedRows {
  var plan: PhysicalPlan
  /// The place of the column that is measured.
  var column: Int?
  /// Whether no value comes twice in that column.
  var isKey = false
  var mayBeNull = false
  var filters: [BoundExpression] = []
  var exclusions: [BoundExpression] = []
  var roundFilters: [BoundExpression] = []
}

extension PhysicalPlan {
  /// The operator below columns that are only handed on, if it knows how many rows it gives, and the values of column `id` in them.
  fileprivate func summarized(_ id: ColumnID?) -> SummarizedRows? {
    switch node {
    case .project(let input, let list):
      guard let id else { return input.gives(list) ? input.summarized(nil) : nil }
      guard list.allSatisfy({ $0.asColumn != nil }),
        let place = outputs.firstIndex(where: { $0.id == id })
      else { return nil }
      return input.summarized(list[place].asColumn)
    case .walk(let walk):
      guard let id else { return SummarizedRows(plan: self) }
      if walk.rounds?.length?.id == id {
        return SummarizedRows(plan: self, column: walk.columns.count)
      }
      guard let place = walk.columns.firstIndex(where: { $0.column.id == id }),
        let table = walk.steps.last?.arrival?.table, walk.columns[place].index >= 0
      else { return nil }
      let index = walk.columns[place].index
      return SummarizedRows(
        plan: self, column: place,
        isKey: table.immediateKeys.contains { $0.columns == [index] },
        mayBeNull: !table.columns[index].isNotNull)
    case .closure(let closure):
      guard let id else { return SummarizedRows(plan: self) }
      guard let place = outputs.firstIndex(where: { $0.id == id }), !closure.walk.carries(place)
      else { return nil }
      return summarized(closure, place)
    case .filter(let input, let conditions): return input.summarized(id, where: conditions)
    case .scan, .keyLookup, .adjacencyLookup, .remainingRows:
      return id == nil && knowsCount ? SummarizedRows(plan: self) : nil
    case .values, .projectSet, .tableFunction, .hashJoin,
      .nestedLoopJoin, .unlinkedPairs, .lookupJoin, .expand, .listJoin, .intersection, .edgeCount,
      .neighbourCount, .pairCount, .storedOrder, .neighbourAggregate, .rowSummary, .cycleCount,
      .pathSearch, .apply, .aggregate, .leadingRows, .window, .sort, .topN, .limit, .distinct,
      .append,
      .setOperation, .recursive, .workingTable, .partialGroups, .withCommon, .commonReference,
      .modify:
      return nil
    }
  }

  private func summarized(_ closure: Closure, _ place: Int) -> SummarizedRows {
    let place = closure.isKey(place) ? closure.walk.place : place
    if place >= closure.walk.types.count {
      let column = closure.columns[place - closure.walk.types.count]
      let isNotNull = closure.walk.vertices?.columns[column.index].isNotNull ?? false
      return SummarizedRows(plan: self, column: place, mayBeNull: !isNotNull)
    }
    // A row that stands nowhere may have NULL for a key, but it has a round.
    let isKey = place == closure.walk.place
    var isSet = isKey && closure.walk.carriedCount == 0
    switch closure.repetition {
    case .never: break
    case .byRound, .always: isSet = false
    }
    return SummarizedRows(
      plan: self, column: place, isKey: isSet, mayBeNull: isKey && !closure.reachesRowsOnly)
  }

  /// The rows of a closure that meet conditions on them, of which it is kept for which rows they hold, and on rounds.
  private func summarized(
    _ id: ColumnID?, where conditions: [BoundExpression]
  ) -> SummarizedRows? {
    guard let (plan, places) = closurePlaces, case .closure(let closure) = plan.node,
      closure.reachesRowsOnly
    else { return nil }
    var meaning: ColumnMap<BoundExpression> = [:]
    var known: ColumnSet = []
    for column in outputs {
      guard let place = places[column.id] else { continue }
      meaning[column.id] = plan.outputs[place].reference
      known.insert(column.id)
    }
    guard conditions.columns.isSubset(of: known),
      let place = id.map({ places[$0] }) ?? closure.walk.place, !closure.walk.carries(place)
    else { return nil }
    var found = plan.summarized(closure, place)
    let counting = closure.walk.rounds.map { plan.outputs[$0.place].id }
    let rows = closure.rows(plan.outputs)
    for condition in conditions {
      let filter = condition.replacing(meaning)
      if let counting, filter.columns.contains(counting) {
        found.roundFilters.append(filter)
      } else if filter.dependsOnRowAlone {
        found.filters.append(filter)
      } else if let excluded = rows?.excludedKey(filter), excluded.column == closure.keyColumn {
        found.exclusions.append(filter)
      } else {
        return nil
      }
    }
    if let counting, found.roundFilters.comparisons(of: counting) == nil { return nil }
    return found
  }

  /// Whether an access to a table has no conditions.
  private var knowsCount: Bool {
    if case .scan(let scan) = node { return scan.filters.isEmpty }
    if case .keyLookup(let lookup) = node { return lookup.filters.isEmpty }
    if case .adjacencyLookup(let lookup) = node { return lookup.step.filters.isEmpty }
    return true
  }
}
