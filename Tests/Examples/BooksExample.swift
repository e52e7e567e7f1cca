import Junction
import Testing

// Books with one ISBN, a genre, and authors and publishers that other books have as well: every kind of relation at once.

// MARK: - Model

struct Author: Record, Hashable {
  var id: Int?
  var name: String?
  struct Relations: Sendable { let books = Many<Book>() }
  static let relations = Relations()
}

struct Publisher: Record, Hashable {
  var id: Int?
  var name: String?
}

struct Genre: Record, Hashable {
  var id: Int?
  var name: String?
  struct Relations: Sendable { let books = Many<Book>() }
  static let relations = Relations()
}

struct ISBN: Record, Hashable {
  var id: Int?
  var value: String?
}

struct Book: Record, Hashable {
  var id: Int?
  var title: String?
  var publishingYear: Int?
  var genreID: Int?
  var isbnID: Int?

  struct Relations: Sendable {
    let authors = Many<Author>(orderedBy: "position")
    let publishers = Many<Publisher>()
    let genre = One<Genre>()
    let isbn = One<ISBN>()
  }
  static let relations = Relations()
}

// MARK: - Service

/// What the app does, with what it tells its user.
struct BookService: Sendable {
  let database: Database

  /// What is typed into the form.
  struct Form: Sendable {
    var title = ""
    var isbn = ""
    var genre: Genre?
    var year = ""
    var authors: [Author] = []
    var publishers: [Publisher] = []
  }

  /// Saves a book with all that belongs to it, or nothing.
  func save(_ form: Form) async -> String {
    if form.title.isEmpty { return "Invalid book title" }
    if form.isbn.isEmpty { return "Invalid ISBN value." }
    guard let genre = form.genre else { return "Invalid genre." }
    guard let year = Int(form.year) else { return "Invalid publishing year." }
    do {
      try await database.write { db in
        let isbn = try ISBN(value: form.isbn).inserted(db)
        let book = try Book(title: form.title, publishingYear: year, isbnID: isbn.id).inserted(db)
        try book.authors.add(form.authors, db)
        try book.publishers.add(form.publishers, db)
        try genre.books.add(book, db)
      }
      return "Book saved successfully."
    } catch let error as SQLError where error.object?.constraint == "isbn_value_key" {
      return "The entered ISBN already exists."
    } catch let error as SQLError {
      return "Failed to save book: \(error.message)"
    } catch {
      return "Failed to save book: \(error)"
    }
  }

  /// One statement decides whether it is there: nobody can come between a look and a save.
  func addGenre(_ name: String) -> String {
    do {
      let added = try Genre(name: name).inserted(database, onConflict: .ignore)
      return added == nil ? "This genre already exists." : "Genre added!"
    } catch {
      return "Failed to save genre: \(error.message)"
    }
  }

  func addAuthor(_ name: String) -> String {
    do {
      let added = try Author(name: name).inserted(database, onConflict: .ignore)
      return added == nil ? "This author already exists." : "Author added!"
    } catch {
      return "Failed to save author: \(error.message)"
    }
  }

  func addPublisher(_ name: String) -> String {
    do {
      let added = try Publisher(name: name).inserted(database, onConflict: .ignore)
      return added == nil ? "This publisher already exists." : "Publisher added!"
    } catch {
      return "Failed to save publisher: \(error.message)"
    }
  }
}

// MARK: - What comes of it

@Suite("Example: books")
struct BooksExample {
  private let database: Database
  private var service: BookService { BookService(database: database) }

  init() throws {
    database = try Datasets.books.get().fork()
    // Authors have an order, which is a column of the junction table.
    try database.execute("ALTER TABLE book_author ADD COLUMN position int")
  }

  private func form() throws -> BookService.Form {
    BookService.Form(
      title: "The Mannequin", isbn: "978-1-944994-05-1",
      genre: try Genre.where { $0.name == "Poetry" }.one(database), year: "2024",
      authors: try Author.where { $0.name.isIn(["Woolf", "Abelson"]) }.order(
        by: \.name, .descending
      )
      .fetch(database),
      publishers: try Publisher.where { $0.name == "Hogarth" }.fetch(database))
  }

  @Test("saves a row and gives it back, at once or on the engine's threads")
  func saving() async throws {
    let saved = try Author(name: "John Doe").saved(database)
    #expect(saved.id == 5)
    let other = try await database.write { db in try Author(name: "Jane Doe").saved(db) }
    #expect(try await database.read { db in try Author.find(6, in: db) } == other)
    var renamed = saved
    renamed.name = "John Dough"
    #expect(try renamed.saved(database) == renamed)
    #expect(try Author.where { $0.name == "John Doe" }.first(database) == nil)
  }

