package import Catalog
package import Columnar
import Planning
package import Storage

/// INSERT of one row of parameters and constants, also with ON CONFLICT DO NOTHING, or DELETE of one row by a whole key, carried out by itself: no
/// pipeline, no context, no clock.
///
/// It does what the statement would do where all goes well, and refuses before it has changed anything where
/// not: the statement is then run, and says what is wrong.
///
/// The session that owns the plan uses it.
package final class PreparedRowChange: SingleRowChange {
  /// How a key of one column is looked up.
  enum KeyForm { case number, text, uuid }

  /// A key of one column, of this table or of a parent.
  struct Key {
    let table: ObjectID
    /// The key by index.
    let index: Int
    /// The column of the image with the value.
    let column: Int
    let form: KeyForm
  }

  /// What a parameter is set from without a value of the engine in between.
  private enum ParameterForm { case int16, int32, int64, text, other }

  /// What is done with the row.
  enum Action {
    case insert
    /// The row is an edge of a junction, between the ends that `parents` names.
    case deleteEdge(junction: Int)
    case deleteByKey(Key)
  }

  package let table: ObjectID
  private let action: Action
  /// The row, or the values of the key.
  private let image: RowImage
  /// The columns of the image that parameters go to: those of parameter *i* from `targetStarts[i]` on.
  private let targets: Buffer<UInt8>
  private let targetStarts: Buffer<Int>
  private let forms: [ParameterForm]
  /// For INSERT the key that each foreign key names, in their order; for DELETE the ends of the junction.
  private let parents: [Key]
  private let uniqueKeys: [Key]
  /// Whether a row that conflicts with a key is left out.
  private let leavesOutConflicts: Bool
  /// The columns that hold no NULL, as bits.
  private let notNull: UInt64
  /// The junctions that have no two edges between the same rows.
  private let uniqueJunctions: [(index: Int, from: Int, to: Int)]
  /// The foreign keys by which rows are counted, and how many there may be.
  private let counted: [(reference: Int, bounds: ClosedRange<Int>)]
  /// Whether a new row needs others that refer to it.
  private let needsRows: Bool
  private let positions: Buffer<UInt32>
  /// Keeps a reading from being left out that is done for its cache misses alone.
  private var touched: UInt32 = 0
  /// The row to delete, found by `examine`.
  private var position = TableStore.noRow
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
    needsRows = catalog.needsRows(table)
    counted = table.cardinalities.compactMap { cardinality in
      table.foreignKey(of: cardinality).map { ($0, cardinality.bounds) }
    }
    self.image = image
    self.targets = Buffer(targets.joined().map { UInt8($0) })
    targetStarts = Buffer((0...targets.count).map { targets[..<$0].joined().count })
    forms = parameterTypes.map { type in
      switch type {
      case .smallint: .int16
      case .integer: .int32
      case .bigint: .int64
      case .text, .varchar: .text
      case .boolean, .real, .double, .numeric, .character, .name, .bytea, .date, .time, .timetz,
        .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid, .array,
        .record, .enumeration, .unknown, .void:
        .other
      }
    }
    readers = table.foreignKeys.map { _ in (0, nil) }
    positions = Buffer(repeating: TableStore.noRow, count: max(1, table.foreignKeys.count))
    let layout = table.layout
    uniqueJunctions = layout.junctions.indices.compactMap { index in
      let junction = layout.junctions[index]
      return junction.isUnique ? (index, junction.from, junction.to) : nil
    }
    if case .insert(let conflict) = modify.action {
      leavesOutConflicts = conflict != nil
      guard let parents = Self.parents(of: table, in: catalog),
        let keys = Self.uniqueKeys(of: table)
      else { return nil }
      self.parents = parents
      uniqueKeys = keys
      notNull = table.columns.indices.reduce(0) {
        $0 | (table.columns[$1].isNotNull ? 1 << UInt64($1) : 0)
      }
      action = .insert
    } else {
      guard let (action, ends) = Self.deletion(from: table, by: columns, layout, in: catalog) else {
        return nil
      }
      parents = ends
      uniqueKeys = []
      leavesOutConflicts = false
      notNull = 0
      self.action = action
    }
  }

  // MARK: Parameters

  package var parameterCount: Int { forms.count }

  /// Sets a parameter to a whole number; false if it takes none, or not this one.
  package func set(_ index: Int, number: Int64) -> Bool {
    let fits =
      switch forms[index] {
      case .int16: Int16(exactly: number) != nil
      case .int32: Int32(exactly: number) != nil
      case .int64: true
      case .text, .other: false
      }
    if !fits { return false }
    for target in targetStarts[index]..<targetStarts[index + 1] {
      image.set(Int(targets[target]), number: number)
    }
    return true
  }

  /// Sets a parameter to a text; false if it takes none, or not this one.
  package func set(_ index: Int, text: String) -> Bool {
    guard case .text = forms[index] else { return false }
    let bytes = text.utf8Span.span
    if bytes.hasZero { return false }
    for target in targetStarts[index]..<targetStarts[index + 1] {
      image.set(Int(targets[target]), text: bytes)
    }
    return true
  }

  /// Sets a parameter to a value of its type.
  package func set(_ index: Int, _ value: Value) {
    for target in targetStarts[index]..<targetStarts[index + 1] {
      image.set(Int(targets[target]), value)
    }
  }

  /// Lets go of the texts of the last row.
  package func forgetTexts() { image.forgetTexts() }

  // MARK: Carrying it out

  package func examine(
    _ store: TableStore, among tables: TableLookup
  ) -> RowChangeOutcome {
    switch action {
    case .insert: return examineInsert(store, tables)
    case .deleteEdge(let junction):
      guard let from = findParent(0, store, tables), let to = findParent(1, store, tables)
      else { return .refused }
      position = TableStore.noRow
      if from != TableStore.noRow && to != TableStore.noRow {
        touched = store.touch(junction: junction, from: from, to: to)
        position = store.edge(ofJunction: junction, from: from, to: to)
      }
    case .deleteByKey(let key):
      guard let found = find(key, store, tables) else { return .refused }
      position = found
    }
    return position == TableStore.noRow ? .unchanged : .changed
  }

  private func examineInsert(
    _ store: TableStore, _ tables: TableLookup
  ) -> RowChangeOutcome {
    if image.hasNull(among: notNull) { return .refused }
    for reference in parents.indices {
      guard let position = findParent(reference, store, tables) else { return .refused }
      if position == TableStore.noRow && !image.isNull(parents[reference].column) {
        return .refused
      }
      positions[reference] = position
    }
    let taken: RowChangeOutcome = leavesOutConflicts ? .unchanged : .refused
    for index in uniqueKeys.indices {
      guard let found = find(uniqueKeys[index], store, tables) else { return .refused }
      if found != TableStore.noRow { return taken }
    }
    for index in uniqueJunctions.indices {
      let junction = uniqueJunctions[index]
      touched = store.touch(
        junction: junction.index, from: positions[junction.from], to: positions[junction.to])
      let existing = store.edge(
        ofJunction: junction.index, from: positions[junction.from], to: positions[junction.to])
      if existing != TableStore.noRow { return taken }
    }
    return .changed
  }

  package func keepsCounts(in store: TableStore) -> Bool {
    if case .insert = action {
      if needsRows { return false }
      for (reference, bounds) in counted {
        let parent = positions[reference]
        if parent == TableStore.noRow { continue }
        if store.edges(from: reference).degree(of: parent) >= bounds.upperBound { return false }
      }
      return true
    }
    for (reference, bounds) in counted {
      let parent = store.parent(of: position, reference: reference)
      if parent == TableStore.noRow { continue }
      if store.edges(from: reference).degree(of: parent) <= bounds.lowerBound { return false }
    }
    return true
  }

  package var event: RowEvent {
    if case .insert = action { return .insert(image, parents: positions) }
    return .delete(position)
  }

  package func apply(to writer: RowWriter) {
    if case .insert = action {
      writer.append(image, parents: positions)
    } else {
      writer.delete(position)
    }
  }

  /// The row with a parent's key, as `find`; by plain bytes where the key is a dense number.
  private func findParent(
    _ index: Int, _ own: TableStore, _ tables: TableLookup
  ) -> UInt32? {
    let key = parents[index]
    guard key.form == .number, key.table != table, let store = tables(key.table) else {
      return find(key, own, tables)
    }
    if image.isNull(key.column) { return TableStore.noRow }
    let stamp = store.stamp
    var known = readers[index]
    if known.stamp != stamp {
      known = (stamp, store.keys[key.index].numberReader)
      readers[index] = known
    }
    guard let reader = known.reader else { return find(key, own, tables) }
    return reader.position(of: image.number(key.column))
  }

  /// The row with a key that the image holds, `TableStore.noRow` for none or for NULL; nil if there is no such
  /// table.
  private func find(
    _ key: Key, _ own: TableStore, _ tables: TableLookup
  ) -> UInt32? {
    if image.isNull(key.column) { return TableStore.noRow }
    guard let store = key.table == table ? own : tables(key.table) else { return nil }
    switch key.form {
    case .number: return store.position(of: image.number(key.column), key: key.index)
    case .text: return store.position(of: image.text(key.column), key: key.index)
    case .uuid: return store.position(of: image.uuid(key.column), key: key.index)
    }
  }
}
