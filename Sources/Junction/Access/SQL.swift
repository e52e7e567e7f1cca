import SQLSyntax

/// A statement and the values that belong to it.
///
/// What is interpolated becomes a parameter, never text, so that no value can be taken for SQL:
///
/// ```swift
/// let rows = try database.query("SELECT * FROM course WHERE name = \(name) OR id = ANY(\(ids))")
/// ```
///
/// A query may be interpolated as well, without its parentheses, and a column of a record, by its name. What they stand for in
/// SQL is found with the catalog, when the statement is run:
///
/// ```swift
/// let crowded = Course.where { $0.students.count > 20 }
/// let number = try database.fetchOne(Int.self, "SELECT count(*) FROM (\(crowded)) AS q WHERE name LIKE \(pattern)")
/// ```
///
/// A `String` becomes SQL through `init(raw:)` alone.
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The text, with `$1`, `$2`, … for the values, and `…` for each query or column in it: what it stands for is known when the
  /// statement is run.
  public private(set) var text: String
  /// The values, in the order of their numbers; those of queries in it come behind them.
  public private(set) var arguments: [SQLValue]
  /// The queries and columns in it, in the order of their places.
  private(set) var parts: [Part] = []

  /// SQL as it is written in the program.
  public init(stringLiteral value: String) {
    text = value
    arguments = []
  }

  /// SQL as it is written in the program, with values in it.
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

  /// SQL that was made elsewhere: by a file, a shell, another program.
  ///
  /// - Parameters:
  ///   - text: The text, with `$1`, `$2`, … for the values.
  ///   - arguments: The values.
  public init(raw text: String, _ arguments: [SQLValue] = []) {
    self.text = text
    self.arguments = arguments
  }

  /// One text behind the other, the values of the second numbered on.
  public static func + (left: SQL, right: SQL) -> SQL {
    var result = left
    result.append(right)
    return result
  }

  /// Adds text as it stands.
  mutating func write(_ more: String) { text += more }

  /// Adds a value, as a parameter.
  mutating func bind(_ value: SQLValue) {
    arguments.append(value)
    text += "$\(arguments.count)"
  }

  /// Adds a query or a column, whose text is found later.
  private mutating func append(_ content: Part.Content) {
    parts.append(Part(offset: text.utf8.count, content: content))
    text += Part.mark
  }

  private mutating func append(_ other: SQL) {
    let raise = arguments.count
    arguments += other.arguments
    if other.parts.isEmpty {
      text += raisingParameterNumbers(in: other.text, by: raise)
      return
    }
    for piece in other.pieces {
      text += raisingParameterNumbers(in: piece.text, by: raise)
      if let content = piece.content { append(content) }
    }
  }

  /// The text between the parts, each piece with the part behind it.
  private var pieces: [(text: String, content: Part.Content?)] {
    var pieces: [(text: String, content: Part.Content?)] = []
    var start = text.startIndex
    for part in parts {
      let place = text.utf8.index(text.startIndex, offsetBy: part.offset)
      pieces.append((String(text[start..<place]), part.content))
      start = text.utf8.index(place, offsetBy: Part.mark.utf8.count)
    }
    pieces.append((String(text[start...]), nil))
    return pieces
  }

  /// The statement with the texts of its parts in their places; their values come behind its own and `more`.
  ///
  /// - Parameters:
  ///   - view: The catalog that knows them.
  ///   - table: The table of a query in which it is a condition.
  ///   - more: Values that the text has numbers for beyond its own.
  /// - Returns: The statement without parts.
  /// - Throws: 42703, 42725, 42830 for columns and relations that the catalog does not have.
  func resolved(
    _ view: CatalogView, within table: QueryRenderer.Table? = nil, adding more: [SQLValue] = []
  ) throws(SQLError) -> SQL {
    if parts.isEmpty, more.isEmpty { return self }
    var result = SQL(raw: "", arguments + more)
    for piece in pieces {
      result.text += piece.text
      if let content = piece.content { result.append(try content.sql(view, table)) }
    }
    return result
  }

  /// What an interpolated literal is put together in.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var sql = SQL(raw: "")

    /// Room for a literal of about this length.
    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.text.reserveCapacity(literalCapacity + 3 * interpolationCount)
      sql.arguments.reserveCapacity(interpolationCount)
    }

    /// A part of the literal, as it is written.
    public mutating func appendLiteral(_ literal: String) { sql.text += literal }

    /// A parameter; an array is one parameter: `= ANY(\(ids))`.
    public mutating func appendInterpolation(_ value: some SQLValueConvertible) {
      appendInterpolation(value.sqlValue)
    }

    /// A parameter, NULL where there is no value.
    public mutating func appendInterpolation<Value: SQLValueConvertible>(_ value: Value?) {
      appendInterpolation(value.sqlValue)
    }

    /// A parameter.
    public mutating func appendInterpolation(_ value: SQLValue) { sql.bind(value) }

    /// A part of another statement, with its values.
    public mutating func appendInterpolation(_ part: SQL) { sql.append(part) }

    /// A query, as it stands in parentheses: `FROM (\(query)) AS q`.
    public mutating func appendInterpolation(_ query: some Selection) {
      sql.append(.query(query.query.tree))
    }

    /// The name of a property's column.
    public mutating func appendInterpolation<Root: Record, Value>(_ column: Column<Root, Value>) {
      sql.append(.column(RecordSource(Root.self), column.tree))
    }

    /// A name, quoted.
    public mutating func appendInterpolation(identifier: String) {
      sql.text += "\"" + identifier.replacing("\"", with: "\"\"") + "\""
    }

    /// The name of a record's table.
    public mutating func appendInterpolation<R: Record>(_ type: R.Type) {
      sql.text += type.table.split(separator: ".").map { SQLPrinter.quoted(String($0)) }
        .joined(separator: ".")
    }
  }
}