  @Test("finds rows by typed conditions, none of which is an error")
  func finding() throws {
    #expect(try Author.where { $0.name == "Nobody at all" }.fetch(database) == [])
    #expect(try ISBN.where { $0.value == "x" }.first(database) == nil)
    let error = #expect(throws: SQLError.self) { try ISBN.where { $0.value == "x" }.one(database) }
    #expect(error?.state == .noDataFound)
    #expect(
      try Book.where { $0.publishingYear < 1950 }.fetch(database).map(\.title) == ["The Waves"])
    #expect(try Book.where { $0.genreID == nil }.count(database) == 1)
    let page = Author.order(by: \.name, .descending)
    #expect(try page.limit(2, offset: 1).fetch(database).map(\.name) == ["Sussman", "Nobody"])
  }

  @Test("saves a book with all that belongs to it")
  func saveBook() async throws {
    #expect(await service.save(try form()) == "Book saved successfully.")
    let book = try Book.where { $0.title == "The Mannequin" }.one(database)
    // Authors come as they were added.
    #expect(try book.authors.fetch(database).map(\.name) == ["Woolf", "Abelson"])
    #expect(try book.publishers.fetch(database).map(\.name) == ["Hogarth"])
    #expect(try book.genre.fetch(database)?.name == "Poetry")
    #expect(try book.isbn.fetch(database)?.value == "978-1-944994-05-1")
    // The other way round: the books of an author, and of a genre.
    let woolf = try Author.where { $0.name == "Woolf" }.one(database)
    #expect(
      try woolf.books.order(by: \.title).fetch(database).map(\.title) == [
        "The Mannequin", "The Waves",
      ])
  }

  @Test("says what is wrong with the form, and then has changed nothing")
  func messages() async throws {
    let before = database.snapshot.version
    var form = try form()
    form.year = "abc"
    #expect(await service.save(form) == "Invalid publishing year.")
    form.genre = nil
    #expect(await service.save(form) == "Invalid genre.")
    form.isbn = ""
    #expect(await service.save(form) == "Invalid ISBN value.")
    form.title = ""
    #expect(await service.save(form) == "Invalid book title")
    #expect(database.snapshot.version == before)
    form = try self.form()
    form.isbn = "0-15-662870-8"
    #expect(await service.save(form) == "The entered ISBN already exists.")
    form.isbn = "new"
    form.year = "1066"
    #expect(await service.save(form).hasPrefix("Failed to save book: new row for relation"))
    // The ISBN came first, and went with the book.
    #expect(try ISBN.where { $0.value == "new" }.isEmpty(database))
    #expect(try Book.all.count(database) == 3)
  }

  @Test("keeps a name unique, however many add it at once")
  func uniqueness() async throws {
    #expect(service.addGenre("Mystery") == "Genre added!")
    #expect(service.addGenre("Mystery") == "This genre already exists.")
    #expect(service.addAuthor("Woolf") == "This author already exists.")
    #expect(service.addPublisher("Hogarth") == "This publisher already exists.")
    let database = database
    let added = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<100 {
        group.addTask {
          try await database.write { db in
            try Genre(name: "Thriller").inserted(db, onConflict: .ignore) != nil
          }
        }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(added == 1)
    #expect(try Genre.where { $0.name == "Thriller" }.count(database) == 1)
    let error = #expect(throws: SQLError.self) { try Genre(name: "Thriller").inserted(database) }
    #expect(error?.state == .uniqueViolation)
    #expect(error?.message.contains("genre_name_key") == true)
  }

  @Test("links like a set: twice is once, and what is not there goes without an error")
  func links() throws {
    let book = try Book.where { $0.title == "The Waves" }.one(database)
    let woolf = try Author.where { $0.name == "Woolf" }.one(database)
    let nobody = try Author.where { $0.name == "Nobody" }.one(database)
    #expect(try !book.authors.add(woolf, database))
    #expect(try !book.authors.remove(nobody, database))
    #expect(try book.authors.add([woolf, nobody], database) == 1)
    #expect(try book.authors.remove(woolf, database))
    #expect(try book.authors.fetch(database) == [nobody])
    try book.authors.place(woolf, at: 0, database)
    #expect(try book.authors.fetch(database) == [woolf, nobody])
    // A book that was not saved has nothing to be linked by.
    let error = #expect(throws: SQLError.self) {
      try Book(title: "Unsaved").authors.add(woolf, database)
    }
    #expect(error?.state == .objectNotInPrerequisiteState)
    #expect(error?.message == "book has no id yet")
  }

  @Test("includes what belongs to a book, in one statement")
  func including() throws {
    let books = try Book.order(by: \.id).with(\.isbn).fetch(database)
    #expect(books.map { $0.related?.value } == ["0-262-01153-0", "0-15-662870-8", nil])
    struct BookCard: Decodable, Sendable {
      var title: String
      var isbn: ISBN?
      var genre: Genre?
      var authors: [Author]
      var publishers: [Publisher]
    }
    let cards = try Book.order(by: \.id).shaped(as: BookCard.self).fetch(database)
    #expect(cards.map(\.authors.count) == [2, 1, 0])
    #expect(cards.map(\.publishers.count) == [2, 1, 0])
    #expect(cards.map { $0.genre?.name } == ["Computing", "Fiction", nil])
  }
}
