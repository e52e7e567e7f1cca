import Junction
import Testing

@Suite("A nested select that cannot be answered says")
struct NestedErrorTests {
  @Test(
    "what its grammar does not have, and where",
    arguments: [
      RequestCase(
        "person?id=5",
        #"{"code":"PGRST100","message":"\"failed to parse filter (5)\" (line 1, column 1)","details":"unexpected \"5\" expecting \"not\" or operator (eq, gt, ...)","hint":null}"#
      ),
      RequestCase(
        "person?select=id,,name",
        #"{"code":"PGRST100","message":"\"failed to parse select parameter (id,,name)\" (line 1, column 4)","details":"unexpected \",\" expecting field name (* or [a..z0..9_$])","hint":null}"#
      ),
      RequestCase(
        "person?select=id,book(id",
        #"{"code":"PGRST100","message":"\"failed to parse select parameter (id,book(id)\" (line 1, column 11)","details":"unexpected end of input expecting \",\" or \")\"","hint":null}"#
      ),
      RequestCase(
        "person?order=id.up",
        #"{"code":"PGRST100","message":"\"failed to parse order (id.up)\" (line 1, column 4)","details":"unexpected \"u\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"","hint":null}"#
      ),
      RequestCase(
        "person?id=is.5",
        #"{"code":"PGRST100","message":"\"failed to parse filter (is.5)\" (line 1, column 4)","details":"unexpected \"5\" expecting isVal: (null, not_null, true, false, unknown)","hint":null}"#
      ),
      RequestCase(
        "person?limit=-1",
        #"{"code":"PGRST103","message":"Requested range not satisfiable","details":"Limit should be greater than or equal to zero.","hint":null}"#
      ),
    ])
  func grammar(_ example: RequestCase) throws { try example.check() }

  @Test(
    "what is not there or not clear, and what may have been meant",
    arguments: [
      RequestCase(
        "persons",
        #"{"code":"PGRST205","message":"Could not find the table 'public.persons' in the schema cache","details":null,"hint":"Perhaps you meant the table 'public.person'"}"#
      ),
      RequestCase(
        "person?select=nam",
        #"{"code":"PGRST204","message":"Could not find the 'nam' column of 'person' in the schema cache","details":null,"hint":"Perhaps you meant the column 'name'."}"#
      ),
      RequestCase(
        "genre?select=books(id)",
        #"{"code":"PGRST200","message":"Could not find a relationship between 'genre' and 'books' in the schema cache","details":"Searched for a foreign key relationship between 'genre' and 'books' in the schema 'public', but no matches were found.","hint":"Perhaps you meant 'book' instead of 'books'."}"#
      ),
      RequestCase(
        "genre?select=book!x(id)",
        #"{"code":"PGRST200","message":"Could not find a relationship between 'genre' and 'book' in the schema cache","details":"Searched for a foreign key relationship between 'genre' and 'book' using the hint 'x' in the schema 'public', but no matches were found.","hint":null}"#
      ),
      RequestCase(
        "person?select=book(id)",
        #"{"code":"PGRST201","message":"Could not embed because more than one relationship was found for 'person' and 'book'","details":[{"cardinality":"one-to-many","embedding":"person with book","relationship":"book_author using person(id) and book(author_id)"},{"cardinality":"one-to-many","embedding":"person with book","relationship":"book_editor using person(id) and book(editor_id)"},{"cardinality":"many-to-many","embedding":"person with book","relationship":"loan using loan_reader_id_fkey(reader_id) and loan_book_id_fkey(book_id)"}],"hint":"Try changing 'book' to one of the following: 'book!book_author', 'book!book_editor', 'book!loan'. Find the desired relationship in the 'details' key."}"#
      ),
      RequestCase(
        "person?chapter.id=eq.1",
        #"{"code":"PGRST108","message":"'chapter' is not an embedded resource in this request","details":null,"hint":"Verify that 'chapter' is included in the 'select' query parameter."}"#
      ),
      RequestCase(
        "genre?select=book()&book=eq.1",
        #"{"code":"PGRST120","message":"Bad operator on the 'book' embedded resource","details":"Only is null or not is null filters are allowed on embedded resources","hint":null}"#
      ),
      RequestCase(
        "genre?select=book(id)&order=book(id)",
        #"{"code":"PGRST118","message":"A related order on 'book' is not possible","details":"'genre' and 'book' do not form a many-to-one or one-to-one relationship","hint":null}"#
      ),
      RequestCase(
        "genre?select=...book(count())",
        #"{"code":"PGRST127","message":"Feature not implemented","details":"Aggregates are not implemented for one-to-many or many-to-many spreads.","hint":null}"#
      ),
      RequestCase(
        "person?id=eq.x",
        #"{"code":"22P02","message":"invalid input syntax for type integer: \"x\"","details":null,"hint":null}"#
      ),
      RequestCase(
        "person?name=fts.x",
        #"{"code":"0A000","message":"text search is not supported","details":null,"hint":null}"#),
    ])
  func names(_ example: RequestCase) throws { try example.check() }

  @Test(
    "that it is nested too deeply, has too many embeds or too long a path",
    arguments: [
      "person?select=" + String(repeating: "boss_id(", count: 5000)
        + String(repeating: ")", count: 5000),
      "person?select=" + (0..<200).map { "a\($0):boss_id(id)" }.joined(separator: ","),
      "person?select=notes" + String(repeating: "->a", count: 5000),
      "person?or=" + String(repeating: "(not.and", count: 5000),
      "person?" + (0..<30).map { _ in "%00" }.joined() + "=eq.1",
    ])
  func limits(request: String) throws {
    let answer = Library.answer(request, from: try Library.connection.get().database.connect())
    #expect(answer.hasPrefix(#"{"code":"PGRST100""#))
  }

  @Test("the same in a transaction that failed, until that ends")
  func failedTransaction() throws {
    let connection = try Library.makeConnection()
    try connection.execute("BEGIN; DELETE FROM book_genre")
    #expect(Library.answer("book_genre", from: connection) == "[]")
    #expect(Library.answer("person?id=eq.x", from: connection).contains("22P02"))
    #expect(Library.answer("genre", from: connection).contains("25P02"))
    try connection.execute("ROLLBACK")
    #expect(Library.answer("book_genre?select=count()", from: connection) == #"[{"count":3}]"#)
  }
}
