import Junction
import Testing

/// Books, who wrote and borrowed them, and what they are about: every kind of relationship once.
enum Library {
  static let schema = """
    CREATE TABLE person (
      id int PRIMARY KEY, name text NOT NULL, boss_id int, born date, notes jsonb,
      CONSTRAINT person_boss FOREIGN KEY (boss_id) REFERENCES person);
    CREATE TABLE passport (person_id int PRIMARY KEY REFERENCES person, code text);
    CREATE TABLE book (
      id int PRIMARY KEY, title text, price numeric(6,2), tags text[],
      author_id int CONSTRAINT book_author REFERENCES person,
      editor_id int CONSTRAINT book_editor REFERENCES person);
    CREATE TABLE chapter (id int PRIMARY KEY, book_id int REFERENCES book, name text, pages int);
    CREATE TABLE genre (id int PRIMARY KEY, label text);
    CREATE TABLE book_genre (
      book_id int REFERENCES book, genre_id int REFERENCES genre, weight int,
      PRIMARY KEY (book_id, genre_id));
    CREATE TABLE loan (
      day date, book_id int REFERENCES book, reader_id int REFERENCES person,
      PRIMARY KEY (day, book_id, reader_id));
    CREATE TABLE follows (
      follower_id int REFERENCES person, followed_id int REFERENCES person,
      PRIMARY KEY (follower_id, followed_id));
    INSERT INTO person VALUES
      (1, 'Ada', NULL, '1815-12-10', '{"city": "London", "tags": ["x", "y"]}'),
      (2, 'Bob "B" O''Neil', 1, NULL, NULL), (3, 'Cy\\n', 1, '2001-02-03', '{"city": "Rome"}');
    INSERT INTO passport VALUES (1, 'P1'), (3, 'P3');
    INSERT INTO book VALUES
      (1, 'Engines', 10.50, '{a,b}', 1, 2), (2, 'Loops', 7.00, NULL, 1, NULL),
      (3, 'Orphan', NULL, '{b}', NULL, NULL);
    INSERT INTO chapter VALUES (1, 1, 'One', 10), (2, 1, 'Two', 5), (3, 2, 'Solo', NULL);
    INSERT INTO genre VALUES (1, 'fact'), (2, 'art'), (3, 'none');
    INSERT INTO book_genre VALUES (1, 1, 9), (1, 2, 1), (2, 1, 5);
    INSERT INTO loan VALUES ('2024-01-01', 1, 2), ('2024-01-02', 1, 3), ('2024-01-03', 2, 3);
    INSERT INTO follows VALUES (2, 1), (3, 1), (1, 3);
    CREATE FUNCTION shout(person) RETURNS text LANGUAGE sql AS $$ SELECT upper($1.name) $$;
    CREATE VIEW cheap AS SELECT id, title FROM book WHERE price < 9;
    """

  static func makeConnection() throws -> Connection {
    let connection = Database().connect()
    try connection.execute(schema)
    return connection
  }

  static let connection = Result { try makeConnection() }

  /// The answer to a request, or its error, as text.
  static func answer(_ request: String, from connection: Connection) -> String {
    do throws(NestedSelectError) {
      return String(decoding: try connection.select(request), as: UTF8.self)
    } catch {
      return String(decoding: error.json, as: UTF8.self)
    }
  }
}

/// A request and the JSON that it gives, to the byte.
struct RequestCase: CustomTestStringConvertible {
  let request: String
  let json: String

  init(_ request: String, _ json: String) {
    self.request = request
    self.json = json
  }

  var testDescription: String { request }

  func check() throws {
    // A connection is for one thread at a time, and tests run side by side.
    #expect(Library.answer(request, from: try Library.connection.get().database.connect()) == json)
  }
}
