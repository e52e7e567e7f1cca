import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension Connection {
  /// Answers a nested select in PostgREST's notation with one line of JSON: an array of objects.
  ///
  /// Levels are found by the relationships between tables, a many-to-many one through its junction table. An
  /// embed of one row is an object or null, one of many rows an array, empty if there are none.
  ///
  /// ```swift
  /// try connection.select("course?select=name,student(id,last_name)&order=name&student.limit=3")
  /// ```
  ///
  /// - Parameter request: A table, and behind a question mark the parameters of the request, percent-encoded
  ///   where a value has one of `&`, `%`, `+` and `#`.
  /// - Returns: The rows as UTF-8 text.
  /// - Throws: what is wrong with the request, or the error of the statement that it becomes.
  public func select(_ request: String) throws(NestedSelectError) -> [UInt8] {
    let path = session.settings.searchPath
    // A backslash begins no SQL, so that the text of a statement is never taken for this.
    let limit = nestedRowLimit.map { "at most \($0) " } ?? ""
    let key = "\\select \(limit)\(path.joined(separator: ",")) \(request)"
    if !session.isFailed, let plan = session.planCache[key],
      plan.catalogVersion == catalog.version
    {
      return try answer { () throws(SQLError) in
        try session.runPrepared(plan, []) { session.planCache.insert($0, for: key) }
      }.json
    }
    return try rows(of: try ReadRequest(url: request)) { [session] in
      session.planCache.insert($0, for: key)
    }.json
  }

  /// The rows of a request; its plan goes to `keep`.
  func rows(
    of request: ReadRequest, keep: (PreparedPlan) -> Void = { _ in }
  ) throws(NestedSelectError) -> NestedRows {
    let catalog = self.catalog
    var resolver = RequestResolver(catalog: catalog, searchPath: session.settings.searchPath)
    var level = try resolver.resolve(request)
    if let nestedRowLimit { level.limitRows(to: Int64(max(0, nestedRowLimit))) }
    let query = try RequestTranslator(catalog: catalog).query(for: level)
    return try answer { () throws(SQLError) in
      try session.run(ParsedStatement(statement: .select(query)), keep: keep)
    }
  }

  private func answer(
    _ run: () throws(SQLError) -> StatementResult
  ) throws(NestedSelectError) -> NestedRows {
    do throws(SQLError) {
      let result = try session.exclusively(run)
      return NestedRows(result.rows ?? ResultSet(columns: [], chunks: []))
    } catch {
      throw NestedSelectError(error)
    }
  }
}

extension ReadLevel {
  /// Lets no level have more rows, for each row of the one above.
  mutating func limitRows(to count: Int64) {
    if !isToOne { limit = min(limit ?? count, count) }
    for index in children.indices { children[index].limitRows(to: count) }
  }
}

/// The outermost rows of a nested select, each a JSON object in the one column.
struct NestedRows {
  private let rows: ResultSet
  /// The rows that are shown.
  private let shown: Range<Int>

  /// The rows of a result, or some of them.
  init(_ rows: ResultSet, _ window: Range<Int>? = nil) {
    self.rows = rows
    shown = (window ?? 0..<rows.count).clamped(to: 0..<rows.count)
  }

  var isEmpty: Bool { shown.isEmpty }

  /// The rows as one JSON array on one line.
  ///
  /// - Complexity: O(*n*) in the bytes of the answer.
  var json: [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "[")]
    var text = ByteBuilder()
    for row in shown {
      if row > shown.lowerBound { bytes.append(UInt8(ascii: ",")) }
      append(row, to: &bytes, by: &text)
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }

  /// The only row as a JSON object.
  ///
  /// - Throws: PGRST116 if there is none or more than one.
  func single() throws(NestedSelectError) -> [UInt8] {
    guard shown.count == 1 else { throw .notSingle(shown.count) }
    return first
  }

  /// The first row, or null if there is none.
  var first: [UInt8] {
    guard !shown.isEmpty else { return Array("null".utf8) }
    var bytes: [UInt8] = []
    var text = ByteBuilder()
    append(shown.lowerBound, to: &bytes, by: &text)
    return bytes
  }

  private func append(_ row: Int, to bytes: inout [UInt8], by text: inout ByteBuilder) {
    text.removeAll()
    if rows.appendText(row: row, column: 0, to: &text) {
      JSONSpacing.appendCompact(text, to: &bytes)
    } else {
      bytes += Array("null".utf8)
    }
  }
}
