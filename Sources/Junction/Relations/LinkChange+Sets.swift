import Catalog
import Diagnostics

extension LinkChange {
  /// Makes these the rows that belong to the row.
  func set(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> LinkChanges {
    guard let junction = route.junction else { return try setChildren(rows, db) }
    let keys = try distinctKeys(of: rows, route.toColumns)
    let order = route.orderColumn
    let far = junction.spelled(route.farColumns)
    let names = route.farColumns.indices.map { Self.keyName($0) }
    var writer = SQLWriter()
    writer.write("WITH \(Self.keys) AS (SELECT * FROM ")
    writeKeys(keys, junction, route.farColumns, to: &writer, numbered: true)
    writer.write("), removed AS (DELETE FROM \(junction.spelledName) WHERE ")
    write(junction.spelled(route.nearColumns), near, to: &writer)
    writer.write(" AND ")
    writer.writeRow(far)
    writer.write(" NOT IN (SELECT \(names.joined(separator: ", ")) FROM \(Self.keys)) RETURNING 1)")
    if let order {
      writer.write(
        ", moved AS (UPDATE \(junction.spelledName) SET \(order) = \(Self.place) - 1 FROM \(Self.keys) WHERE "
      )
      write(junction.spelled(route.nearColumns), near, to: &writer)
      for (column, name) in zip(far, names) { writer.write(" AND \(column) = \(name)") }
      writer.write(" AND \(order) IS DISTINCT FROM \(Self.place) - 1 RETURNING 1)")
    }
    writer.write(", added AS (INSERT INTO \(junction.spelledName) (")
    writer.write(junction.spelled(route.nearColumns + route.farColumns).joined(separator: ", "))
    if let order { writer.write(", \(order)") }
    writer.write(") SELECT ")
    bindCast(near, junction, route.nearColumns, to: &writer)
    writer.write(", \(names.joined(separator: ", "))")
    if order != nil { writer.write(", \(Self.place) - 1") }
    writer.write(" FROM \(Self.keys) ON CONFLICT DO NOTHING RETURNING 1)")
    writer.write(" SELECT (SELECT count(*) FROM added), (SELECT count(*) FROM removed)")
    return try changes(writer, db)
  }

  private func setChildren(
    _ rows: [RowStart], _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> LinkChanges {
    let key = try route.to.keyOrFail.map { route.to.columns[$0].index }
    let columns = route.to.definition.spelled(route.toColumns)
    var writer = SQLWriter()
    writer.write("WITH removed AS (UPDATE \(route.to.name) SET ")
    writer.write(columns.map { "\($0) = NULL" }.joined(separator: ", "))
    writer.write(" WHERE ")
    write(columns, near, to: &writer)
    if !rows.isEmpty {
      writer.write(" AND NOT (")
      try writeIsOne(of: rows, key, to: &writer)
      writer.write(")")
    }
    writer.write(" RETURNING 1)")
    guard !rows.isEmpty else {
      writer.write(" SELECT 0, (SELECT count(*) FROM removed)")
      return try changes(writer, db)
    }
    writer.write(", added AS (UPDATE \(route.to.name) SET ")
    writeAssignments(columns, near, to: &writer)
    writer.write(" WHERE ")
    try writeIsOne(of: rows, key, to: &writer)
    writer.write(" AND (")
    for (index, (column, value)) in zip(columns, near).enumerated() {
      if index > 0 { writer.write(" OR ") }
      writer.write("\(column) IS DISTINCT FROM ")
      writer.bind(value)
    }
    writer.write(") RETURNING 1)")
    writer.write(" SELECT (SELECT count(*) FROM added), (SELECT count(*) FROM removed)")
    return try changes(writer, db)
  }

  private func changes(
    _ writer: SQLWriter, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> LinkChanges {
    let rows = try db.query(writer.sql)
    guard let row = rows.first else { throw .internal("no numbers of changes") }
    return LinkChanges(added: try row[0, as: Int.self], removed: try row[1, as: Int.self])
  }

  /// Moves a row to a place in the order, or links it there.
  func place(
    _ row: RowStart, at index: Int, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) {
    guard let junction = route.junction, let order = route.orderColumn else {
      throw SQLError(
        .objectNotInPrerequisiteState, "the relation keeps no order",
        hint: "Say which column does: Many<\(route.to.typeName)>(orderedBy: \"…\").")
    }
    let key = try row.values(ofColumns: route.toColumns, view)
    let alias = "\"+link\""
    let near = junction.spelled(route.nearColumns, of: alias)
    let far = junction.spelled(route.farColumns, of: alias)
    // All places are counted anew with the row between those before and behind; only those that differ are written.
    var move = SQLWriter()
    move.write("UPDATE \(junction.spelledName) AS \(alias) SET \(order) = numbered.place FROM (")
    move.write("SELECT \(far.joined(separator: ", ")), ")
    move.write(
      "row_number() OVER (ORDER BY CASE WHEN \"+is\" THEN 2 * \(max(0, index)) ELSE 2 * \"+others\" + 1 END) - 1 AS place FROM ("
    )
    move.write("SELECT \(far.joined(separator: ", ")), ")
    writeIsRow(far, key, to: &move)
    move.write(" AS \"+is\", count(*) FILTER (WHERE NOT ")
    writeIsRow(far, key, to: &move)
    move.write(
      ") OVER (ORDER BY \(alias).\(order), \(far.joined(separator: ", "))) - 1 AS \"+others\"")
    move.write(" FROM \(junction.spelledName) AS \(alias) WHERE ")
    write(near, self.near, to: &move)
    move.write(") AS \(alias)) AS numbered WHERE ")
    write(near, self.near, to: &move)
    for column in junction.spelled(route.farColumns) {
      move.write(" AND \(alias).\(column) = numbered.\(column)")
    }
    move.write(" AND \(alias).\(order) IS DISTINCT FROM numbered.place")
    let link = try addition(of: row) { _ in [] }
    _ = try db.run(Request(.unit([link, move.sql])))
  }

  private func writeIsRow(_ far: [String], _ key: [SQLValue], to writer: inout SQLWriter) {
    writer.write("(")
    write(far, key, to: &writer)
    writer.write(")")
  }

  /// The statement that links a row, or changes the link there is; `assigned` gives what the link's other columns are to be.
  func addition(
    of row: RowStart,
    _ assigned: (RecordLayout) throws(SQLError) -> [(column: RecordColumn, value: SQLValue)]
  ) throws(SQLError) -> SQL {
    guard let junction = route.junction else { throw .internal("a link without a junction") }
    var columns = junction.spelled(route.nearColumns + route.farColumns)
    var values = near + (try row.values(ofColumns: route.toColumns, view))
    var changes: [String] = []
    if let link = try path.hops.first?.link?.layout(view) {
      for (column, value) in try assigned(link) {
        columns.append(column.name)
        values.append(value)
        changes.append("\(column.name) = excluded.\(column.name)")
      }
    }
    var writer = SQLWriter()
    let order = route.orderColumn
    if let order, !columns.contains(order) {
      writer.write(
        "INSERT INTO \(junction.spelledName) (\((columns + [order]).joined(separator: ", "))) VALUES ("
      )
      writer.bind(values)
      writer.write(", coalesce((SELECT max(\(order)) + 1 FROM \(junction.spelledName) WHERE ")
      write(junction.spelled(route.nearColumns), near, to: &writer)
      writer.write("), 0))")
    } else {
      writer.write(
        "INSERT INTO \(junction.spelledName) (\(columns.joined(separator: ", "))) VALUES (")
      writer.bind(values)
      writer.write(")")
    }
    guard !changes.isEmpty else {
      writer.write(" ON CONFLICT DO NOTHING")
      return writer.sql
    }
    let key = junction.spelled(route.nearColumns + route.farColumns).joined(separator: ", ")
    writer.write(" ON CONFLICT (\(key)) DO UPDATE SET \(changes.joined(separator: ", "))")
    return writer.sql
  }

  /// Links a row, or changes the link there is.
  func add(
    _ row: RowStart,
    _ assigned: (RecordLayout) throws(SQLError) -> [(column: RecordColumn, value: SQLValue)],
    _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) {
    try db.execute(addition(of: row, assigned))
  }

  /// Makes a row the partner of the row, or nil for none.
  func setPartner(
    _ row: RowStart?, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) {
    let layout: RecordLayout
    let references: [Int]
    let holder: RowStart?
    let partner: [SQLValue]?
    switch route.relationship.route {
    case .toParent(let key):
      (layout, references, holder) = (route.from, key.columns, path.start)
      partner = try row.map { (row) throws(SQLError) in
        try row.values(ofColumns: key.parentColumns, view)
      }
    case .toChildren(let key):
      (layout, references, holder, partner) = (route.to, key.columns, row, near)
    case .throughJunction: throw .internal("a partner through a junction")
    }
    let columns = layout.definition.spelled(references)
    let cleared = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    var statements: [SQL] = []
    // Whoever refers to the partner lets go of it, where only one may, or all of them where the row itself is the partner.
    if let partner, route.relationship.cardinality == .oneToOne {
      var release = SQLWriter()
      release.write("UPDATE \(layout.name) SET \(cleared) WHERE ")
      write(columns, partner, to: &release)
      if let holder {
        // Who refers to it already need not let go, and may not where the reference is never NULL.
        let key = try layout.keyOrFail.map { layout.columns[$0].index }
        release.write(" AND NOT (")
        write(
          layout.definition.spelled(key), try holder.values(ofColumns: key, view), to: &release)
        release.write(")")
      }
      statements.append(release.sql)
    }
    if let holder {
      let key = try layout.keyOrFail.map { layout.columns[$0].index }
      var refer = SQLWriter()
      refer.write("UPDATE \(layout.name) SET ")
      if let partner {
        writeAssignments(columns, partner, to: &refer)
      } else {
        refer.write(cleared)
      }
      refer.write(" WHERE ")
      write(
        layout.definition.spelled(key), try holder.values(ofColumns: key, view), to: &refer)
      statements.append(refer.sql)
    }
    let changed = try db.run(Request(.unit(statements))).rowCount
    if holder != nil, changed == 0 {
      throw SQLError(
        .noDataFound, "table \"\(layout.definition.name.name)\" does not have the row",
        hint: "Insert it first.")
    }
  }
}
