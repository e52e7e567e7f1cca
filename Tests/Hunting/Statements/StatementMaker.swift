import SimulatedDisk

/// Makes statements of all kinds over a few names, such that many succeed and some fail.
struct StatementMaker {
  /// What is believed of a table.
  struct Table {
    var name: String
    var columns: [(name: String, type: String)]
  }

  var random: SimulationRandom
  private(set) var tables: [Table] = []
  private var tableCount = 0
  static let types = [
    "int", "int", "bigint", "text", "text", "numeric", "boolean", "date", "timestamp", "uuid",
    "double precision",
    "int[]", "jsonb", "varchar(8)", "smallint", "interval", "char(4)", "bytea", "text[]",
    "timestamptz",
  ]

  init(_ random: SimulationRandom) { self.random = random }

  mutating func table() -> Table {
    if tables.isEmpty || random.chance(1) { return Table(name: "nowhere", columns: [("a", "int")]) }
    return random.pick(tables)
  }

  mutating func literal(_ type: String) -> String {
    if random.chance(12) { return "NULL" }
    let k = random.below(9)
    switch type {
    case "int", "bigint", "smallint": return random.chance(3) ? "2147483647" : "\(k - 1)"
    case "text", "varchar(8)", "char(4)":
      return "'\(["", "a", "b", "abcdefg", "abcdefgh", "é", "A b", "1", "x%"][k])'"
    case "numeric": return ["0", "1.5", "-2.25", "1e20", "'NaN'", "3", "0.001", "10", "99.99"][k]
    case "boolean": return k % 2 == 0 ? "true" : "false"
    case "date": return "date '2024-0\(k % 3 + 1)-1\(k)'"
    case "timestamp": return "timestamp '2024-01-0\(k + 1) 01:02:03'"
    case "timestamptz": return "timestamptz '2024-01-0\(k + 1) 01:02:03+00'"
    case "uuid": return "'00000000-0000-0000-0000-00000000000\(k)'::uuid"
    case "double precision":
      return ["0", "1.5", "'NaN'", "-1e300", "2", "3", "0.1", "'Infinity'", "7"][k]
    case "int[]": return ["'{}'::int[]", "ARRAY[1, 2]", "ARRAY[\(k), NULL]", "'{3}'::int[]"][k % 4]
    case "text[]": return ["'{}'::text[]", "ARRAY['a', 'b']", "'{x,NULL}'::text[]"][k % 3]
    case "jsonb":
      return ["'{\"a\": 1}'", "'[1, 2]'", "'null'", "'{\"a\": {\"b\": [1]}}'"][k % 4] + "::jsonb"
    case "interval": return "interval '\(k) days'"
    default: return "'\\x0\(k)'::bytea"
    }
  }

  /// A column of a table: its name and type.
  mutating func column(_ table: Table, of type: String? = nil) -> (name: String, type: String) {
    let same = table.columns.filter { type == nil || $0.type == type }
    return same.randomElement(using: &random) ?? table.columns.randomElement(using: &random) ?? (
      "a", "int"
    )
  }

  mutating func statement() -> String {
    if tables.count < 2 { return create() }
    switch random.below(100) {
    case 0..<28: return insert()
    case 28..<38: return update()
    case 38..<44: return delete()
    case 44..<74: return select()
    case 74..<79: return create()
    case 79..<84: return alter()
    case 84..<92: return control()
    default: return other()
    }
  }

  // MARK: Definitions

  private mutating func create() -> String {
    // The pool of names is small, so that what was dropped comes again.
    let name = "t\(random.below(5))"
    let columns = (0..<random.within(1...5)).map { ("c\($0)", random.pick(Self.types)) }
    var parts: [String] = []
    for (index, column) in columns.enumerated() {
      var text = "\(column.0) \(column.1)"
      if index == 0, random.chance(45) { text += " PRIMARY KEY" }
      if random.chance(8) { text += " NOT NULL" }
      if random.chance(8) { text += " DEFAULT \(literal(column.1))" }
      if random.chance(6) { text += " UNIQUE" }
      if random.chance(6) { text += " CHECK (\(column.0) IS NOT NULL OR \(column.0) IS NULL)" }
      if random.chance(12), let other = tables.randomElement(using: &random) {
        text +=
          " REFERENCES \(other.name)\(random.pick(["", " ON DELETE CASCADE", " ON DELETE SET NULL"]))"
      }
      parts.append(text)
    }
    if columns.count > 2, random.chance(25) { parts.append("UNIQUE (c1, c2)") }
    let table = Table(name: name, columns: columns.map { ($0.0, $0.1) })
    if let place = tables.firstIndex(where: { $0.name == name }) {
      tables[place] = table
      return
        "DROP TABLE IF EXISTS \(name) CASCADE; CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
    }
    tables.append(table)
    return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
  }

