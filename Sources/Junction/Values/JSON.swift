import Columnar
public import Diagnostics

/// A `Codable` value in a column of type json or jsonb, where it stands alone: as a parameter, or as all of a result.
///
/// ```swift
/// try database.execute("UPDATE course SET settings = \(JSON(settings)) WHERE id = \(id)")
/// let all = try database.fetchAll(JSON<Settings>.self, "SELECT settings FROM course")
/// ```
///
/// A property of a struct that is decoded needs no such dress.
public struct JSON<Wrapped: Codable & Sendable>: Sendable {
  /// The value.
  public var value: Wrapped

  /// JSON of a value.
  public init(_ value: Wrapped) { self.value = value }
}

extension JSON: Equatable where Wrapped: Equatable {}
extension JSON: Hashable where Wrapped: Hashable {}

extension JSON: Codable {
  /// The value itself, from any decoder.
  ///
  /// - Throws: what the value's own decoding throws.
  public init(from decoder: any Decoder) throws { value = try Wrapped(from: decoder) }

  /// Writes the value itself.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension JSON: SQLValueConvertible {
  /// `jsonb`.
  public static var sqlType: SQLType { SQLType("jsonb") }

  /// The value as the engine takes it.
  ///
  /// A value that cannot be encoded, such as a number that is not finite, becomes a text that no column takes for JSON, so that the
  /// statement fails with 22P02.
  public var sqlValue: SQLValue {
    do {
      return .json(try JSONTextEncoder.text(of: value))
    } catch {
      return .json("not encodable: \(error)")
    }
  }

  /// A value that the engine gave; a text is read as JSON.
  ///
  /// - Throws: 42804 if it is no JSON, or not that of the type.
  public init(sqlValue: SQLValue) throws(SQLError) {
    switch sqlValue {
    case .json(let text), .text(let text): value = try JSONNode.decode(text, as: Wrapped.self)
    case .null, .boolean, .integer, .double, .bytes, .numeric, .uuid, .date, .time, .timestamp,
      .interval, .array:
      throw .misfit(sqlValue, Self.self)
    }
  }
}

extension JSONNode {
  /// What a type decodes from a JSON text.
  ///
  /// - Throws: 42804 for what is no JSON, or not that of the type, with the path in its context.
  static func decode<Wrapped: Decodable>(
    _ text: String, as type: Wrapped.Type
  ) throws(SQLError) -> Wrapped {
    do {
      return try JSONNodeDecoder(try JSONNode(Array(text.utf8))).decode(type)
    } catch let failure as JSONReader.Failure {
      throw SQLError(
        .datatypeMismatch, "byte \(failure.offset) is where \"\(text.prefix(40))\" ends to be JSON")
    } catch {
      throw SQLError(decoding: error)
    }
  }
}
