import Junction
import Testing

private struct Shelf: Record, Hashable {
  var id: Int
  var embedded: String?
  static let table = "link_1"
  struct Relations: Sendable {
    let books = Many<Volume>(orderedBy: "place")
    let lamp = One<Lamp>()
  }
  static let relations = Relations()
}

private struct Volume: Record, Hashable {
  var id: Int
  var embedded: String?
  static let table = "keys"
  struct Relations: Sendable { let shelves = Many<Shelf>() }
  static let relations = Relations()
}

private struct Lamp: Record, Hashable {
  var id: Int
  var shelfID: Int
  struct Relations: Sendable { let shelf = One<Shelf>() }
  static let relations = Relations()
}

private struct Counter: Record, Hashable {
  var id: Int
  var name: String
  var version = 0
  static let columns = ColumnMap<Self> {
    ColumnMapping("id", \.id, .primaryKey)
    ColumnMapping("name", \.name)
    ColumnMapping("version", \.version, .version)
  }
}

@Suite("Relations of tables with any names")
struct RelationNameTests {
  private let db: Database
  private let shelves: [Shelf]
  private let books: [Volume]

  init() throws {
    db = Database()
    try db.execute(
      """
      CREATE TABLE link_1 (id int PRIMARY KEY, embedded text);
      CREATE TABLE keys (id int PRIMARY KEY, embedded text);
      CREATE TABLE removed (key_0 int REFERENCES link_1, others int REFERENCES keys, place int NOT NULL,
        PRIMARY KEY (key_0, others));
      CREATE TABLE lamp (id int PRIMARY KEY, shelf_id int NOT NULL UNIQUE REFERENCES link_1)
      """)
    shelves = try (1...2).map { Shelf(id: $0, embedded: "s\($0)") }.inserted(db)
    books = try (1...200).map { Volume(id: $0, embedded: "b\($0)") }.inserted(db)
  }

  @Test("mean their own columns, whatever these are called")
  func names() throws {
    let shelf = shelves[0]
    #expect(try shelf.books.add([books[2], books[0], books[2]], db) == 2)
    try shelf.books.place(books[4], at: 1, db)
    #expect(try shelf.books.fetch(db) == [books[2], books[4], books[0]])
    #expect(
      try shelf.books.set([books[0], books[5]], db) == LinkChanges(added: 1, removed: 2))
    #expect(try shelf.books.fetch(db) == [books[0], books[5]])
    #expect(try Shelf.where { $0.books.count == 2 }.fetch(db) == [shelf])
    #expect(try Shelf.where { $0.books.isEmpty }.fetch(db) == [shelves[1]])
    let all = try Shelf.order(by: \.id).with(\.books).fetch(db)
    #expect(all.map(\.related) == [[books[0], books[5]], []])
    try shelves[1].books.add(books[5], db)
    #expect(try shelf.sharing(\.books).fetch(db).map(\.shared) == [[books[5]]])
    #expect(try books[5].shelves.order(by: \.id).fetch(db) == shelves)
  }

  @Test("take any number of rows in statements of the same text")
  func many() throws {
    let shelf = shelves[0]
    #expect(try shelf.books.add(books + books, db) == 200)
    #expect(try Shelf.where { $0.books.contains(allOf: books) }.fetch(db) == [shelf])
    #expect(try shelf.books.remove(books.prefix(150), db) == 150)
    #expect(try shelf.books.remove(books, db) == 50)
  }

  @Test("to one row keep a reference that is never NULL")
  func neverNull() throws {
    let lamp = try Lamp(id: 1, shelfID: 1).inserted(db)
    try lamp.shelf.set(shelves[0], db)
    try lamp.shelf.set(shelves[1], db)
    #expect(try shelves[1].lamp.fetch(db)?.id == 1)
    try shelves[1].lamp.set(lamp, db)
    #expect(throws: SQLError.self) { try lamp.shelf.set(nil, db) }
    #expect(try lamp.refreshed(db)?.shelfID == 2)
  }

  @Test("raise a version where a row is there")
  func upsertOfVersion() throws {
    try db.execute("CREATE TABLE counter (id int PRIMARY KEY, name text, version int DEFAULT 0)")
    let one = try Counter(id: 1, name: "a").upserted(db)
    #expect(one.version == 0)
    #expect(try Counter(id: 1, name: "b").saved(db) == Counter(id: 1, name: "b", version: 1))
  }
}
