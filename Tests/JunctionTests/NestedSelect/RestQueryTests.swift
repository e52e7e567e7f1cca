import Junction
import Testing

@Suite("A nested select put together in Swift")
struct RestQueryTests {
  private static func text(_ query: RestQuery) throws -> String {
    String(decoding: try query.json(), as: UTF8.self)
  }

  @Test("gives what the same request gives")
  func pieces() throws {
    let database = try Library.connection.get().database
    let query = database.from("genre")
      .select("label, book(title, price)")
      .lt("id", 3).gte("book.price", 7).neq("label", nil).ilike("label", "*A*")
      .order("label", ascending: false).order("title", on: "book").limit(5).limit(1, on: "book")
    #expect(
      try Self.text(query)
        == #"[{"label":"fact","book":[{"title":"Engines","price":10.50}]},"#
        + #"{"label":"art","book":[{"title":"Engines","price":10.50}]}]"#)
  }

  @Test("takes values as they are, whatever characters they have")
  func values() throws {
    let connection = try Library.makeConnection()
    for (index, value) in ["a,b", "(x)", "\"q\"", "a.b", "'; DROP TABLE genre --", "*", ""]
      .enumerated()
    {
      try connection.execute(
        "INSERT INTO genre VALUES ($1, $2)", [.integer(Int64(10 + index)), .text(value)])
      let found = try connection.from("genre").select("id").eq("label", .text(value)).json()
      #expect(String(decoding: found, as: UTF8.self) == "[{\"id\":\(10 + index)}]")
      let listed = try connection.from("genre").select("id").in("label", [.text(value)]).json()
      #expect(listed == found)
    }
  }

  @Test("filters by nulls, trees and presence")
  func conditions() throws {
    let database = try Library.connection.get().database
    let people = database.from("person").select("id").order("id")
    #expect(try Self.text(people.eq("boss_id", nil)) == #"[{"id":1}]"#)
    #expect(try Self.text(people.isNotNull("boss_id").offset(1)) == #"[{"id":3}]"#)
    #expect(
      try Self.text(people.or("id.eq.1,id.eq.2").filter("name", "not.like.A*")) == #"[{"id":2}]"#)
    #expect(try Self.text(people.and("id.gt.1,id.lt.3").in("id", [2, 3])) == #"[{"id":2}]"#)
    #expect(
      try Self.text(people.select("id,passport()").isNull("passport")) == #"[{"id":2}]"#)
  }

  @Test("gives a single object only if there is exactly one row")
  func single() throws {
    let genres = try Library.connection.get().database.from("genre").select("label")
    #expect(
      String(decoding: try genres.eq("id", 2).singleJSON(), as: UTF8.self) == #"{"label":"art"}"#)
    for (query, count) in [(genres, 3), (genres.eq("id", 9), 0)] {
      let error = #expect(throws: NestedSelectError.self) { try query.singleJSON() }
      #expect(error?.code == "PGRST116")
      #expect(error?.details == "The result contains \(count) rows")
    }
  }

  @Test("follows the tables as they change")
  func changes() throws {
    let connection = try Library.makeConnection()
    let request = "genre?select=*&id=eq.3"
    #expect(Library.answer(request, from: connection) == #"[{"id":3,"label":"none"}]"#)
    #expect(Library.answer(request, from: connection) == #"[{"id":3,"label":"none"}]"#)
    try connection.execute("ALTER TABLE genre ADD COLUMN extra int DEFAULT 7")
    #expect(Library.answer(request, from: connection) == #"[{"id":3,"label":"none","extra":7}]"#)
  }

  private struct Book: Decodable, Equatable {
    struct Chapter: Decodable, Equatable {
      var name: String
      var pages: Int?
    }
    struct Author: Decodable, Equatable { var name: String }
    var id: Int16
    var title: String
    var price: Double?
    var chapter: [Chapter]
    var author: Author?
    var tags: [String]?
  }

  @Test("decodes rows as values")
  func decoding() throws {
    let books = try Library.connection.get().database.from("book")
      .select("id, title, price, tags, chapter(name, pages), author:book_author(name)")
      .order("id").order("id", on: "chapter")
    let ada = Book.Author(name: "Ada")
    let engines = Book(
      id: 1, title: "Engines", price: 10.5,
      chapter: [.init(name: "One", pages: 10), .init(name: "Two", pages: 5)], author: ada,
      tags: ["a", "b"])
    #expect(
      try books.all() == [
        engines,
        Book(
          id: 2, title: "Loops", price: 7, chapter: [.init(name: "Solo", pages: nil)], author: ada),
        Book(id: 3, title: "Orphan", price: nil, chapter: [], author: nil, tags: ["b"]),
      ])
    #expect(try books.eq("id", 1).single() == engines)
    let bare = try Library.connection.get().database.from("book").select()
    #expect(throws: DecodingError.self) { try bare.select("id").all(as: Book.self) }
    #expect(throws: DecodingError.self) { try bare.select("id:title").all(as: [String: Int].self) }
  }

  @Test(
    "decodes every kind of JSON text",
    arguments: [#"a\"b"#, "back\\slash", "tab\tnew\nline", "é€😀", "\u{1}", ""])
  func texts(text: String) throws {
    let connection = Database().connect()
    try connection.execute("CREATE TABLE t (a text)")
    try connection.execute("INSERT INTO t VALUES ($1)", [.text(text)])
    #expect(try connection.from("t").select().single() == ["a": text])
    try connection.execute(#"UPDATE t SET a = '"\u00e9\ud83d\ude00\/"'"#)
    #expect(try connection.from("t").select("a::json").single() == ["a": "é😀/"])
  }

  @Test(
    "decodes objects of few and of many members, of which the last of a name counts",
    arguments: [1, 15, 16, 17, 40])
  func members(count: Int) throws {
    let connection = Database().connect()
    var members = Dictionary(
      (0..<count).map { ("k\($0)", $0) }, uniquingKeysWith: { _, last in last })
    let text = members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + ", \"k0\": -1"
    members["k0"] = -1
    try connection.execute("CREATE TABLE t (a json)")
    try connection.execute("INSERT INTO t VALUES ($1)", [.text("{\(text)}")])
    #expect(try connection.from("t").select().single() == ["a": members])
    struct Few: Decodable, Equatable { var k0: Int; var k1: Int?; var missing: Int? }
    let few: [String: Few] = try connection.from("t").select().single()
    #expect(few["a"] == Few(k0: -1, k1: count > 1 ? 1 : nil, missing: nil))
  }

  @Test("gives no level more rows than the connection allows")
  func rowLimit() throws {
    let connection = try Library.makeConnection()
    let request = "book?select=id,chapter(id),book_author(id)&order=id&chapter.order=id"
    let unlimited = try connection.select(request)
    connection.nestedRowLimit = 1
    #expect(
      Library.answer(request, from: connection)
        == #"[{"id":1,"chapter":[{"id":1}],"book_author":{"id":1}}]"#)
    connection.nestedRowLimit = nil
    #expect(try connection.select(request) == unlimited)
  }
}
