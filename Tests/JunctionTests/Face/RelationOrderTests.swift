import Junction
import Testing

private struct Author: Record, Hashable {
  var id: Int
  var name: String
  struct Relations: Sendable {
    let books = Many<Book>(through: "book")
    let shelf = Many<Book>(through: "shelf", orderedBy: "place")
  }
  static let relations = Relations()
}

private struct Book: Record, Hashable {
  var id: Int
  var title: String
  var authorID: Int
}

/// Equal questions about other rows have the same text, which is kept.
@Suite("The order of related rows")
struct RelationOrderTests {
  private let db: Database
  private let authors: [Author]

  init() throws {
    db = Database()
    try db.execute(
      """
      CREATE TABLE author (id int PRIMARY KEY, name text NOT NULL);
      CREATE TABLE book (id int PRIMARY KEY, title text NOT NULL, author_id int NOT NULL REFERENCES author);
      CREATE TABLE shelf (author_id int REFERENCES author, book_id int REFERENCES book,
        place int NOT NULL, PRIMARY KEY (author_id, book_id));
      INSERT INTO author VALUES (1, 'Eco'), (2, 'Calvino');
      INSERT INTO book VALUES (1, 'c', 1), (2, 'b', 1), (3, 'a', 1), (4, 'z', 2), (5, 'y', 2);
      INSERT INTO shelf VALUES (1, 1, 2), (1, 4, 0), (1, 5, 1), (2, 2, 1), (2, 3, 0)
      """)
    authors = try Author.order(by: \.id).fetch(db)
  }

  private func titles(_ books: some Selection<Book>) throws -> String {
    try books.fetch(db).map(\.title).joined()
  }

  @Test("is that of the row at hand, whichever was asked about before")
  func rows() throws {
    for _ in 0..<2 {
      #expect(try titles(authors[0].books.order(by: \.title)) == "abc")
      #expect(try titles(authors[1].books.order(by: \.title)) == "yz")
      #expect(try titles(authors[0].books.order(by: \.title, .descending)) == "cba")
      #expect(try titles(authors[1].books.available.order(by: \.title)) == "abc")
      #expect(try titles(authors[0].books.available.order(by: \.title)) == "yz")
    }
  }

  @Test("goes with limits and offsets of its own")
  func limits() throws {
    for _ in 0..<2 {
      #expect(try titles(authors[0].books.order(by: \.title).limit(2)) == "ab")
      #expect(try titles(authors[1].books.order(by: \.title).limit(1)) == "y")
      #expect(try titles(authors[0].books.order(by: \.title).limit(2, offset: 1)) == "bc")
      #expect(try authors[1].books.order(by: \.title).first(db)?.title == "y")
      #expect(try authors[0].books.order(by: \.title).limit(2).count(db) == 2)
      #expect(
        try titles(authors[0].books.order(by: \.title).after(Book(id: 3, title: "a", authorID: 1)))
          == "bc")
    }
    for limit in 0..<100 {
      #expect(try authors[0].books.order(by: \.title).limit(limit).fetch(db).count == min(limit, 3))
    }
  }

  @Test("is the one that the relation keeps, also of what does not belong to it")
  func kept() throws {
    for _ in 0..<2 {
      #expect(try titles(authors[0].shelf) == "zyc")
      #expect(try titles(authors[1].shelf) == "ab")
      #expect(try titles(authors[0].shelf.limit(1)) == "z")
      #expect(try titles(authors[0].shelf.order(by: \.title)) == "zyc")
      #expect(try titles(authors[0].shelf.available.order(by: \.title)) == "ab")
    }
  }

  @Test("may be SQL with values in it, which are not kept")
  func expressions() throws {
    for (first, expected) in [("b", "bac"), ("c", "cab"), ("a", "abc")] {
      let order: SQL = "title <> \(first), title"
      #expect(try titles(authors[0].books.order(order)) == expected)
    }
    #expect(try titles(authors[1].books.order("title <> 'z'")) == "zy")
    #expect(try titles(authors[0].books.order("title <> 'a', title DESC")) == "acb")
  }
}
