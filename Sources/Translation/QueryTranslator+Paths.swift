import Catalog
import Columnar
import Planning
import SQLSyntax

/// Paths of graph patterns, as rounds.
extension QueryTranslator {
  /// The block of a search for one shortest path between each two vertices: rounds find, for each start, the vertices that are one
  /// step further.
  ///
  /// A vertex that was reached before is left out of a round, so the length with which it was found is the least.
  func searched(_ path: PathPlan) throws(Refusal) -> SelectBlock {
    let search = try PathRounds(path)
    if !path.input.freeColumns.isEmpty || !path.target.freeColumns.isEmpty {
      throw PathRounds.refusal("a path within a correlated subquery")
    }
    let name = commonAlias("reached")
    let columns = PathRounds.names.map { makeColumn($0, search.keyType) }
    let id = -1 - rounds.count
    working[id] = (name + "_new", PathRounds.names)
    var anchor = try firstRound(of: path)
    var step = try step(of: search, from: .workingTable(id: id, columns: columns), columns)
    (anchor.with, step.with) = (withClause(), withClause())
    rounds.append(
      TranslatedQuery.Rounds(
        name: name, anchor: anchor, step: step, keys: ["origin", "node", "counted"]))
    working[id] = (name, PathRounds.names)
    return try block(
      joining: path, .workingTable(id: id, columns: columns), columns, search.leastLength)
  }

  private func makeColumn(_ name: String, _ type: LogicalType) -> PlanColumn {
    factory.make(name, type)
  }

  /// The starts, which nothing leads to yet.
  private func firstRound(of path: PathPlan) throws(Refusal) -> SelectStatement {
    let input = try block(for: path.input, upTo: .joined)
    var block = input.stage == .joined ? input : try wrapped(input, path.input.outputs)
    let start = try lookUp(path.start, block.columns).expression
    block.orderBy = []
    return block.statement([
      ("origin", start), ("node", start), ("length", .number(0)), ("counted", .number(0)),
    ])
  }

  /// What one time of the repeated part leads to, from the vertices that were found last.
  private func step(
    of search: PathRounds, from found: LogicalPlan, _ columns: [PlanColumn]
  ) throws(Refusal) -> SelectStatement {
    var plan = found
    var node = columns[1]
    func keep(_ condition: LogicalPlan?) {
      guard let condition, let key = condition.outputs.first else { return }
      plan = .join(
        JoinPlan(.semi, plan, condition, on: [.comparison(.equal, key.reference, node.reference)]))
    }
    keep(search.sites[0])
    for (index, ways) in search.hops.enumerated() {
      let kinds = try ways.map { (way) throws(Refusal) in try edges(of: way) }
      var union = kinds[0]
      for other in kinds.dropFirst() {
        let columns = union.outputs.map { makeColumn($0.name, $0.type) }
        union = .setOperation(
          SetOperationPlan(.union, isAll: true, union, other, columns: columns))
      }
      let ends = union.outputs
      plan = .join(
        JoinPlan(
          .inner, plan, union, on: [.comparison(.equal, ends[0].reference, node.reference)]))
      node = ends[1]
      keep(search.sites[index + 1])
    }
    var block = try block(for: plan, upTo: .joined)
    let length = SQLSyntax.Expression.infix(
      try lookUp(columns[2].id, block.columns).expression, "+", .number(search.hops.count))
    if let most = search.greatestLength {
      block.filter.append(Piece(.infix(length, "<=", .number(most))))
    }
    let least = search.leastLength
    return block.statement([
      ("origin", try lookUp(columns[0].id, block.columns).expression),
      ("node", try lookUp(node.id, block.columns).expression), ("length", length),
      (
        "counted",
        least == 0
          ? .number(0)
          : .cases(
            [(.infix(length, "<", .number(least)), length)], otherwise: .number(least))
      ),
    ])
  }

  /// The edges of one way, as the key that each leads from and the key that it leads to.
  private func edges(of way: PathRounds.Way) throws(Refusal) -> LogicalPlan {
    let plan: LogicalPlan
    let ends: [PlanColumn]
    switch way.source {
    case .plan(let links, let from, let to):
      plan = links
      ends = [from, to]
    case .table(let table, let from, let to, let rows):
      let own = [from, to].map { makeColumn(table.columns[$0].name, table.columns[$0].type) }
      let added = zip([from, to], own).map { ScanPlan.Column($1, index: $0) }
      if let rows {
        guard let found = rows.adding(added, of: table) else {
          throw PathRounds.refusal("a path with such a condition on an edge")
        }
        plan = found
      } else {
        plan = .scan(
          ScanPlan(table: table, alias: table.name.name, columns: added, filters: []))
      }
      ends = own
    }
    var conditions = ends.map { BoundExpression.isNull($0.reference, negated: true) }
    if way.skipsLoops {
      conditions.append(.comparison(.notEqual, ends[0].reference, ends[1].reference))
    }
    return .project(
      .filter(plan, conditions),
      ends.map { ProjectedColumn(makeColumn($0.name, $0.type), $0.reference) })
  }

  /// The ends of paths joined with what was reached.
  private func block(
    joining path: PathPlan, _ reached: LogicalPlan, _ columns: [PlanColumn], _ least: Int
  ) throws(Refusal) -> SelectBlock {
    func column(_ id: ColumnID, of plan: LogicalPlan) throws(Refusal) -> BoundExpression {
      guard let found = plan.outputs.first(where: { $0.id == id }) else {
        throw PathRounds.refusal("a path between such vertices")
      }
      return found.reference
    }
    let plan = LogicalPlan.join(
      JoinPlan(
        .inner,
        .join(
          JoinPlan(
            .inner, path.input, reached,
            on: [
              .comparison(.equal, columns[0].reference, try column(path.start, of: path.input))
            ])), path.target,
        on: [.comparison(.equal, columns[1].reference, try column(path.end, of: path.target))]))
    var block = try block(for: plan, upTo: .joined)
    let counted = try lookUp(columns[3].id, block.columns).expression
    block.filter.append(Piece(.infix(counted, "=", .number(least))))
    for output in path.outputs {
      block.columns[output.column.id] = try lookUp(columns[2].id, block.columns)
    }
    return block
  }
}

extension LogicalPlan {
  /// A plan that gives positions of rows of a table, giving columns of these rows instead; nil where they are not to be had.
  fileprivate func adding(
    _ columns: [ScanPlan.Column], of table: TableDefinition
  ) -> LogicalPlan? {
    guard case .project(let input, let list) = self, list.count == 1,
      let position = list[0].expression.asColumn
    else { return nil }
    let plan = input.extendingScan(of: position, by: columns)
    let known = Set(plan.outputs.map(\.id))
    return columns.allSatisfy { known.contains($0.column.id) } ? plan : nil
  }

  private func extendingScan(
    of position: ColumnID, by columns: [ScanPlan.Column]
  ) -> LogicalPlan {
    if case .scan(var scan) = self, scan.columns.contains(where: { $0.column.id == position }) {
      scan.columns += columns
      return .scan(scan)
    }
    return mapInputs { $0.extendingScan(of: position, by: columns) }
  }
}