  private mutating func alter() -> String {
    let table = table()
    let column = column(table)
    switch random.below(9) {
    case 0:
      let type = random.pick(Self.types)
      let name = "d\(random.below(4))"
      note(table.name) { $0.columns.append((name, type)) }
      return
        "ALTER TABLE \(table.name) ADD COLUMN \(name) \(type)\(random.chance(40) ? " DEFAULT \(literal(type))" : "")"
    case 1:
      if table.columns.count > 1 {
        note(table.name) { $0.columns.removeAll { $0.name == column.name } }
      }
      return
        "ALTER TABLE \(table.name) DROP COLUMN \(column.name)\(random.chance(50) ? " CASCADE" : "")"
    case 2:
      let type = random.pick(Self.types)
      return
        "ALTER TABLE \(table.name) ALTER COLUMN \(column.name) TYPE \(type)\(random.chance(50) ? " USING NULL::\(type)" : "")"
    case 3: return "CREATE INDEX ON \(table.name) (\(column.name))"
    case 4: return "CREATE UNIQUE INDEX i\(random.below(3)) ON \(table.name) (\(column.name))"
    case 5:
      return
        "ALTER TABLE \(table.name) ALTER COLUMN \(column.name) \(random.pick(["SET", "DROP"])) NOT NULL"
    case 6: return "CREATE OR REPLACE VIEW v\(random.below(3)) AS \(query(1))"
    case 7:
      return
        "DROP \(random.pick(["VIEW IF EXISTS v0", "INDEX IF EXISTS i0", "VIEW IF EXISTS v1 CASCADE"]))"
    default: return "TRUNCATE \(table.name)\(random.chance(60) ? " CASCADE" : "")"
    }
  }

  private mutating func note(_ name: String, _ change: (inout Table) -> Void) {
    guard let place = tables.firstIndex(where: { $0.name == name }) else { return }
    change(&tables[place])
  }

  // MARK: Changes

  private mutating func returning(_ table: Table) -> String {
    random.chance(15) ? " RETURNING \(random.pick(["*", column(table).name]))" : ""
  }

  private mutating func insert() -> String {
    let table = table()
    var text = "INSERT INTO \(table.name) "
    if random.chance(12) {
      let other = self.table()
      text +=
        "SELECT \(table.columns.map { column(other, of: $0.type).name }.joined(separator: ", ")) FROM \(other.name) LIMIT 20"
    } else {
      let rows = (0..<random.pick([1, 1, 1, 2, 5])).map { _ in
        "(" + table.columns.map { literal($0.type) }.joined(separator: ", ") + ")"
      }
      text += "VALUES " + rows.joined(separator: ", ")
    }
    if random.chance(35) {
      text += " ON CONFLICT DO NOTHING"
    } else if random.chance(10) {
      let set = column(table)
      text +=
        " ON CONFLICT (\(column(table).name)) DO UPDATE SET \(set.name) = excluded.\(set.name)"
    }
    return text + returning(table)
  }

  private mutating func update() -> String {
    let table = table()
    let set = column(table)
    let value = random.chance(30) ? expression(table, table.name, set.type) : literal(set.type)
    return
      "UPDATE \(table.name) SET \(set.name) = \(value) WHERE \(condition(table, table.name))\(returning(table))"
  }

  private mutating func delete() -> String {
    let table = table()
    return "DELETE FROM \(table.name) WHERE \(condition(table, table.name))\(returning(table))"
  }

  private mutating func control() -> String {
    random.pick([
      "BEGIN", "BEGIN", "COMMIT", "COMMIT", "COMMIT", "ROLLBACK", "SAVEPOINT s", "ROLLBACK TO s",
      "RELEASE s",
      "SET search_path = public", "SET threads = 1", "DISCARD PLANS",
      "DECLARE k CURSOR FOR \(query(0))",
      "FETCH 2 FROM k", "CLOSE k", "PREPARE p AS \(query(0))", "EXECUTE p", "DEALLOCATE p",
      "VERIFY",
      "ANALYZE", "EXPLAIN \(query(1))", "SHOW timezone", "SET timezone = 'Europe/Berlin'",
    ])
  }
}
