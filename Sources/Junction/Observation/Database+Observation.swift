public import Diagnostics

extension Database {
  /// The answers to several questions to one state, asked again when a commit may have changed one of them.
  ///
  /// ```swift
  /// let both = database.observe { db throws(SQLError) in
  ///   (try Fact.all.limit(10).fetch(db), try Fact.all.count(db))
  /// }
  /// ```
  ///
  /// The answers differ when one of the results that they were made from does. What `read` looks at besides the snapshot is not
  /// watched.
  ///
  /// - Parameter read: Asks; everything through the snapshot that it is given.
  /// - Returns: The answers.
  public func observe<T: Sendable>(
    _ read: @escaping @Sendable (Snapshot) throws(SQLError) -> T
  ) -> LiveValues<T> {
    LiveValues(self) {
      var last: UInt64?
      return { (snapshot) throws(SQLError) in
        let value = try read(snapshot)
        let digest = snapshot.observed?.digest
        if let last, last == digest { return nil }
        last = digest
        return value
      }
    }
  }

  /// The answers to several questions to one state, asked again when a commit may have changed one of them.
  ///
  /// The values themselves say whether they differ.
  ///
  /// - Parameter read: Asks; everything through the snapshot that it is given.
  /// - Returns: The answers.
  public func observe<T: Sendable & Equatable>(
    _ read: @escaping @Sendable (Snapshot) throws(SQLError) -> T
  ) -> LiveValues<T> {
    LiveValues(self) {
      var last: T?
      return { (snapshot) throws(SQLError) in
        let value = try read(snapshot)
        if last == value { return nil }
        last = value
        return value
      }
    }
  }

  /// The rows of a query, as the database changes.
  ///
  /// ```swift
  /// for try await names in database.updates(String.self, "SELECT name FROM course ORDER BY name") { … }
  /// ```
  ///
  /// - Parameters:
  ///   - type: What a row becomes, as `fetchAll` makes it.
  ///   - sql: The query.
  /// - Returns: The rows, each time that they differ.
  public func updates<T: Decodable & Sendable>(
    _ type: T.Type = T.self, _ sql: SQL
  ) -> LiveValues<[T]> {
    observeResults(.sql(sql)) { (snapshot) throws(SQLError) in try snapshot.fetchAll(type, sql) }
  }

  /// How many watch.
  package var watcherCount: Int { registry.watcherCount }

  /// As `observe`, where the results say whether the answer differs, whatever the values can.
  func observeResults<T: Sendable>(
    _ read: @escaping @Sendable (Snapshot) throws(SQLError) -> T
  ) -> LiveValues<T> { observe(read) }

  /// The same of a question that others may ask as well: each state is asked once for all of them.
  func observeResults<T: Sendable>(
    _ question: SharedQuestions.Question,
    _ read: @escaping @Sendable (Snapshot) throws(SQLError) -> T
  ) -> LiveValues<T> {
    LiveValues(self) {
      let asker = self.questions.asker(of: question, as: T.self)
      var last: UInt64?
      return { (snapshot) throws(SQLError) in
        let (value, digest) = try asker.answer(snapshot, read)
        if let last, last == digest { return nil }
        last = digest
        return value
      }
    }
  }
}

extension Selection {
  /// The rows, as the database changes.
  public func updates(in database: Database) -> LiveValues<[Row]> {
    let query = query
    return database.observeResults(.rows(query.tree)) { (db) throws(SQLError) in
      try query.fetch(db)
    }
  }

  /// The first row, nil where there is none, as the database changes.
  public func firstUpdates(in database: Database) -> LiveValues<Row?> {
    let query = query
    return database.observeResults(.first(query.tree)) { (db) throws(SQLError) in
      try query.first(db)
    }
  }

  /// The number of rows, as the database changes.
  public func countUpdates(in database: Database) -> LiveValues<Int> {
    let query = query
    return database.observeResults(.count(query.tree)) { (db) throws(SQLError) in
      try query.count(db)
    }
  }
}
