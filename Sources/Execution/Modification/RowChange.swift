package import Catalog
package import Columnar
import Planning
package import Storage

/// INSERT of one row of parameters and constants, or DELETE of one row by a whole key, carried out by itself: no
/// pipeline, no context, no clock.
///
/// It does what the statement would do where all goes well, and refuses before it has changed anything where
/// not: the statement is then run, and says what is wrong.
///
/// Sendable by rule: the session that owns the plan uses it.
package final class RowChange: @unchecked Sendable {
  /// How a key of one column is looked up.
  private enum KeyForm { case number, text, uuid }

  /// A key of one column, of this table or of a parent.
  private struct Key {
    let table: ObjectID
    /// The key by index.
    let index: Int
    /// The column of the image with the value.
    let column: Int
    let form: KeyForm
  }

  /// What is done with the row.
  private enum Action {
    case insert
    /// The row is an edge of a junction, between the ends that `parents` names.
    case deleteEdge(junction: Int)
    case deleteByKey(Key)
  }

  package let table: ObjectID
  package let isInsert: Bool
  private let action: Action
  /// The row, or the values of the key.
  private let image: RowImage
  /// The columns of the image that each parameter goes to.
  private let targets: [[Int]]
  private let parameterTypes: [LogicalType]
  /// For INSERT the key that each foreign key names, in their order; for DELETE the ends of the junction.
  private let parents: [Key]
  private let uniqueKeys: [Key]
  private let notNull: [Int]
  /// The junctions that have no two edges between the same rows.
  private let uniqueJunctions: [(index: Int, from: Int, to: Int)]
  private let positions: Buffer<UInt32>
  /// Keeps a reading from being left out that is done for its cache misses alone.
  private var touched: UInt32 = 0
  /// How each of `parents` is read, for the stamp of the table that it was taken from.
  private var readers: [(stamp: UInt64, reader: NumberReader?)]

  /// The change that a plan is, if it is one that can be carried out like this.
  package init?(_ plan: PhysicalPlan, in catalog: CatalogSnapshot, parameterTypes: [LogicalType]) {
    guard case .modify(let modify, let input) = plan.node,
      let (values, columns) = Self.values(of: modify, input, in: catalog),
      values.count == columns.count, columns.count <= RowImage.columnLimit
    else { return nil }
    let table = modify.table
    let image = RowImage(columnCount: columns.count)
    let types = columns.map { table.columns[$0].type }
    guard let targets = Self.targets(of: values, types, parameterTypes, image) else { return nil }
    self.table = table.id
    self.parameterTypes = parameterTypes
    self.image = image
    self.targets = targets
    readers = table.foreignKeys.map { _ in (0, nil) }
    positions = Buffer(repeating: TableStore.noRow, count: max(1, table.foreignKeys.count))
    let layout = table.layout
    uniqueJunctions = layout.junctions.indices.compactMap { index in
      let junction = layout.junctions[index]
      return junction.isUnique ? (index, junction.from, junction.to) : nil
    }
    if case .insert = modify.action {
      guard let parents = Self.parents(of: table, in: catalog),
        let keys = Self.uniqueKeys(of: table)
      else { return nil }
      self.parents = parents
      uniqueKeys = keys
      notNull = table.columns.indices.filter { table.columns[$0].isNotNull }
      isInsert = true
      action = .insert
    } else {
      guard let (action, ends) = Self.deletion(from: table, by: columns, layout, in: catalog) else {
        return nil
      }
      parents = ends
      uniqueKeys = []
      notNull = []
      isInsert = false
      self.action = action
    }
  }

  // MARK: Recognising a plan

  /// The values of the row or of the key, and the columns that they are of; nil for a change that asks for more.
  private static func values(
    of modify: ModifyPlan, _ input: PhysicalPlan, in catalog: CatalogSnapshot
  ) -> ([BoundExpression], [Int])? {
    guard modify.returning == nil, modify.rules.generated.isEmpty, modify.rules.checks.isEmpty,
      modify.viewChecks.isEmpty, !modify.continuesCount
    else { return nil }
    switch modify.action {
    case .insert(nil):
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
    default: return nil
    }
  }

  /// The places that each parameter goes to; constants are put into the image.
  private static func targets(
    of values: [BoundExpression], _ types: [LogicalType], _ parameterTypes: [LogicalType],
    _ image: RowImage
  ) -> [[Int]]? {
    var targets = [[Int]](repeating: [], count: parameterTypes.count)
    for (place, value) in values.enumerated() {
      let type = types[place]
      guard RowImage.holds(type) else { return nil }
      switch value {
      case .parameter(let index, let given)
      where targets.indices.contains(index) && fits(given, type)
        && parameterTypes[index].physical == given.physical:
        targets[index].append(place)
      case .constant(let constant, let given) where constant.isNull || fits(given, type):
        // A long text would stand with those that are forgotten after each run.
        if case .text(let bytes) = constant, bytes.count > TextView.inlineCapacity { return nil }
        image.set(place, constant)
      default: return nil
      }
    }
    return targets
  }

  /// How a row is found by a whole key, whose columns the image has in the order of `columns`, and the ends of the
  /// junction that keeps it.
  private static func deletion(
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
  private static func row(_ plan: PhysicalPlan) -> [BoundExpression]? {
    switch plan.node {
    case .values(let rows) where rows.count == 1: return rows[0]
    case .project(let input, let expressions):
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
    default: return nil
    }
  }

  /// The look-up of one key that gives the rows to delete.
  private static func lookup(_ plan: PhysicalPlan) -> KeyLookup? {
    switch plan.node {
    case .keyLookup(let lookup) where lookup.filters.isEmpty && lookup.keys.count == 1:
      return lookup
    case .project(let input, let expressions):
      for expression in expressions {
        guard case .column = expression else { return nil }
      }
      return lookup(input)
    default: return nil
    }
  }

  /// Whether values of a type are stored in a column as they are.
  private static func fits(_ given: LogicalType, _ type: LogicalType) -> Bool {
    given == type || (given.isInteger && type.isInteger && given.physical == type.physical)
      || (isPlainText(given) && isPlainText(type))
  }

  private static func isPlainText(_ type: LogicalType) -> Bool { type == .text || type == .varchar }

  private static func form(_ type: LogicalType) -> KeyForm? {
    if type.isInteger { return .number }
    if type == .uuid { return .uuid }
    return isPlainText(type) ? .text : nil
  }

  /// The key that each foreign key names; nil if one of them has several columns or two types.
  private static func parents(of table: TableDefinition, in catalog: CatalogSnapshot) -> [Key]? {
    var found: [Key] = []
    for foreign in table.foreignKeys {
      guard foreign.columns.count == 1, let parent = catalog.tables[foreign.parent],
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
  private static func uniqueKeys(of table: TableDefinition) -> [Key]? {
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

  // MARK: Parameters

  /// Whether parameter `index` takes whole numbers, and so many bits of them.
  package func takesNumber(_ number: Int64, for index: Int) -> Bool {
    switch parameterTypes[index] {
    case .smallint: Int16(exactly: number) != nil
    case .integer: Int32(exactly: number) != nil
    case .bigint: true
    default: false
    }
  }

  package var parameterCount: Int { parameterTypes.count }

  package func set(_ index: Int, number: Int64) {
    for column in targets[index] { image.set(column, number: number) }
  }

  /// Sets a parameter to a value of its type.
  package func set(_ index: Int, _ value: Value) {
    for column in targets[index] { image.set(column, value) }
  }

  /// Lets go of the texts of the last row.
  package func forgetTexts() { image.forgetTexts() }

  // MARK: Carrying it out

  /// Changes the row that the parameters tell.
  ///
  /// - Complexity: O(1) in rows.
  package func apply(
    _ tables: [ObjectID: TableStore], _ writer: TableWriter
  ) -> RowChangeOutcome {
    switch action {
    case .insert: return insert(tables, writer)
    case .deleteEdge(let junction):
      guard let from = findParent(0, tables, writer), let to = findParent(1, tables, writer)
      else { return .refused }
      if from == TableStore.noRow || to == TableStore.noRow { return .unchanged }
      touched = writer.current.touch(junction: junction, from: from, to: to)
      return delete(writer.current.edge(ofJunction: junction, from: from, to: to), writer)
    case .deleteByKey(let key):
      guard let position = find(key, tables, writer) else { return .refused }
      return delete(position, writer)
    }
  }

  private func delete(_ position: UInt32, _ writer: TableWriter) -> RowChangeOutcome {
    if position == TableStore.noRow { return .unchanged }
    writer.delete(position)
    return .changed
  }

  private func insert(
    _ tables: [ObjectID: TableStore], _ writer: TableWriter
  ) -> RowChangeOutcome {
    for column in notNull where image.isNull(column) { return .refused }
    for reference in parents.indices {
      guard let position = findParent(reference, tables, writer) else { return .refused }
      if position == TableStore.noRow && !image.isNull(parents[reference].column) {
        return .refused
      }
      positions[reference] = position
    }
    for key in uniqueKeys where find(key, tables, writer) != TableStore.noRow { return .refused }
    let store = writer.current
    for junction in uniqueJunctions {
      touched = store.touch(
        junction: junction.index, from: positions[junction.from], to: positions[junction.to])
      let existing = store.edge(
        ofJunction: junction.index, from: positions[junction.from], to: positions[junction.to])
      if existing != TableStore.noRow { return .refused }
    }
    writer.append(image, parents: positions)
    return .changed
  }

  /// The row with a parent's key, as `find`; by plain bytes where the key is a dense number.
  private func findParent(
    _ index: Int, _ tables: [ObjectID: TableStore], _ writer: TableWriter
  ) -> UInt32? {
    let key = parents[index]
    guard key.form == .number, key.table != table, let store = tables[key.table] else {
      return find(key, tables, writer)
    }
    if image.isNull(key.column) { return TableStore.noRow }
    let stamp = store.stamp
    var known = readers[index]
    if known.stamp != stamp {
      known = (stamp, store.keys[key.index].numberReader)
      readers[index] = known
    }
    guard let reader = known.reader else { return find(key, tables, writer) }
    return reader.position(of: image.number(key.column))
  }

  /// The row with a key that the image holds, `TableStore.noRow` for none or for NULL; nil if there is no such
  /// table.
  private func find(
    _ key: Key, _ tables: [ObjectID: TableStore], _ writer: TableWriter
  ) -> UInt32? {
    if image.isNull(key.column) { return TableStore.noRow }
    let store: TableStore
    if key.table == table {
      store = writer.current
    } else {
      guard let other = tables[key.table] else { return nil }
      store = other
    }
    switch key.form {
    case .number: return store.keys[key.index].lookup(image.number(key.column), in: store)
    case .text: return store.keys[key.index].lookup(image.text(key.column), in: store)
    case .uuid: return store.keys[key.index].lookup(image.uuid(key.column), in: store)
    }
  }
}
