package import Diagnostics
import Synchronization

extension SQLError {
  /// The same error within a part of a value: its path, such as `[2].employees[0].id`, gets a part in front.
  func inside(_ part: String) -> SQLError {
    var error = self
    error.context = part + (context ?? "")
    return error
  }

  /// The same error within a column of a result, which it names.
  func inColumn(_ name: String) -> SQLError {
    var error = inside("." + name).about(Object(column: name))
    error.message = "column \"\(name)\": \(message)"
    return error
  }

  /// What an error that came out of a decoder says.
  init(decoding error: any Error) {
    if let error = error as? SQLError {
      self = error
      return
    }
    guard let error = error as? DecodingError else {
      self.init(.datatypeMismatch, "\(error)")
      return
    }
    let context: DecodingError.Context
    var message: String?
    switch error {
    case .typeMismatch(_, let found): context = found
    case .valueNotFound(let type, let found):
      context = found
      message = "NULL is no value of type \(type)"
    case .keyNotFound(let key, let found):
      context = found
      message = "there is no \"\(key.stringValue)\""
    case .dataCorrupted(let found): context = found
    @unknown default: context = DecodingError.Context(codingPath: [], debugDescription: "\(error)")
    }
    self.init(.datatypeMismatch, message ?? context.debugDescription)
    if !context.codingPath.isEmpty { self.context = context.spelledPath }
  }

  /// The error for a column that a result does not have.
  static func noColumn(_ name: String, among names: [String]) -> SQLError {
    let near = nearestNames(to: name, among: names)
    return SQLError(
      .undefinedColumn, "column \"\(name)\" does not exist",
      detail: "The columns are \(names.map { "\"\($0)\"" }.joined(separator: ", ")).",
      hint: near.isEmpty
        ? nil
        : "Perhaps you meant the column "
          + near.map { "\"\($0)\"" }.joined(separator: " or ") + ".")
  }

  /// The error for a type of Foundation that only the product JunctionFoundation lets decode; nil for other types.
  package static func foundationType(_ type: Any.Type, _ kindName: String) -> SQLError? {
    guard isOfFoundation(type) else { return nil }
    return SQLError(
      .datatypeMismatch, "\(kindName) is no value of type \(type)",
      hint: "Write `import JunctionFoundation` to have Foundation's types in columns.")
  }

  /// The types whose names have been looked at: a name takes longer to be had than a row to be decoded.
  private static let looked = Mutex<[ObjectIdentifier: Bool]>([:])

  private static func isOfFoundation(_ type: Any.Type) -> Bool {
    if let known = looked.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let name = String(reflecting: type)
    let found =
      name.hasPrefix("Foundation")
      && ["Date", "UUID", "Data", "Decimal", "URL"].contains { name.hasSuffix("." + $0) }
    looked.withLock { $0[ObjectIdentifier(type)] = found }
    return found
  }
}

/// Finds columns by the names of properties.
enum ColumnNames {
  /// The column that a name means: the one of exactly this name, else that of its snake case.
  ///
  /// - Returns: nil if there is none.
  /// - Throws: 42702 if there are several.
  static func index(of name: String, in names: [String]) throws(SQLError) -> Int? {
    try index(of: name, in: names.indices) { names[$0] }
  }

  /// The column of a result that a name means; as of names alone.
  static func index(of name: String, in columns: [ResultColumn]) throws(SQLError) -> Int? {
    try index(of: name, in: columns.indices) { columns[$0].name }
  }

  private static func index(
    of name: String, in places: Range<Int>, _ nameAt: (Int) -> String
  ) throws(SQLError) -> Int? {
    if let exact = try only(name, in: places, nameAt) { return exact }
    let snake = snakeCase(name)
    return snake == name ? nil : try only(snake, in: places, nameAt)
  }

  private static func only(
    _ name: String, in places: Range<Int>, _ nameAt: (Int) -> String
  ) throws(SQLError) -> Int? {
    guard let first = places.first(where: { nameAt($0) == name }) else { return nil }
    if places[(first + 1)...].contains(where: { nameAt($0) == name }) {
      throw SQLError(
        .ambiguousColumn, "column reference \"\(name)\" is ambiguous",
        hint: "Give the columns of the query different names by AS.")
    }
    return first
  }

  /// The words of a name in lower case with underscores between them: `short_code` of `shortCode`, `url_of_page` of `URLOfPage`.
  static func snakeCase(_ name: String) -> String {
    let bytes = Array(name.utf8)
    if bytes.allSatisfy({ $0 < 0x80 }) { return snakeCase(ofASCII: bytes) }
    let scalars = Array(name.unicodeScalars)
    var result = String.UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      let isUpper = scalar.properties.isUppercase
      if isUpper, index > 0, scalars[index - 1] != "_" {
        let followsLower = !scalars[index - 1].properties.isUppercase
        let endsAcronym =
          index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
        if followsLower || endsAcronym { result.append("_") }
      }
      result.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
    }
    return String(result)
  }

  /// The same of letters whose case is told by a bit.
  private static func snakeCase(ofASCII bytes: [UInt8]) -> String {
    func isUpper(_ byte: UInt8) -> Bool { byte &- 65 < 26 }
    func isLower(_ byte: UInt8) -> Bool { byte &- 97 < 26 }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 8)
    for (index, byte) in bytes.enumerated() {
      guard isUpper(byte) else {
        result.append(byte)
        continue
      }
      if index > 0, bytes[index - 1] != 95 {
        let endsAcronym = index + 1 < bytes.count && isLower(bytes[index + 1])
        if !isUpper(bytes[index - 1]) || endsAcronym { result.append(95) }
      }
      result.append(byte | 32)
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension DecodingError.Context {
  /// The path of a value, such as `[2].employees[0].id`.
  fileprivate var spelledPath: String {
    codingPath.map { key in key.intValue.map { "[\($0)]" } ?? "." + key.stringValue }.joined()
  }

  /// The same with the path in front of what it says.
  fileprivate var tellingPath: DecodingError.Context {
    if codingPath.isEmpty { return self }
    let path = codingPath[0].intValue == nil ? String(spelledPath.dropFirst()) : spelledPath
    return DecodingError.Context(
      codingPath: codingPath, debugDescription: "\(path): \(debugDescription)",
      underlyingError: underlyingError)
  }
}

extension DecodingError {
  /// The same error with the path of the value in front of what it says, such as `[2].employees[0].id`.
  var tellingPath: DecodingError {
    switch self {
    case .typeMismatch(let type, let context): .typeMismatch(type, context.tellingPath)
    case .valueNotFound(let type, let context): .valueNotFound(type, context.tellingPath)
    case .keyNotFound(let key, let context): .keyNotFound(key, context.tellingPath)
    case .dataCorrupted(let context): .dataCorrupted(context.tellingPath)
    @unknown default: self
    }
  }
}
