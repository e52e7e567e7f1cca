import Diagnostics
import Junction
import Testing

private struct Item: Record, Hashable {
  var id: Int
  var name: String?
  var size: Int?
  var isOpen: Bool?
}

@Suite("Queries of records")
struct QueryTests {
  private let db: Database
  private let items: [Item]

  init() throws {
    db = Database()
    try db.execute("CREATE TABLE item (id int PRIMARY KEY, name text, size int, is_open boolean)")
    items = try [
      Item(id: 1, name: "ant", size: 3, isOpen: true),
      Item(id: 2, name: nil, size: 1, isOpen: false),
      Item(id: 3, name: "bee", size: nil, isOpen: nil),
      Item(id: 4, name: "ant", size: 2, isOpen: true),
      Item(id: 5, name: "cow", size: 3, isOpen: false),
      Item(id: 6, name: nil, size: nil, isOpen: nil),
    ].inserted(db)
  }

  /// What Swift says of each row.
  private func check<C: Conditional>(
    _ condition: (Columns<Item>) -> C, _ wanted: (Item) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws where C.Root == Item {
    let found = try Item.where(condition).order(by: \.id).fetch(db)
    #expect(found == items.filter(wanted), sourceLocation: sourceLocation)
    let others = try Item.where { !condition($0).condition }.order(by: \.id).fetch(db)
    #expect(others == items.filter { !wanted($0) }, sourceLocation: sourceLocation)
  }

  @Test("mean what the same words mean in Swift, and so does their negation")
  func conditions() throws {
    try check({ $0.name == "ant" }) { $0.name == "ant" }
    try check({ $0.name != "ant" }) { $0.name != "ant" }
    try check({ $0.name == nil }) { $0.name == nil }
    try check({ $0.name.isNull }) { $0.name == nil }
    try check({ $0.size > 1 }) { ($0.size ?? 0) > 1 }
    try check({ $0.size <= 2 && $0.name == nil }) { ($0.size ?? 9) <= 2 && $0.name == nil }
    try check({ $0.size >= 3 || $0.id < 2 }) { ($0.size ?? 0) >= 3 || $0.id < 2 }
    try check({ $0.name.isIn(["ant", nil]) }) { ["ant", nil].contains($0.name) }
    try check({ $0.name.isIn(["ant", "cow"]) }) { ["ant", "cow"].contains($0.name) }
    try check({ $0.size.isIn([]) }) { _ in false }
    try check({ $0.name.like("%e%") }) { $0.name?.contains("e") ?? false }
    try check({ $0.id.between(2...4) }) { (2...4).contains($0.id) }
    try check({ $0.sql("item.size * 2 = \(6)") }) { $0.size == 3 }
    try check({ !($0.name == "ant" && $0.size == 3) || $0.id == 1 }) {
      !($0.name == "ant" && $0.size == 3) || $0.id == 1
    }
    try check({ $0.id == $0.id }) { _ in true }
  }

  @Test("come in an order, and in pages")
  func orders() throws {
    let byName = Item.order(by: \.name).order(by: \.size, .descending)
    #expect(try byName.fetch(db).map(\.id) == [1, 4, 3, 5, 6, 2])
    #expect(try Item.all.order("item.size % 3, id DESC").first(db)?.id == 5)
    #expect(try byName.limit(2, offset: 1).fetch(db).map(\.id) == [4, 3])
    #expect(try byName.limit(2, offset: 5).count(db) == 1)
    for query in [byName, Item.all, Item.order(by: \.size), Item.order(by: \.isOpen, .descending)] {
      let whole = try query.after(first(of: query)).fetch(db)
      var paged: [Item] = []
      var last = try first(of: query)
      while true {
        let page = try query.after(last).limit(2).fetch(db)
        guard let end = page.last else { break }
        paged += page
        last = end
      }
      #expect(paged == whole && whole.count >= 4)
    }
  }

  /// The first row where the key decides between equal ones.
  private func first(of query: Query<Item>) throws -> Item {
    try #require(try query.order(by: \.id).first(db))
  }

  @Test("give one row, or say why not")
  func one() throws {
    #expect(try Item.where { $0.id == 2 }.one(db).id == 2)
    #expect(throws: SQLError.self) { try Item.where { $0.id == 9 }.one(db) }
    let error = #expect(throws: SQLError.self) { try Item.all.one(db) }
    #expect(error?.state == .tooManyRows)
    #expect(try Item.all.limit(1).one(db).id >= 1)
    #expect(try Item.where { $0.id == 9 }.first(db) == nil)
    #expect(try Item.where { $0.id == 9 }.isEmpty(db))
  }

  @Test("change and delete what they find")
  func changes() throws {
    let changed = try Item.where { $0.name == nil }.updateAll(db) {
      $0.name = "?"
      $0.size = 7
    }
    #expect(changed == 2)
    #expect(try Item.where { $0.name == "?" && $0.size == 7 }.count(db) == 2)
    #expect(try Item.order(by: \.id).limit(1).updateAll(db) { $0.name = .some(nil) } == 1)
    #expect(try Item.where { $0.name == nil }.fetch(db).map(\.id) == [1])
    #expect(try Item.order(by: \.id, .descending).limit(2).deleteAll(db) == 2)
    #expect(try Item.where { $0.size > 2 }.deleteAll(db) == 2)
    #expect(try Item.all.deleteAll(db) == 2)
  }

  @Test("are SQL with parameters")
  func sql() throws {
    let query = Item.where { $0.name == "it's" && $0.size > 2 }.order(by: \.size).limit(3)
    let sql = try query.sql(in: db)
    #expect(
      sql.text == "SELECT item.id, item.name, item.size, item.is_open FROM public.item AS item "
        + "WHERE (item.name = $1 AND item.size > $2) ORDER BY item.size LIMIT 3")
    #expect(sql.arguments == ["it's", 2])
  }
}
