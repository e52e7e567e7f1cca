import Catalog
import Columnar
public import Diagnostics

extension Database {
  /// Orders texts by the rules of a language wherever a statement or a column says nothing else.
  ///
  /// Without it texts are ordered by their bytes. Keys are compared by bytes in either case. A database on disk keeps its
  /// collation, which has to be said before anything is in it.
  ///
  /// ```swift
  /// let database = try Database(path: "school.junction")
  /// try database.setCollation("de-x-icu")
  /// ```
  ///
  /// - Parameter name: A language and `-x-icu`, such as `de-x-icu` or `de-u-co-phonebk-x-icu`; `C` is the order of bytes.
  /// - Throws: 42704 for a collation that does not exist, 55000 for a database on disk that has another and is not empty.
  public func setCollation(_ name: String) throws(SQLError) {
    guard let collation = Collation.named(name) else {
      throw .unknownCollation(name, at: .none)
    }
    let session = Session(state)
    try session.inTransaction(writes: true, command: "ALTER DATABASE", session.makeEvaluation()) {
      (transaction, _) throws(SQLError) in
      let known = transaction.catalog.defaultCollation
      guard (known ?? .bytes) != collation else { return }
      guard store == nil || transaction.catalog.isEmpty else {
        throw SQLError(
          .objectNotInPrerequisiteState,
          "the database orders texts by collation \"\((known ?? .bytes).name)\", and is not empty",
          hint: "Make a new database with the other collation, and load an export of this one.")
      }
      transaction.catalog.setDefaultCollation(collation)
    }
  }
}
