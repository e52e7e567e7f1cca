import Diagnostics
import Foundation
import Junction
import Testing

@Suite("Inserting many values at once")
struct InsertTests {
  enum Colour: String, Codable { case red, green }

  struct Item: Codable, Hashable {
    var id: Int?
    var shortCode: String?
    var price: SQLNumeric
    var tags: [String]
    var colour: Colour
    var details: [String: [Int]]?
    var day: SQLDate
  }

  private static func makeDatabase() throws -> Database {
    let database = Database()
    try database.execute(
      """
      CREATE TYPE colour AS ENUM ('red', 'green');
      CREATE TABLE item (
        id serial PRIMARY KEY, short_code varchar(5) UNIQUE, price numeric(8, 2) CHECK (price >= 0),
        tags text[] NOT NULL, colour colour, details jsonb, day date, made text DEFAULT 'here',
        twice numeric GENERATED ALWAYS AS (price * 2) STORED);
      CREATE TABLE part (item_id int REFERENCES item, number int, PRIMARY KEY (item_id, number))
      """)
    return database
  }

  private static func item(_ number: Int, _ code: String? = nil) -> Item {
    Item(
      id: number, shortCode: code ?? "c\(number)", price: SQLNumeric(number),
      tags: ["a,\"b", "\(number)"],
      colour: number % 2 == 0 ? .red : .green, details: number % 3 == 0 ? nil : ["x": [number]],
      day: SQLDate(daysSince1970: number))
  }

