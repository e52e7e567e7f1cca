import Catalog
import Diagnostics

extension QueryRenderer {
  /// A condition on the rows of a table.
  ///
  /// Conditions are true or false, as in Swift. SQL's third value counts as false where nothing is made of a condition; under a
  /// negation it must not come up.
  mutating func write(
    _ condition: ConditionTree, _ table: Table, isNegated: Bool
  ) throws(SQLError) {
    switch condition {
    case .equal(let column, let value): try writeEqual(column, value, table, isNegated)
    case .equalColumns(let one, let other):
      try write(one, table)
      writer.write(" IS NOT DISTINCT FROM ")
      try write(other, table)
    case .compare(let column, let comparison, let value):
      try guarding(isNegated) { (renderer) throws(SQLError) in
        try renderer.write(column, table)
        renderer.writer.write(" \(comparison.rawValue) ")
        renderer.writer.bind(value)
      }
    case .isIn(let column, let values): try writeIsIn(column, values, table, isNegated)
    case .like(let column, let pattern):
      try guarding(isNegated) { (renderer) throws(SQLError) in
        try renderer.write(column, table)
        renderer.writer.write(" LIKE ")
        renderer.writer.bind(.text(pattern))
      }
    case .isTrue(let column):
      try guarding(isNegated) { (renderer) throws(SQLError) in try renderer.write(column, table) }
    case .all(let parts): try write(parts, " AND ", "true", table, isNegated)
    case .any(let parts): try write(parts, " OR ", "false", table, isNegated)
    case .not(let part):
      writer.write("NOT (")
      try write(part, table, isNegated: true)
      writer.write(")")
    case .sql(let sql):
      try guarding(isNegated) { (renderer) throws(SQLError) in
        renderer.writer.write("(" as String)
        renderer.writer.write(try sql.resolved(renderer.view, within: table))
        renderer.writer.write(")" as String)
      }
    case .hasRelated(let declaration, let inner):
      let isUnknown = try mayBeUnknown(declaration)
      try guarding(isNegated && isUnknown) { (renderer) throws(SQLError) in
        try renderer.writeHasRelated(declaration, inner, table)
      }
    case .contains(let declaration, let rows):
      let isUnknown = try mayBeUnknown(declaration)
      try guarding(isNegated && isUnknown) { (renderer) throws(SQLError) in
        try renderer.writeContains(declaration, rows, table)
      }
    case .reached(let path): try writeReached(path, table, isNegated)
    case .shares(let path): try writeShares(path, table)
    case .linksFrom(let path, let row): try writeLinks(path, row, table)
    case .isRow(let row):
      let key = try table.layout.keyOrFail.map { table.layout.columns[$0].index }
      try guarding(isNegated) { (renderer) throws(SQLError) in
        renderer.writer.writeRow(table.spelled(key))
        renderer.writer.write(" = ")
        renderer.writer.bindRow(try row.values(ofColumns: key, renderer.view))
      }
    case .after(let row, let orders): try writeAfter(row, orders, table)
    }
  }

  /// Writes a condition that may be unknown; where it is negated, unknown is made false.
  private mutating func guarding(
    _ isNegated: Bool, _ body: (inout QueryRenderer) throws(SQLError) -> Void
  ) throws(SQLError) {
    if isNegated { writer.write("coalesce(") }
    try body(&self)
    if isNegated { writer.write(", false)") }
  }

  private mutating func write(
    _ parts: [ConditionTree], _ conjunction: String, _ none: String, _ table: Table,
    _ isNegated: Bool
  ) throws(SQLError) {
    if parts.isEmpty { return writer.write(none) }
    writer.write("(")
    for (index, part) in parts.enumerated() {
      if index > 0 { writer.write(conjunction) }
      try write(part, table, isNegated: isNegated)
    }
    writer.write(")")
  }

  private mutating func writeEqual(
    _ column: ColumnTree, _ value: SQLValue, _ table: Table, _ isNegated: Bool
  ) throws(SQLError) {
    try write(column, table)
    if case .null = value { return writer.write(" IS NULL") }
    // An index serves the plain form.
    writer.write(isNegated ? " IS NOT DISTINCT FROM " : " = ")
    writer.bind(value)
  }

  private mutating func writeIsIn(
    _ column: ColumnTree, _ values: [SQLValue], _ table: Table, _ isNegated: Bool
  ) throws(SQLError) {
    let present = values.filter { $0 != .null }
    var parts: [ConditionTree] = []
    if present.count < values.count { parts.append(.equal(column, .null)) }
    if present.isEmpty { return try write(parts, " OR ", "false", table, isNegated) }
    writer.write("(")
    for part in parts {
      try write(part, table, isNegated: isNegated)
      writer.write(" OR ")
    }
    try guarding(isNegated) { (renderer) throws(SQLError) in
      try renderer.write(column, table)
      renderer.writer.write(" = ANY (" as String)
      renderer.writer.bind(.array(present))
      renderer.writer.write(")" as String)
    }
    writer.write(")")
  }

  /// That a row comes behind another one: it is greater in one of the orders, and equal in those before.
  ///
  /// NULL is the greatest value. The key decides where all orders are equal.
  private mutating func writeAfter(
    _ row: RowStart, _ orders: [OrderTree], _ table: Table
  ) throws(SQLError) {
    var columns: [(place: Int, direction: Direction)] = []
    for order in orders {
      guard case .column(.property(let property), let direction) = order else {
        throw .unsupported("after(_:) in an order that is no column of the row")
      }
      columns.append((try property.place(in: table.layout), direction))
    }
    for place in try table.layout.keyOrFail where !columns.contains(where: { $0.place == place }) {
      columns.append((place, .ascending))
    }
    let values = try row.values(view)
    writer.write("(")
    for (number, column) in columns.enumerated() {
      if number > 0 { writer.write(" OR ") }
      writer.write("(")
      for before in columns[..<number] {
        writeEqual(before.place, values, table)
        writer.write(" AND ")
      }
      writeBehind(column.place, column.direction, values, table)
      writer.write(")")
    }
    writer.write(")")
  }

  private mutating func writeEqual(_ place: Int, _ values: [SQLValue], _ table: Table) {
    writer.write("\(table.alias).\(table.layout.columns[place].name) IS NOT DISTINCT FROM ")
    writer.bind(values[place])
  }

  private mutating func writeBehind(
    _ place: Int, _ direction: Direction, _ values: [SQLValue], _ table: Table
  ) {
    let column = "\(table.alias).\(table.layout.columns[place].name)"
    switch (direction, values[place]) {
    case (.ascending, .null): writer.write("false")
    case (.descending, .null): writer.write("\(column) IS NOT NULL")
    case (.ascending, let value):
      writer.write("(\(column) IS NULL OR \(column) > ")
      writer.bind(value)
      writer.write(")")
    case (.descending, let value):
      writer.write("\(column) < ")
      writer.bind(value)
    }
  }
}
