import SQLSyntax

/// A statement and the values that belong to it.
///
/// What is interpolated becomes a parameter, never text, so that no value can be taken for SQL:
///
/// ```swift
/// let rows = try database.query("SELECT * FROM course WHERE name = \(name) OR id = ANY(\(ids))")
/// ```
///
/// A `String` becomes SQL through `init(raw:)` alone.
public struct SQL: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The text, with `$1`, `$2`, … for the values.
  public private(set) var text: String
  /// The values, in the order of their numbers.
  public private(set) var arguments: [SQLValue]

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

  private mutating func append(_ other: SQL) {
    text += raisingParameterNumbers(in: other.text, by: arguments.count)
    arguments += other.arguments
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
