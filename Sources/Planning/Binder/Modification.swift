import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// A statement of its own, not part of another.
  func bindTopLevel(_ statement: Statement) throws(SQLError) -> BoundQuery {
    let root = Scope(parent: nil)
    if case .select(let query) = statement { return try bindQuery(query, outer: root) }
    guard statement.changesRows else {
      throw SQLError.internal("a statement that is no query was given to the binder")
    }
    return try bindModification(statement, outer: root)
  }

  /// INSERT, UPDATE, DELETE or MERGE with its WITH.
  func bindModification(
    _ statement: Statement, outer: Scope
  ) throws(SQLError) -> BoundQuery {
    let with: WithClause? =
      if case .insert(let insert) = statement {
        insert.with
      } else if case .update(let update) = statement {
        update.with
      } else if case .delete(let delete) = statement {
        delete.with
      } else if case .merge(let merge) = statement {
        merge.with
      } else {
        nil
      }
    let scope = Scope(parent: outer)
    var definitions: [CommonDefinition] = []
    if let with { definitions = try bindWith(with, in: scope) }
    var bound: BoundQuery
    if case .insert(let insert) = statement {
      bound = try bindInsert(insert, outer: scope)
    } else if case .update(let update) = statement {
      bound = try bindUpdate(update, outer: scope)
    } else if case .delete(let delete) = statement {
      bound = try bindDelete(delete, outer: scope)
    } else if case .merge(let merge) = statement {
      bound = try bindMerge(merge, outer: scope)
    } else {
      throw SQLError.internal("a statement that changes nothing")
    }
    bound.plan = try attach(
      definitions, to: bound.plan, at: with?.range ?? .none)
    return bound
  }

  /// What a column gets where nothing is given for it.
  func defaultValue(
    of column: TableColumn
  ) throws(SQLError) -> BoundExpression {
    let type = column.columnType
    guard column.generated == nil else { return .constant(.null, type.type) }
    switch column.defaultValue {
    case nil: return .constant(.null, type.type)
    case .sequence(let id):
      dependencies.insert(id)
      let next = BoundExpression.session(
        .nextval, [.constant(.int64(Int64(id.number)), .oid)], .bigint)
      return try assign(next, to: type, column: column.name, at: .none)
    case .expression(let syntax):
      let scope = Scope(parent: nil)
      scope.clause = .columnDefault
      do throws(SQLError) {
        let value = try bind(syntax, in: scope)
        return try assign(value, to: type, column: column.name, at: .none)
      } catch {
        // The place is one in the table's definition.
        var moved = error
        moved.range = .none
        throw moved
      }
    }
  }

  /// Fresh columns that stand for a row of the table.
  func makeRow(of table: TableDefinition) -> [PlanColumn] {
    table.columns.map { makeColumn($0.name, $0.columnType) }
  }

  /// The entry that gives names to a row of the table.
  func rowEntry(
    _ table: TableDefinition, alias: TableAlias?, row: [PlanColumn]
  ) throws(SQLError) -> RangeEntry {
    let name = alias?.name.name ?? table.name.name
    let source = RangeSource(table: table, outputs: row.map(\.id))
    return RangeEntry(
      name: name, schema: alias == nil ? table.name.schema : nil,
      columns: try renamed(rangeColumns(row), alias, table: name, at: .none),
      relationName: alias == nil ? nil : table.name.name, source: source)
  }

  /// Generated columns and checks over a new row.
  func rowRules(
    of table: TableDefinition, row: [PlanColumn]
  ) throws(SQLError) -> RowRules {
    var rules = RowRules()
    let scope = Scope(parent: nil)
    scope.entries = [try rowEntry(table, alias: nil, row: row)]
    scope.registered = scope.entries
    do throws(SQLError) {
      for (index, column) in table.columns.enumerated() {
        guard let syntax = column.generated else { continue }
        scope.clause = .generated
        let value = try bind(syntax, in: scope)
        rules.generated.append(
          (index, try assign(value, to: column.columnType, column: column.name, at: .none)))
      }
      scope.clause = .check
      for check in table.checks {
        let value = try bindBoolean(check.expression, for: "CHECK", in: scope)
        rules.checks.append((check.name, value))
      }
    } catch {
      var moved = error
      moved.range = .none
      throw moved
    }
    return rules
  }

  /// RETURNING over the changed row and what else the statement reads.
  func bindReturning(
    _ items: [SelectItem], entries: [RangeEntry], outer: Scope
  ) throws(SQLError) -> (columns: [ProjectedColumn], ranges: [SourceRange])? {
    guard !items.isEmpty else { return nil }
    let scope = Scope(parent: outer)
    scope.clause = .returning
    scope.entries = entries
    scope.registered = entries
    let outputs = try bindItems(items, in: scope, keepsUnknown: false)
    try requireNoLeftovers(of: scope)
    let columns = outputs.map {
      ProjectedColumn(makeColumn($0.name, for: $0.expression), $0.expression)
    }
    return (columns, outputs.map(\.range))
  }

  /// A finished change of data.
  func modification(
    _ plan: ModifyPlan, _ kind: BoundStatement.Kind, ranges: [SourceRange] = []
  ) -> BoundQuery {
    BoundQuery(
      plan: .modify(plan), columns: plan.columnsReturned, ranges: ranges, kind: kind)
  }
}
