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
    try self.init(path, CatalogView.of(db))
  }

  init(_ path: LinkPath, _ view: CatalogView) throws(SQLError) {
    guard let hop = path.hops.first else { throw .internal("a path without a relation") }
    (self.path, self.view) = (path, view)
    route = try RelationRoute.of(hop, view)
    near = try path.start.values(of: route)
  }

  // MARK: Questions

  /// A row if one belongs to it.
  func presence(of row: RowStart) throws(SQLError) -> SQL {
    guard let junction = route.junction else {
      let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
      let values = try row.values(ofColumns: key, in: route.to) + near
      let columns = route.to.definition.spelled(key + route.toColumns)
      return presence(in: route.to.name, columns, values)
    }
    let values = try near + row.values(asTargetOf: route)
    let text = try route.text(.contains) { () throws(SQLError) in
      presence(in: junction.spelledName, junction.spelled(route.linkColumns), values).text
    }
    return SQL(raw: text, values)
  }

  private func presence(in table: String, _ columns: [String], _ values: [SQLValue]) -> SQL {
    var writer = SQLWriter()
    writer.write("SELECT 1 FROM \(table) WHERE ")
    write(columns, values, to: &writer)
    writer.write(" LIMIT 1")
    return writer.sql
  }

  // MARK: Changes

  /// Links those rows that are not linked.
  func addition(of rows: [RowStart]) throws(SQLError) -> SQL {
    guard let junction = route.junction else { return try adoption(of: rows) }
    if rows.count == 1, route.orderColumn == nil {
      // Of one link a statement is made that is the same for all.
      let values = try near + rows[0].values(asTargetOf: route)
      let text = try route.text(.add) { () throws(SQLError) in
        try insertion(of: rows, into: junction).sql.text
      }
      return SQL(raw: text, values)
    }
    return try insertion(of: rows, into: junction).sql
  }

  /// The INSERT of those links that are not there.
  private func insertion(
    of rows: [RowStart], into junction: TableDefinition
  ) throws(SQLError) -> SQLWriter {
    let keys = try distinctKeys(of: rows, route.toColumns)
    let columns = junction.spelled(route.linkColumns)
    let order = route.orderColumn
    var writer = SQLWriter()
    writer.write("INSERT INTO \(junction.spelledName) ")
    writer.write("(\((columns + (order.map { [$0] } ?? [])).joined(separator: ", "))) ")
    guard let order else {
      if keys.count == 1 {
        writer.write("VALUES (")
        writer.bind(near + keys[0])
        writer.write(") ON CONFLICT DO NOTHING")
        return writer
      }
      writer.write("SELECT ")
      bindCast(near, junction, route.nearColumns, to: &writer)
      writer.write(", \(Self.keys).* FROM ")
      writeKeys(keys, junction, route.farColumns, to: &writer)
      writer.write(" ON CONFLICT DO NOTHING")
      return writer
    }
    writer.write("SELECT ")
    bindCast(near, junction, route.nearColumns, to: &writer)
    let names = route.farColumns.indices.map { Self.keyName($0) }
    writer.write(", \(names.joined(separator: ", ")), ")
    writer.write("coalesce((SELECT max(\(order)) FROM \(junction.spelledName) WHERE ")
    write(junction.spelled(route.nearColumns), near, to: &writer)
    writer.write("), -1) + row_number() OVER (ORDER BY \(Self.place)) FROM ")
    writeKeys(keys, junction, route.farColumns, to: &writer, numbered: true)
    writer.write(" WHERE NOT EXISTS (SELECT 1 FROM \(junction.spelledName) AS \"+link\" WHERE ")
    write(junction.spelled(route.nearColumns, of: "\"+link\""), near, to: &writer)
    for (name, column) in zip(names, junction.spelled(route.farColumns, of: "\"+link\"")) {
      writer.write(" AND \(column) = \(name)")
    }
    writer.write(") ON CONFLICT DO NOTHING")
    return writer
  }

  /// Lets children belong to the row.
  private func adoption(of rows: [RowStart]) throws(SQLError) -> SQL {
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
    return writer.sql
  }

  /// Of rows none of which was linked now: that they belong to it already, and not that they are not there.
  ///
  /// - Throws: 23503 if there is none of them; a junction table says so itself.
  func checkPresence(
    of rows: [RowStart], _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) {
    if route.junction != nil { return }
    let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
    var writer = SQLWriter()
    writer.write("SELECT count(*) FROM \(route.to.name) WHERE ")
    try writeIsOne(of: rows, key, to: &writer)
    if try db.fetchOne(Int.self, writer.sql) == 0 {
      throw SQLError(
        .foreignKeyViolation, "table \"\(route.to.definition.name.name)\" does not have the row",
        hint: "Insert it first.")
    }
  }

  /// Lets rows no longer belong to it.
  func removal(of rows: [RowStart]) throws(SQLError) -> SQL {
    if let junction = route.junction {
      let keys = try distinctKeys(of: rows, route.toColumns)
      if keys.count == 1 {
        let text = try route.text(.remove) { () throws(SQLError) in
          removal(of: keys, from: junction).text
        }
        return SQL(raw: text, near + keys[0])
      }
      return removal(of: keys, from: junction)
    }
    var writer = SQLWriter()
    let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
    writer.write("UPDATE \(route.to.name) SET ")
    let columns = route.to.definition.spelled(route.toColumns)
    writer.write(columns.map { "\($0) = NULL" }.joined(separator: ", "))
    writer.write(" WHERE ")
    try writeIsOne(of: rows, key, to: &writer)
    writer.write(" AND ")
    write(columns, near, to: &writer)
    return writer.sql
  }

  private func removal(of keys: [[SQLValue]], from junction: TableDefinition) -> SQL {
    var writer = SQLWriter()
    writer.write("DELETE FROM \(junction.spelledName) WHERE ")
    write(junction.spelled(route.nearColumns), near, to: &writer)
    writer.write(" AND ")
    writeIsOne(of: keys, junction, route.farColumns, to: &writer)
    return writer.sql
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

  /// Keys of rows as a table with a column for each of some columns, and the place of the key if they are numbered.
  ///
  /// The text is the same for any number of keys.
  func writeKeys(
    _ keys: [[SQLValue]], _ table: TableDefinition, _ columns: [Int],
    to writer: inout SQLWriter, numbered: Bool = false
  ) {
    writer.write("unnest(")
    for (index, column) in columns.enumerated() {
      if index > 0 { writer.write(", ") }
      writer.bind(.array(keys.map { $0[index] }))
      writer.write("::" + table.typeName(ofColumn: column) + "[]")
    }
    writer.write(numbered ? ") WITH ORDINALITY AS \(Self.keys) (" : ") AS \(Self.keys) (")
    let names = columns.indices.map { Self.keyName($0) } + (numbered ? [Self.place] : [])
    writer.write(names.joined(separator: ", ") + ")")
  }

  /// The names of the table of keys, of its columns, and of the places of its rows; those of a program do not begin with a plus.
  static let keys = "\"+keys\""
  static let place = "\"+place\""
  static func keyName(_ index: Int) -> String { "\"+key_\(index)\"" }

  /// The keys of rows, each once, in their order.
  ///
  /// - Throws: 55000 for a row that has none yet.
  func distinctKeys(
    of rows: [RowStart], _ columns: [Int]
  ) throws(SQLError) -> [[SQLValue]] {
    if rows.count == 1 { return [try rows[0].values(ofColumns: columns, in: route.to)] }
    var seen: Set<[SQLValue]> = []
    var keys: [[SQLValue]] = []
    for row in rows {
      let key = try row.values(ofColumns: columns, in: route.to)
      if seen.insert(key).inserted { keys.append(key) }
    }
    return keys
  }

  /// That a row of the table that the relation leads to is one of some rows, by its key.
  func writeIsOne(
    of rows: [RowStart], _ key: [Int], to writer: inout SQLWriter
  ) throws(SQLError) {
    let keys = try distinctKeys(of: rows, key)
    writeIsOne(of: keys, route.to.definition, key, to: &writer)
  }

  /// That some columns of a table have one of some keys.
  func writeIsOne(
    of keys: [[SQLValue]], _ table: TableDefinition, _ columns: [Int],
    to writer: inout SQLWriter
  ) {
    if keys.count == 1 { return write(table.spelled(columns), keys[0], to: &writer) }
    writer.writeRow(table.spelled(columns))
    writer.write(" IN (SELECT * FROM ")
    writeKeys(keys, table, columns, to: &writer)
    writer.write(")")
  }
}

extension LinkPath {
  /// Whether a row belongs to its start.
  func contains(
    _ row: RowStart, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> Bool {
    try !db.run(
      Request(.made { (view) throws(SQLError) in try LinkChange(self, view).presence(of: row) })
    ).isEmpty
  }

  /// Links rows to its start.
  ///
  /// - Returns: How many were not linked before.
  func add(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    if rows.isEmpty { return 0 }
    let added = try db.run(
      Request(.made { (view) throws(SQLError) in try LinkChange(self, view).addition(of: rows) })
    ).rowCount
    if added == 0 { try LinkChange(self, db).checkPresence(of: rows, db) }
    return added
  }

  /// Lets rows no longer belong to its start.
  ///
  /// - Returns: How many did before.
  func remove(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    if rows.isEmpty { return 0 }
    return try db.run(
      Request(.made { (view) throws(SQLError) in try LinkChange(self, view).removal(of: rows) })
    ).rowCount
  }
}
