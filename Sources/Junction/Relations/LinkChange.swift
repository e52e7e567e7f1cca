import Catalog
import Diagnostics

/// The links of one row, and the statements that change them.
struct LinkChange {
  let path: LinkPath
  let route: RelationRoute
  let view: CatalogView
  /// The values that name the row in the junction, or in its children.
  let near: [SQLValue]

  init(_ path: LinkPath, _ db: borrowing some Reader & ~Copyable) throws(SQLError) {
    guard let hop = path.hops.first else { throw .internal("a path without a relation") }
    self.path = path
    view = try CatalogView.of(db)
    route = try RelationRoute.of(hop, view)
    near = try path.start.values(
      ofColumns: route.fromColumns, view, orNull: route.relationship.isToOne)
  }

  // MARK: Questions

  func contains(
    _ row: RowStart, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> Bool {
    var writer = SQLWriter()
    if let junction = route.junction {
      let far = try row.values(ofColumns: route.toColumns, view)
      writer.write("SELECT 1 FROM \(junction.spelledName) WHERE ")
      write(junction.spelled(route.nearColumns + route.farColumns), near + far, to: &writer)
      writer.write(" LIMIT 1")
    } else {
      let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
      writer.write("SELECT 1 FROM \(route.to.name) WHERE ")
      write(
        route.to.definition.spelled(key + route.toColumns),
        try row.values(ofColumns: key, view) + near, to: &writer)
    }
    return try !db.query(writer.sql).isEmpty
  }

  // MARK: Changes

  /// Links rows.
  ///
  /// - Returns: How many were not linked before.
  func add(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    if rows.isEmpty { return 0 }
    guard let junction = route.junction else { return try adopt(rows, db) }
    let writer = try insertion(of: rows, into: junction)
    return try db.execute(writer.sql)
  }

  /// The INSERT of those links that are not there.
  private func insertion(
    of rows: [RowStart], into junction: TableDefinition
  ) throws(SQLError) -> SQLWriter {
    var keys: [[SQLValue]] = []
    for row in rows {
      let key = try row.values(ofColumns: route.toColumns, view)
      if rows.count < Self.fewMax, keys.contains(key) { continue }
      keys.append(key)
    }
    let columns = junction.spelled(route.nearColumns + route.farColumns)
    let order = route.orderColumn
    var writer = SQLWriter()
    writer.write("INSERT INTO \(junction.spelledName) ")
    writer.write("(\((columns + (order.map { [$0] } ?? [])).joined(separator: ", "))) ")
    guard let order else {
      // Of one link a statement is made that is the same for all.
      if keys.count == 1 {
        writer.write("VALUES (")
        writer.bind(near + keys[0])
        writer.write(") ON CONFLICT DO NOTHING")
        return writer
      }
      writer.write("SELECT ")
      bindCast(near, junction, route.nearColumns, to: &writer)
      writer.write(", keys.* FROM ")
      writeKeys(keys, junction, to: &writer)
      writer.write(" ON CONFLICT DO NOTHING")
      return writer
    }
    writer.write("SELECT ")
    bindCast(near, junction, route.nearColumns, to: &writer)
    let names = route.farColumns.indices.map { "keys.key_\($0)" }
    writer.write(", \(names.joined(separator: ", ")), ")
    writer.write("coalesce((SELECT max(\(order)) FROM \(junction.spelledName) WHERE ")
    write(junction.spelled(route.nearColumns), near, to: &writer)
    writer.write("), -1) + row_number() OVER (ORDER BY keys.place) FROM ")
    writeKeys(keys, junction, to: &writer, numbered: true)
    writer.write(" WHERE NOT EXISTS (SELECT 1 FROM \(junction.spelledName) AS link_1 WHERE ")
    write(junction.spelled(route.nearColumns, of: "link_1"), near, to: &writer)
    for (name, column) in zip(names, junction.spelled(route.farColumns, of: "link_1")) {
      writer.write(" AND \(column) = \(name)")
    }
    writer.write(") ON CONFLICT DO NOTHING")
    return writer
  }

  /// Of so many rows those that come twice are looked for before they are sent.
  private static let fewMax = 64

  /// Lets children belong to the row.
  private func adopt(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
    var writer = SQLWriter()
    writer.write("UPDATE \(route.to.name) SET ")
    writeAssignments(route.to.definition.spelled(route.toColumns), near, to: &writer)
    writer.write(" WHERE ")
    try writeIsOne(of: rows, key, to: &writer)
    writer.write(" AND (")
    for (index, (column, value)) in zip(route.to.definition.spelled(route.toColumns), near)
      .enumerated()
    {
      if index > 0 { writer.write(" OR ") }
      writer.write("\(column) IS DISTINCT FROM ")
      writer.bind(value)
    }
    writer.write(")")
    let changed = try db.execute(writer.sql)
    if changed > 0 { return changed }
    // Nothing changed: they belong to it already, or are not there.
    var present = SQLWriter()
    present.write("SELECT count(*) FROM \(route.to.name) WHERE ")
    try writeIsOne(of: rows, key, to: &present)
    if try db.fetchOne(Int.self, present.sql) == 0 {
      throw SQLError(
        .foreignKeyViolation, "table \"\(route.to.definition.name.name)\" does not have the row",
        hint: "Insert it first.")
    }
    return 0
  }

  /// Lets rows no longer belong to it.
  ///
  /// - Returns: How many did before.
  func remove(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    if rows.isEmpty { return 0 }
    var writer = SQLWriter()
    if let junction = route.junction {
      writer.write("DELETE FROM \(junction.spelledName) WHERE ")
      write(junction.spelled(route.nearColumns), near, to: &writer)
      writer.write(" AND ")
      writer.writeRow(junction.spelled(route.farColumns))
      try writeKeyList(of: rows, to: &writer)
    } else {
      let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
      writer.write("UPDATE \(route.to.name) SET ")
      let columns = route.to.definition.spelled(route.toColumns)
      writer.write(columns.map { "\($0) = NULL" }.joined(separator: ", "))
      writer.write(" WHERE ")
      try writeIsOne(of: rows, key, to: &writer)
      writer.write(" AND ")
      write(columns, near, to: &writer)
    }
    return try db.execute(writer.sql)
  }

  // MARK: Writing

  /// Writes `a = $1 AND b = $2`.
  func write(_ columns: [String], _ values: [SQLValue], to writer: inout SQLWriter) {
    for (index, (column, value)) in zip(columns, values).enumerated() {
      writer.write((index == 0 ? "" : " AND ") + column + " = ")
      writer.bind(value)
    }
  }

  /// Writes `a = $1, b = $2`.
  func writeAssignments(
    _ columns: [String], _ values: [SQLValue], to writer: inout SQLWriter
  ) {
    for (index, (column, value)) in zip(columns, values).enumerated() {
      writer.write((index == 0 ? "" : ", ") + column + " = ")
      writer.bind(value)
    }
  }

  /// Values in the types of columns, for where nothing else says what they are.
  func bindCast(
    _ values: [SQLValue], _ table: TableDefinition, _ columns: [Int], to writer: inout SQLWriter
  ) {
    for (index, (value, column)) in zip(values, columns).enumerated() {
      if index > 0 { writer.write(", ") }
      writer.bind(value)
      writer.write("::" + table.typeName(ofColumn: column))
    }
  }

  /// Keys of rows as a table `keys` with the columns `key_0`, `key_1`, …, and `place` if they are numbered.
  func writeKeys(
    _ keys: [[SQLValue]], _ junction: TableDefinition, to writer: inout SQLWriter,
    numbered: Bool = false
  ) {
    writer.write("unnest(")
    for (index, column) in route.farColumns.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.bind(.array(keys.map { $0[index] }))
      writer.write("::" + junction.typeName(ofColumn: column) + "[]")
    }
    writer.write(numbered ? ") WITH ORDINALITY AS keys (" : ") AS keys (")
    let names = route.farColumns.indices.map { "key_\($0)" } + (numbered ? ["place"] : [])
    writer.write(names.joined(separator: ", ") + ")")
  }

  /// That a row is one of some rows, by its key.
  func writeIsOne(
    of rows: [RowStart], _ key: [Int], to writer: inout SQLWriter
  ) throws(SQLError) {
    writer.writeRow(route.to.definition.spelled(key))
    writer.write(" IN (")
    for (index, row) in rows.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.bindRow(try row.values(ofColumns: key, view))
    }
    writer.write(")")
  }

  private func writeKeyList(of rows: [RowStart], to writer: inout SQLWriter) throws(SQLError) {
    writer.write(" IN (")
    for (index, row) in rows.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.bindRow(try row.values(ofColumns: route.toColumns, view))
    }
    writer.write(")")
  }
}
