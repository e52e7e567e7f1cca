import Catalog
import Columnar
import Planning
import Storage

/// Which plans change one row and can be carried out by themselves.
extension PreparedRowChange {
  /// The values of the row or of the key, and the columns that they are of; nil for a change that asks for more.
  static func values(
    of modify: ModifyPlan, _ input: PhysicalPlan, in catalog: CatalogSnapshot
  ) -> ([BoundExpression], [Int])? {
    guard modify.returning == nil, modify.rules.generated.isEmpty, modify.rules.checks.isEmpty,
      modify.viewChecks.isEmpty, !modify.continuesCount
    else { return nil }
    switch modify.action {
    case .insert(let conflict):
      // DO NOTHING leaves out what conflicts with any key.
      if let conflict, conflict.keys != nil || conflict.update != nil { return nil }
      guard let row = row(input) else { return nil }
      var values: [BoundExpression] = []
      for column in modify.inputColumns {
        guard let place = input.outputs.firstIndex(where: { $0.id == column.id }) else {
          return nil
        }
        values.append(row[place])
      }
      return (values, Array(modify.table.columns.indices))
    case .delete:
      guard let lookup = lookup(input), lookup.table.id == modify.table.id,
        catalog.foreignKeys(to: modify.table.id).isEmpty
      else { return nil }
      return (lookup.keys[0], lookup.keyColumns)
    case .update, .merge: return nil
    }
  }

  /// The places that each parameter goes to; constants are put into the image.
  static func targets(
    of values: [BoundExpression], _ types: [LogicalType], _ parameterTypes: [LogicalType],
    _ image: RowImage
  ) -> [[Int]]? {
    var targets = [[Int]](repeating: [], count: parameterTypes.count)
    for (place, value) in values.enumerated() {
      let type = types[place]
      guard RowImage.holds(type) else { return nil }
      if case .parameter(let index, let given) = value,
        targets.indices.contains(index) && fits(given, type)
          && parameterTypes[index].physical == given.physical
      {
        targets[index].append(place)
      } else if case .constant(let constant, let given) = value,
        constant.isNull || fits(given, type)
      {
        // A long text would stand with those that are forgotten after each run.
        if case .text(let bytes) = constant, bytes.count > TextView.inlineCapacity { return nil }
        image.set(place, constant)
      } else {
        return nil
      }
    }
    return targets
  }

  /// How a row is found by a whole key, whose columns the image has in the order of `columns`, and the ends of the
  /// junction that keeps it.
  static func deletion(
    from table: TableDefinition, by columns: [Int], _ layout: TableLayout,
    in catalog: CatalogSnapshot
  ) -> (Action, [Key])? {
    guard
      let index = table.keys.firstIndex(where: {
        Set($0.columns) == Set(columns) && !$0.deferral.isDeferrable && !$0.nullsNotDistinct
      })
    else { return nil }
    guard let junction = layout.keys[index].junction else {
      guard columns.count == 1, let form = form(table.columns[columns[0]].type) else { return nil }
      return (.deleteByKey(Key(table: table.id, index: index, column: 0, form: form)), [])
    }
    guard let all = parents(of: table, in: catalog) else { return nil }
    var ends: [Key] = []
    for end in [layout.junctions[junction].from, layout.junctions[junction].to] {
      guard let place = columns.firstIndex(of: all[end].column) else { return nil }
      ends.append(
        Key(table: all[end].table, index: all[end].index, column: place, form: all[end].form))
    }
    return (.deleteEdge(junction: junction), ends)
  }

  /// The one row of a plan that is nothing but values.
  static func row(_ plan: PhysicalPlan) -> [BoundExpression]? {
    if case .values(let rows) = plan.node, rows.count == 1 { return rows[0] }
    if case .project(let input, let expressions) = plan.node {
      guard let row = row(input) else { return nil }
      var result: [BoundExpression] = []
      for expression in expressions {
        if case .column(let id, _) = expression {
          guard let place = input.outputs.firstIndex(where: { $0.id == id }) else { return nil }
          result.append(row[place])
        } else {
          result.append(expression)
        }
      }
      return result
    }
    return nil
  }

  /// The look-up of one key that gives the rows to delete.
  static func lookup(_ plan: PhysicalPlan) -> KeyLookup? {
    if case .keyLookup(let lookup) = plan.node, lookup.filters.isEmpty && lookup.keys.count == 1 {
      return lookup
    }
    if case .project(let input, let expressions) = plan.node {
      for expression in expressions {
        guard case .column = expression else { return nil }
      }
      return lookup(input)
    }
    return nil
  }

  /// Whether values of a type are stored in a column as they are.
  static func fits(_ given: LogicalType, _ type: LogicalType) -> Bool {
    given == type || (given.isInteger && type.isInteger && given.physical == type.physical)
      || (isPlainText(given) && isPlainText(type))
  }

  static func isPlainText(_ type: LogicalType) -> Bool { type == .text || type == .varchar }

  static func form(_ type: LogicalType) -> KeyForm? {
    if type.isInteger { return .number }
    if type == .uuid { return .uuid }
    return isPlainText(type) ? .text : nil
  }

  /// The key that each foreign key names; nil if one of them has several columns or two types, or is not enforced.
  static func parents(of table: TableDefinition, in catalog: CatalogSnapshot) -> [Key]? {
    var found: [Key] = []
    for foreign in table.foreignKeys {
      guard foreign.isEnforced, foreign.columns.count == 1,
        let parent = catalog.tables[foreign.parent],
        let index = parent.keys.firstIndex(where: { $0.columns == foreign.parentColumns }),
        !parent.keys[index].nullsNotDistinct, !parent.keys[index].deferral.isDeferrable,
        let form = form(table.columns[foreign.columns[0]].type),
        form == Self.form(parent.columns[foreign.parentColumns[0]].type)
      else { return nil }
      found.append(
        Key(table: parent.id, index: index, column: foreign.columns[0], form: form))
    }
    return found
  }

  /// The unique keys that need a look of their own; nil if one is of another form.
  static func uniqueKeys(of table: TableDefinition) -> [Key]? {
    var found: [Key] = []
    for (index, key) in table.layout.keys.enumerated() where index < table.keys.count {
      if table.keys[index].deferral.isDeferrable { return nil }
      if key.junction != nil { continue }
      guard key.columns.count == 1, !key.nullsNotDistinct,
        let form = form(table.columns[key.columns[0]].type)
      else { return nil }
      found.append(Key(table: table.id, index: index, column: key.columns[0], form: form))
    }
    return found
  }
}
