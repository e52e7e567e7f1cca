import Diagnostics
import Synchronization

/// The properties of a record type, and the values that a row has for them; made once for each type.
final class RecordProperties<R: Record>: Sendable {
  /// A property that stands for a column.
  struct Property: Sendable {
    /// The name of the column, or the coding key that it is found by.
    let name: String
    /// Whether a table may lack its column.
    let isOptional: Bool
    let options: Set<ColumnOption>
  }

  /// Where a stored property stands in a record.
  private struct Place: Hashable {
    let offset: Int
    let type: ObjectIdentifier
  }

  let properties: [Property]
  private let mappings: [ColumnMapping<R>]?
  /// The properties that key paths stand for, as far as they were asked for.
  private let found = Mutex<[Place: Int]>([:])
  /// How the key is read without encoding a record; nil where it has to be encoded.
  private let identity = Mutex<RecordIdentity<R>?>(nil)
  /// The table as it was in the catalog in which it was last asked for.
  let last = Mutex<(catalogVersion: UInt64, searchPath: [String], table: RecordTable<R>)?>(nil)

  private init(_ properties: [Property], _ mappings: [ColumnMapping<R>]?) {
    self.properties = properties
    self.mappings = mappings
  }

  /// The properties of a type.
  ///
  /// - Throws: 42804 for one that cannot be made for a try.
  static func make() throws(SQLError) -> RecordProperties {
    if let known = RecordTypes.properties(of: R.self) as? RecordProperties<R> { return known }
    let made: RecordProperties
    if let mappings = R.columns.mappings {
      made = RecordProperties(
        mappings.map { Property(name: $0.name, isOptional: false, options: $0.options) }, mappings)
    } else {
      let probe = ProbingDecoder(changing: nil)
      _ = try decoded(from: probe)
      made = RecordProperties(
        probe.findings.keys.map {
          Property(name: $0.name, isOptional: $0.isOptional, options: [])
        }, nil)
    }
    if made.mappings == nil {
      let identity = RecordIdentity.of(made)
      made.identity.withLock { $0 = identity }
    }
    RecordTypes.keep(made, of: R.self)
    return made
  }

  private static func decoded(from probe: ProbingDecoder) throws(SQLError) -> R {
    do { return try R(from: probe) } catch {
      let path = ProbingError.path(of: error).joined(separator: ".")
      let type = (error as? ProbingError)?.type
      throw SQLError(
        .datatypeMismatch,
        "the columns of record \(R.self) are not found by themselves: "
          + (path.isEmpty
            ? "it could not be made for a try"
            : "no two values of its property \(path)\(type.map { " (\($0))" } ?? "") could be made"),
        hint:
          "Let an enum conform to CaseIterable and SQLValueConvertible, or say which columns there are: "
          + "static let columns = ColumnMap<Self> { ColumnMapping(\"column\", \\.property) }.")
    }
  }

  /// The property that a key path stands for.
  ///
  /// - Throws: 42703 for a computed property, a part of one, and one without a column.
  func index(of path: PartialKeyPath<R>) throws(SQLError) -> Int {
    if let mappings {
      guard let index = mappings.firstIndex(where: { $0.property == path }) else {
        throw noColumn(path, "Add it to \(R.self).columns.")
      }
      return index
    }
    guard let offset = MemoryLayout<R>.offset(of: path) else {
      throw noColumn(path, "Only stored properties stand for columns.")
    }
    let place = Place(offset: offset, type: ObjectIdentifier(Swift.type(of: path).valueType))
    if let known = found.withLock({ $0[place] }) { return known }
    let index = try search(path)
    found.withLock { $0[place] = index }
    return index
  }

  /// The property of a stored `id`, which a key path of a protocol does not tell from a computed one; nil where it is computed.
  func propertyOfStoredID(_ path: PartialKeyPath<R>) throws(SQLError) -> Int? {
    let plain = try Self.decoded(from: ProbingDecoder(changing: nil))
    guard Mirror(reflecting: plain).children.contains(where: { $0.label == "id" }) else {
      return nil
    }
    return try search(path)
  }

  /// Two records that differ in a property.
  func probes(changing property: Int) throws(SQLError) -> [R] {
    [
      try Self.decoded(from: ProbingDecoder(changing: nil)),
      try Self.decoded(from: ProbingDecoder(changing: properties[property].name)),
    ]
  }

  /// Finds the property by trying which one the path sees a change of.
  private func search(_ path: PartialKeyPath<R>) throws(SQLError) -> Int {
    let plain = try Self.decoded(from: ProbingDecoder(changing: nil))[keyPath: path]
    for (index, property) in properties.enumerated() {
      let other = try Self.decoded(from: ProbingDecoder(changing: property.name))
      if !Self.areAlike(plain, other[keyPath: path]) { return index }
    }
    throw noColumn(path, "It has no coding key.")
  }

  private func noColumn(_ path: PartialKeyPath<R>, _ hint: String) -> SQLError {
    SQLError(.undefinedColumn, "the property \(path) stands for no column", hint: hint)
  }

  private static func areAlike(_ one: Any, _ other: Any) -> Bool {
    if let one = one as? any SQLValueConvertible, let other = other as? any SQLValueConvertible {
      return one.sqlValue == other.sqlValue
    }
    if let one = one as? AnyHashable, let other = other as? AnyHashable { return one == other }
    guard let one = one as? any Encodable, let other = other as? any Encodable else { return true }
    return (try? JSONTextEncoder.text(of: one)) == (try? JSONTextEncoder.text(of: other))
  }

  /// Whether the columns are given one by one.
  var isMapped: Bool { mappings != nil }

  /// The Swift types of the properties, in their order; nil for one that is decoded by containers of its own.
  var valueTypes: [Any.Type?] {
    if let mappings { return mappings.map { $0.type } }
    return properties.map { property in
      // An optional is asked for by its type only where it is not nil.
      let probe = ProbingDecoder(changing: property.name)
      // What it asked for is known even if the record cannot be made.
      _ = try? R(from: probe)
      return probe.findings.keys.first { $0.name == property.name }?.type
    }
  }

  /// The values of a record's properties, in their order; nil if they have to be encoded.
  func values(of record: R) -> [SQLValue]? { mappings?.map { $0.value(record) } }

  /// The value of a property that is the record's identity, read without encoding; nil for any other.
  func identity(of record: R, property: Int) -> SQLValue? {
    guard let identity = identity.withLock({ $0 }), identity.property == property else {
      return nil
    }
    return identity.read(record)
  }

  /// The values of some of its properties; nil if the whole record has to be encoded.
  func values(of record: R, at places: [Int]) -> [SQLValue]? {
    if let mappings { return places.map { mappings[$0].value(record) } }
    // Keys are numbers and the like, which are had without a row.
    return PropertyValues.of(record, places.map { properties[$0].name })
  }
}

/// What is known of the record types of the process.
enum RecordTypes {
  private static let known = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

  static func properties(of type: Any.Type) -> (any AnyObject & Sendable)? {
    known.withLock { $0[ObjectIdentifier(type)] }
  }

  static func keep(_ properties: any AnyObject & Sendable, of type: Any.Type) {
    known.withLock { $0[ObjectIdentifier(type)] = properties }
  }
}
