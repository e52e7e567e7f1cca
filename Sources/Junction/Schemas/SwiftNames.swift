/// Names of Swift for those of a catalog.
enum SwiftNames {
  /// Names that mean something else in what is written.
  private static let reservedTypes: Set<String> = [
    "Any", "Array", "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "ColumnMap",
    "ColumnMapping", "Decodable", "Double", "Encodable", "Float", "Hashable", "Identifiable", "Int",
    "Many", "One", "Optional", "Protocol", "Record", "Relations", "RowDecodable", "RowReader",
    "SQLDate", "SQLError", "SQLInterval", "SQLNumeric", "SQLTime", "SQLTimestamp", "SQLType",
    "SQLUUID", "SQLValueConvertible", "Self", "Sendable", "String", "Through", "Type",
  ]

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "static",
    "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
    "where", "while",
  ]

  /// Names that not even backticks make usable everywhere.
  private static let unusable: Set<String> = ["init", "self", "Self", "Type", "Protocol"]

  /// The words of a name: letters and digits between anything else.
  private static func words(of name: String) -> [Substring] {
    name.split { !$0.isLetter && !$0.isNumber }
  }

  private static func capitalized(_ word: Substring) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }

  /// A name that begins as one may.
  private static func begun(_ name: String) -> String {
    name.first?.isLetter == true ? name : "_" + name
  }

  /// The name of a type: `EnrolsIn` of `enrols_in`.
  static func type(_ name: String) -> String {
    let made = begun(words(of: name).map(capitalized).joined())
    if made == "_" { return "Empty" }
    return reservedTypes.contains(made) ? made + "Row" : made
  }

  /// The name of a property: `teacherID` of `teacher_id`.
  static func property(_ name: String) -> String {
    let words = words(of: name)
    guard let first = words.first else { return "empty" }
    let rest = words.dropFirst().map { $0 == "id" ? "ID" : capitalized($0) }
    let isWord = first.dropFirst().contains { $0.isLowercase }
    let made = begun(
      (isWord ? first.prefix(1).lowercased() + first.dropFirst() : first.lowercased())
        + rest.joined())
    return unusable.contains(made) ? made + "_" : made
  }

  /// A name in backticks where it is a keyword.
  static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// A literal.
  static func literal(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0": result += "\\0"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// The plural of a noun, as far as its ending tells.
  static func plural(_ noun: String) -> String {
    if noun.hasSuffix("s") { return noun }
    if noun.hasSuffix("y"), !["a", "e", "o", "u"].contains(String(noun.dropLast().suffix(1))) {
      return noun.dropLast() + "ies"
    }
    let hisses = ["x", "z", "ch", "sh"].contains { noun.hasSuffix($0) }
    return noun + (hisses ? "es" : "s")
  }

  /// The first of a name, and the name with numbers, that is not taken.
  static func free(_ name: String, _ taken: inout Set<String>) -> String {
    var made = name
    var number = 2
    while !taken.insert(made).inserted {
      made = "\(name)\(number)"
      number += 1
    }
    return made
  }
}