  @Test("stores what is decoded again")
  func roundTrip() throws {
    let database = try Self.makeDatabase()
    let items = (1...5000).map { Self.item($0) }
    #expect(try database.insert(items, into: "item") == 5000)
    #expect(try database.fetchAll(Item.self, "SELECT * FROM item ORDER BY id") == items)
    #expect(
      try database.fetchOne(
        Int.self, "SELECT count(*) FROM item WHERE made = 'here' AND twice = 2 * price") == 5000)
    // Into a table that has rows, and within a transaction.
    let more = (5001...5010).map { Self.item($0) }
    let counts = try database.write { db in
      (
        try db.insert(more, into: "public.item"),
        try db.fetchOne(Int.self, "SELECT count(*) FROM item")
      )
    }
    #expect(counts == (10, 5010))
    #expect(try database.insert([Item](), into: "item") == 0)
  }

  @Test("takes a column's default where a property is nil")
  func defaults() throws {
    struct Row: Encodable { var id: Int?, tags: [String] = [], made: String? }
    let database = try Self.makeDatabase()
    try database.insert(
      [Row(made: "x"), Row(id: 70), Row(), Row(id: 80, made: "y")], into: "item")
    let rows = try database.query("SELECT id, made FROM item ORDER BY id")
    #expect(rows.map(\.values) == [[1, "x"], [2, "here"], [70, "here"], [80, "y"]])
    try database.execute("INSERT INTO item (tags) VALUES ('{}')")
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM item WHERE id = 3") == 1)
  }

  @Test("names the first bad row, and leaves nothing of the call")
  func badRows() throws {
    let database = try Self.makeDatabase()
    try database.insert([Self.item(1)], into: "item")
    func error(_ items: [Item], in database: Database = database) -> SQLError? {
      #expect(throws: SQLError.self) { try database.insert(items, into: "item") }
    }
    var items = (2...3000).map { Self.item($0) }
    items[2500].shortCode = "c1"
    items[2600].shortCode = "c2"
    for empty in [true, false] {
      let other = empty ? try Self.makeDatabase() : database
      if empty { items[2400].shortCode = "c5" }
      let taken = error(items, in: other)
      #expect(taken?.state == .uniqueViolation && taken?.rule == .unique)
      #expect(taken?.context == (empty ? "rows[2400]" : "rows[2400]"))
      #expect(try other.fetchOne(Int.self, "SELECT count(*) FROM item") == (empty ? 0 : 1))
    }
    items = [Self.item(2), Self.item(3)]
    items[1].price = SQLNumeric(-1)
    #expect(error(items)?.state == .checkViolation && error(items)?.context == "rows[1]")
    items[1].price = SQLNumeric(1_000_000)
    #expect(error(items)?.state == .numericOutOfRange && error(items)?.context == "rows[1].price")
    items[1] = Self.item(3, "too long")
    #expect(error(items)?.state == .stringTooLong && error(items)?.context == "rows[1].short_code")
    items[1] = Self.item(3, "a\0b")
    #expect(error(items)?.state == .characterNotInRepertoire)
    items[1] = Self.item(3)
    items[1].id = 1 << 40
    #expect(error(items)?.state == .numericOutOfRange && error(items)?.context == "rows[1].id")
    struct Part: Encodable { let itemID: Int, number: Int }
    let parent = #expect(throws: SQLError.self) {
      try database.insert(
        [Part(itemID: 1, number: 1), Part(itemID: 9, number: 1)], into: "part")
    }
    #expect(parent?.state == .foreignKeyViolation && parent?.context == "rows[1]")
    #expect(parent?.object?.table == "part")
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM item") == 1)
  }

  @Test("leaves out rows whose key is taken, if that is wanted")
  func conflicts() throws {
    for start in [0, 1] {
      let database = try Self.makeDatabase()
      if start == 1 { try database.insert([Self.item(3)], into: "item") }
      var items = (1...2500).map { Self.item($0) }
      items.append(Self.item(9001, "c7"))
      items.append(Self.item(5))
      #expect(try database.insert(items, into: "item", onConflict: .ignore) == 2500 - start)
      #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM item") == 2500)
      #expect(try database.insert(items, into: "item", onConflict: .ignore) == 0)
      items[0].price = SQLNumeric(-5)
      items[0].id = 9002
      items[0].shortCode = nil
      let error = #expect(throws: SQLError.self) {
        try database.insert(items, into: "item", onConflict: .ignore)
      }
      #expect(error?.state == .checkViolation && error?.context == "rows[0]")
    }
  }

  @Test("checks what a domain, a default and a parent in the same call say")
  func rules() throws {
    struct Node: Encodable { var id: Int, parent: Int?, mark: Int?, kind: Colour? }
    let database = try Self.makeDatabase()
    try database.execute(
      """
      CREATE DOMAIN mark AS int CHECK (VALUE > 0);
      CREATE TABLE node (
        id int PRIMARY KEY, parent int REFERENCES node, mark mark, kind text NOT NULL DEFAULT 'none')
      """)
    for offset in [0, 100] {
      let nodes = (1...3).map {
        Node(id: offset + $0, parent: $0 == 3 ? nil : offset + $0 + 1, mark: $0, kind: nil)
      }
      #expect(try database.insert(nodes, into: "node") == 3)
      let bad = #expect(throws: SQLError.self) {
        try database.insert(
          [
            Node(id: offset + 8, parent: nil, mark: nil, kind: .red),
            Node(id: offset + 9, parent: nil, mark: 0, kind: nil),
          ],
          into: "node")
      }
      #expect(bad?.state == .checkViolation && bad?.context == "rows[1]")
    }
    #expect(
      try database.fetchAll(String.self, "SELECT DISTINCT kind FROM node") == ["none"])
  }

  class Named: Encodable {
    let id: Int
    init(id: Int) { self.id = id }
  }
  final class Tagged: Named {
    enum Keys: String, CodingKey { case details, tags, price, x, y }
    override func encode(to encoder: any Encoder) throws {
      var row = encoder.container(keyedBy: Keys.self)
      var details = row.nestedContainer(keyedBy: Keys.self, forKey: .details)
      var tags = row.nestedUnkeyedContainer(forKey: .tags)
      try details.encode(UInt64.max, forKey: .x)
      try tags.encode("a")
      try details.encodeNil(forKey: .y)
      try tags.encode("b")
      try row.encode(UInt16(7), forKey: .price)
      try super.encode(to: row.superEncoder())
    }
  }

  @Test("takes what a type encodes by hand, bit by bit and from its superclass")
  func byHand() throws {
    let database = try Self.makeDatabase()
    try database.insert([Tagged(id: 5), Tagged(id: 6)], into: "item")
    #expect(
      try database.fetchAll(
        String.self,
        "SELECT concat_ws('|', id, price, details, array_to_string(tags, '+')) FROM item")
        == [5, 6].map { "\($0)|7.00|{\"x\": 18446744073709551615, \"y\": null}|a+b" })
  }

  @Test("refuses what has no place")
  func refusals() throws {
    struct Typo: Encodable { let shrotCode = "x" }
    struct Nested: Encodable { let tags = [["a"]], colour = ["x": 1] }
    struct Twice: Encodable { let shortCode = "a", short_code = "b" }
    struct Computed: Encodable { let twice = 5, tags: [String] = [] }
    let database = try Self.makeDatabase()
    func state(_ body: () throws -> Void) -> SQLState? {
      #expect(throws: SQLError.self) { try body() }?.state
    }
    let typo = #expect(throws: SQLError.self) { try database.insert([Typo()], into: "item") }
    #expect(typo?.hint == "Perhaps you meant the column \"short_code\".")
    #expect(typo?.message == "column \"shrotCode\" of relation \"item\" does not exist")
    #expect(state { try database.insert([Nested()], into: "item") } != nil)
    #expect(state { try database.insert([Twice()], into: "item") } == .duplicateColumn)
    #expect(state { try database.insert([Computed()], into: "item") } == .invalidColumnReference)
    #expect(state { try database.insert([1, 2], into: "item") } == .datatypeMismatch)
    #expect(state { try database.insert([Typo()], into: "items") } == .undefinedTable)
    try database.execute("CREATE VIEW v AS SELECT * FROM item")
    #expect(state { try database.insert([Typo()], into: "v") } == .wrongObjectType)
    let connection = database.connect()
    try connection.execute("BEGIN")
    #expect(
      state { try connection.insert([Self.item(1), Self.item(1)], into: "item") }
        == .uniqueViolation)
    #expect(state { try connection.insert([Self.item(2)], into: "item") } == .failedTransaction)
    try connection.execute("ROLLBACK")
    let after = try database.write { db in
      do { try db.insert([Self.item(1), Self.item(1)], into: "item") } catch is SQLError {}
      return try db.insert([Self.item(2)], into: "item")
    }
    #expect(after == 1)
  }

  @Test("takes whole columns")
  func columns() throws {
    let database = Database()
    try database.execute(
      "CREATE TABLE t (id bigint PRIMARY KEY, mark double precision, name varchar(6), at timestamptz, n numeric(9,1) DEFAULT 7)"
    )
    let ids = Array(1...5000)
    let marks = ids.map { Double($0) / 8 }
    let names = ids.map { $0 % 5 == 0 ? nil : "n\($0)" }
    let moments = ids.map { SQLTimestamp(microsecondsSince2000: Int64($0)) }
    #expect(
      try database.append(
        [
          ColumnInput("name", names), ColumnInput("id", ids), ColumnInput("mark", marks),
          ColumnInput("at", moments),
        ], to: "t") == 5000)
    let rows = try database.query("SELECT * FROM t ORDER BY id")
    #expect(try rows.column("id", as: Int.self).array() == ids)
    #expect(try rows.column("mark", as: Double.self).array() == marks)
    #expect(try rows.column("at", as: SQLTimestamp.self).array() == moments)
    #expect(try database.fetchAll(String?.self, "SELECT name FROM t ORDER BY id") == names)
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM t WHERE n = 7") == 5000)
    // Values of other types are converted, and nil stays NULL.
    try database.append(
      [ColumnInput("id", [Int16(-1), -2]), ColumnInput("n", [2.25, nil])], to: "t")
    #expect(
      try database.query("SELECT n FROM t WHERE id < 0 ORDER BY id").map { $0[0] }
        == [nil, .numeric(try #require(SQLNumeric("2.3")))])
    func error(_ columns: [ColumnInput]) -> SQLError? {
      #expect(throws: SQLError.self) { try database.append(columns, to: "t") }
    }
    #expect(error([ColumnInput("id", [9001, 1])])?.context == "rows[1]")
    #expect(error([ColumnInput("id", ["9001", "x"])])?.context == "rows[1].id")
    #expect(
      error([ColumnInput("id", [9001]), ColumnInput("mark", [1.0, 2])])?.state
        == .invalidParameterValue)
    #expect(
      error([ColumnInput("id", [9001]), ColumnInput("id", [9001])])?.state == .duplicateColumn)
    #expect(error([ColumnInput("ids", [9001])])?.state == .undefinedColumn)
    #expect(try database.fetchOne(Int.self, "SELECT count(*) FROM t") == 5002)
  }

  @Test("is there when the database is opened again")
  func reopening() throws {
    try withFiles { folder throws in
      let path = folder.appending(path: "t.junction").path
      let numbers = Array(1...3000)
      do {
        let database = try Database(path: path)
        try database.execute("CREATE TABLE t (id serial PRIMARY KEY, n int NOT NULL)")
        #expect(try database.append([ColumnInput("n", numbers)], to: "t") == 3000)
        #expect(throws: SQLError.self) {
          try database.append([ColumnInput("n", [1, nil])], to: "t")
        }
      }
      let database = try Database(path: path)
      #expect(try database.fetchAll(Int.self, "SELECT n FROM t ORDER BY id") == numbers)
      try database.execute("INSERT INTO t (n) VALUES (0)")
      #expect(try database.fetchOne(Int.self, "SELECT max(id) FROM t") > 3000)
    }
  }

  @Test("is one statement of a trace")
  func tracing() throws {
    let database = try Self.makeDatabase()
    let log = Log()
    database.trace { log.add("\($0.sql) \($0.rowCount)") }
    try database.append([ColumnInput("tags", [["a"], []])], to: "item")
    #expect(log.entries == ["INSERT INTO item (tags) 2"])
  }
}
