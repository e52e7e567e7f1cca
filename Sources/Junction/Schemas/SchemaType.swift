import Catalog
import Columnar
import Diagnostics

/// The type of a column that a property asks for.
struct SchemaType: Hashable {
  /// Its name, as a statement writes it.
  let name: String
  /// The labels of the enumeration that has to be made for it; nil for any other type.
  var labels: [String]?

  /// The type for the values of a property.
  ///
  /// - Parameters:
  ///   - type: The Swift type of the property; nil for one that is decoded in parts.
  ///   - record: The record type that the property belongs to.
  /// - Returns: The type; jsonb for what has none of its own.
  /// - Throws: 42804 for a type of Foundation that needs JunctionFoundation.
  static func of(_ type: Any.Type?, in record: Any.Type) throws(SQLError) -> SchemaType {
    guard let type else { return SchemaType(name: "jsonb") }
    if let optional = type as? any OptionalType.Type {
      return try of(optional.wrappedType, in: record)
    }
    guard let convertible = type as? any SQLValueConvertible.Type else {
      if var error = SQLError.foundationType(type, "a column") {
        error.message = "record \(record) has a property of type \(type), which no column holds"
        throw error
      }
      return SchemaType(name: "jsonb")
    }
    let name = convertible.sqlType.name
    guard let cases = type as? any CaseIterable.Type, let labels = labels(of: cases) else {
      return SchemaType(name: name)
    }
    if name == String.sqlType.name {
      return SchemaType(name: enumerationName(type, in: record), labels: labels)
    }
    // A type that says its own name is one to be made, unless there is such a type already.
    return SchemaType(name: name, labels: Family(name) == nil ? labels : nil)
  }

  /// The raw values of an enum of texts; nil for another type.
  private static func labels<Cases: CaseIterable>(of type: Cases.Type) -> [String]? {
    var labels: [String] = []
    for one in type.allCases {
      guard let raw = (one as? any RawRepresentable)?.rawValue as? String else { return nil }
      labels.append(raw)
    }
    return labels.isEmpty ? nil : labels
  }

  /// The snake case of a type's name, behind that of the record that it is declared in.
  private static func enumerationName(_ type: Any.Type, in record: Any.Type) -> String {
    let own = ColumnNames.snakeCase(String(describing: type))
    let isNested = String(reflecting: type).hasPrefix(String(reflecting: record) + ".")
    return isNested ? ColumnNames.snakeCase(String(describing: record)) + "_" + own : own
  }

  /// Whether values of the type can be read from a column, and written to it.
  func fits(_ column: TableColumn, _ catalog: CatalogSnapshot) -> Bool {
    if let domain = column.domain.flatMap({ catalog.types[$0] }), domain.name.name == name {
      return true
    }
    return fits(column.type)
  }

  private func fits(_ type: LogicalType) -> Bool {
    if name.hasSuffix("[]") {
      guard case .array(let element) = type else { return type == .json || type == .jsonb }
      return SchemaType(name: String(name.dropLast(2)), labels: labels).fits(element)
    }
    if let family = Family(name) { return family.holds(type) }
    if case .enumeration = type { return labels != nil || type.name == name }
    return type.name == name || (labels != nil && Family.text.holds(type))
  }
}

extension SchemaType {
  /// Types of SQL that a Swift type does not tell apart.
  private enum Family {
    case boolean, whole, floating, exact, text, bytes, uuid, date, time, timestamp, interval, json

    private static let names: [String: Family] = [
      "boolean": .boolean, "bool": .boolean, "smallint": .whole, "int2": .whole,
      "integer": .whole, "int": .whole, "int4": .whole, "bigint": .whole, "int8": .whole,
      "real": .floating, "float4": .floating, "double precision": .floating,
      "float8": .floating, "float": .floating, "numeric": .exact, "decimal": .exact,
      "text": .text, "varchar": .text, "character varying": .text, "character": .text,
      "char": .text, "bytea": .bytes, "uuid": .uuid, "date": .date, "time": .time,
      "timestamp": .timestamp, "timestamptz": .timestamp,
      "timestamp with time zone": .timestamp, "timestamp without time zone": .timestamp,
      "interval": .interval, "json": .json, "jsonb": .json,
    ]

    /// nil for a type that is not built in.
    init?(_ name: String) {
      let plain = name.lowercased().prefix { $0 != "(" }
      guard let family = Self.names[String(plain)] else { return nil }
      self = family
    }

    /// Whether a column of a type holds the values.
    func holds(_ type: LogicalType) -> Bool {
      let wholes: Set<LogicalType> = [.smallint, .integer, .bigint, .oid, .numeric]
      switch self {
      case .boolean: return type == .boolean
      case .whole, .exact: return wholes.contains(type)
      case .floating: return wholes.union([.real, .double]).contains(type)
      case .text:
        if case .enumeration = type { return true }
        return [.text, .varchar, .character, .name].contains(type)
      case .bytes: return type == .bytea
      case .uuid: return type == .uuid
      case .date: return type == .date
      case .time: return type == .time || type == .timetz
      case .timestamp: return type == .timestamp || type == .timestamptz
      case .interval: return type == .interval
      case .json:
        if case .record = type { return true }
        if case .array = type { return true }
        return type == .json || type == .jsonb
      }
    }
  }
}

/// An optional of any type.
protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
}
