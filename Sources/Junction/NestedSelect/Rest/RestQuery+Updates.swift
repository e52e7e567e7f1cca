import Diagnostics

extension RestQuery {
  /// The rows as the database changes, in place of a channel that tells of every change.
  ///
  /// ```swift
  /// for try await courses in database.from("course").select("id, name, student(last_name)")
  ///   .updates(as: CourseWithStudents.self)
  /// { … }
  /// ```
  ///
  /// It ends with an error where the request does: of the request itself 22023 with the PGRST code in front of the message, of its
  /// statement the statement's, of a value that the type does not take 42804. A change cannot be watched, 25006, nor can what is asked
  /// through a connection, 0A000, as that may be in the middle of a transaction.
  ///
  /// - Parameter type: What a row becomes.
  /// - Returns: The rows, each time that they differ.
  public func updates<T: Decodable & Sendable>(as type: T.Type = T.self) -> LiveValues<[T]> {
    let query = self
    guard case .database(let database) = source else {
      return Database().observeResults { (_) throws(SQLError) in
        throw SQLError(
          .featureNotSupported, "what a connection asks cannot be watched",
          hint: "Ask the database itself: database.from(\"\(query.target)\").")
      }
    }
    return database.observeResults { (snapshot) throws(SQLError) in
      do {
        let run = try query.makeRun(givesRows: true)
        let answer = try run.answer { () throws(SQLError) in
          try snapshot.run(Request(.rest(run)))
        }
        return try answer.value(as: [T].self)
      } catch let error as NestedSelectError {
        throw error.statementError
      } catch {
        throw SQLError(decoding: error)
      }
    }
  }
}

extension NestedSelectError {
  /// The same as the error of a statement.
  fileprivate var statementError: SQLError {
    let isOfStatement = !code.hasPrefix("PGRST")
    return SQLError(
      isOfStatement ? SQLState(code) : .invalidParameterValue,
      isOfStatement ? message : code + ": " + message, detail: details, hint: hint)
  }
}
