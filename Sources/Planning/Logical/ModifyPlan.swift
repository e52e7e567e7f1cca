package import Catalog

/// INSERT, UPDATE, DELETE or MERGE, with what RETURNING gives.
package struct ModifyPlan: Sendable {
  /// What is done.
  package enum Action: Sendable {
    /// `input` gives one column for each column of the table, in the table's order, defaults and casts applied.
    case insert(conflict: ConflictPlan?)
    /// `input` gives `position` and a column for each of `assignments`, cast and ready.
    case update(position: ColumnID, assignments: [(column: Int, value: ColumnID)])
    /// `input` gives `position`.
    case delete(position: ColumnID)
    /// For each input row `branch` (integer) picks one of the actions, -1 none.
    case merge(MergePlan)
  }
  package var table: TableDefinition
  package var action: Action
  package var input: LogicalPlan
  /// The columns of the input in the order that `insert` relies on.
  package var inputColumns: [PlanColumn]
  /// Expressions that the table's rules add, over `newRow`.
  package var rules: RowRules
  /// Whether its rows are counted on top of those of the change before it.
  package var continuesCount = false
  /// What new rows must meet because they are written through a view, over `row` and the input's columns.
  package var viewChecks: [ViewCheck] = []
  /// Columns that stand for the row's values in `returning` and `rules`: the new row (insert, update) or the old (delete).
  package var row: [PlanColumn]
  /// What RETURNING gives, over `row` and the input's columns; nil without RETURNING.
  package var returning: [ProjectedColumn]?
  /// Whether the table is written through a common table expression: rows seen are those before the statement.
  package var columnsReturned: [PlanColumn] { returning?.map(\.column) ?? [] }

  package init(
    table: TableDefinition, action: Action, input: LogicalPlan, inputColumns: [PlanColumn],
    rules: RowRules, row: [PlanColumn], returning: [ProjectedColumn]?
  ) {
    self.table = table
    self.action = action
    self.input = input
    self.inputColumns = inputColumns
    self.rules = rules
    self.row = row
    self.returning = returning
  }
}

/// What every new row of a table must meet, bound over `ModifyPlan.row`.
package struct RowRules: Sendable {
  /// Generated columns by index.
  package var generated: [(column: Int, expression: BoundExpression)]
  /// Checks by name; a check that is NULL is met.
  package var checks: [(name: String, expression: BoundExpression)]
  /// Unique and partial indices over expressions.
  package init(
    generated: [(column: Int, expression: BoundExpression)] = [],
    checks: [(name: String, expression: BoundExpression)] = []
  ) {
    self.generated = generated
    self.checks = checks
  }
}

/// The condition of a view WITH CHECK OPTION, which a new row must meet; NULL does not meet it.
package struct ViewCheck: Sendable {
  /// The view's name, for the error.
  package var view: String
  package var condition: BoundExpression
  /// Whether the input has computed it beforehand.
  package var isFromInput: Bool

  package init(view: String, condition: BoundExpression, isFromInput: Bool) {
    self.view = view
    self.condition = condition
    self.isFromInput = isFromInput
  }
}

/// ON CONFLICT.
package struct ConflictPlan: Sendable {
  /// The keys whose conflicts are meant, by index into the table's keys; nil is any.
  package var keys: [Int]?
  /// nil is DO NOTHING.
  package var update: Update?

  /// DO UPDATE.
  package struct Update: Sendable {
    /// Columns that stand for the row that is there.
    package var existing: [PlanColumn]
    /// Columns that stand for `excluded`.
    package var excluded: [PlanColumn]
    /// What is assigned, over `existing`, `excluded` and the input's columns.
    package var assignments: [(column: Int, value: BoundExpression)]
    package var filter: BoundExpression?

    package init(
      existing: [PlanColumn], excluded: [PlanColumn],
      assignments: [(column: Int, value: BoundExpression)], filter: BoundExpression?
    ) {
      self.existing = existing
      self.excluded = excluded
      self.assignments = assignments
      self.filter = filter
    }
  }

  package init(keys: [Int]?, update: Update?) {
    self.keys = keys
    self.update = update
  }
}

/// MERGE: one input row for each pair of the join, or source row without a match.
package struct MergePlan: Sendable {
  package enum Action: Sendable {
    case nothing
    case delete
    case update([(column: Int, value: ColumnID)])
    /// One input column for each column of the table.
    case insert([ColumnID])
  }
  /// The target row's position, NULL where the source row has no match.
  package var position: ColumnID
  /// Which branch applies, computed over the input; -1 for none.
  package var branch: ColumnID
  package var actions: [Action]

  package init(position: ColumnID, branch: ColumnID, actions: [Action]) {
    self.position = position
    self.branch = branch
    self.actions = actions
  }
}
