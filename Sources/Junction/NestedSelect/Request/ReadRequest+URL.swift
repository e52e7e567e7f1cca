extension ReadRequest {
  /// Reads a request in the form of a URL behind its first slash: `course?select=id,name&order=name`.
  ///
  /// - Throws: PGRST100 for what the grammar does not have, PGRST103 for a negative limit.
  init(url: String) throws(NestedSelectError) {
    let bytes = Array(url.utf8)
    let mark = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
    var path = bytes[..<mark].drop { $0 == UInt8(ascii: "/") || $0 == 0x20 }
    while let last = path.last, last == UInt8(ascii: "/") || last == 0x20 { path.removeLast() }
    self.init(table: try Self.decoded(path, plusIsBlank: false), items: [])
    let query = mark < bytes.count ? bytes[(mark + 1)...] : []
    var select: String?
    for parameter in query.split(separator: UInt8(ascii: "&")) {
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = try Self.decoded(parameter[..<equals], plusIsBlank: true)
      let value = try Self.decoded(parameter[(equals + 1)...], plusIsBlank: true)
      if key == "select" {
        if select == nil { select = value }
      } else if key != "columns" && key != "on_conflict" {
        try add(key, value)
      }
    }
    items = try RequestParser.items(select ?? "*")
  }

  /// Adds a parameter other than `select`.
  ///
  /// - Throws: PGRST100 for what the grammar does not have, PGRST103 for a negative limit.
  mutating func add(_ key: String, _ value: String) throws(NestedSelectError) {
    var names = key.split(separator: ".", omittingEmptySubsequences: false)
    switch names.last {
    case "order":
      let path = try RequestParser.levelPath(names.dropLast())
      orders.append(Placed(try RequestParser.orders(value), at: path))
    case "limit", "offset":
      let isLimit = names.removeLast() == "limit"
      let count = try Self.count(value, isLimit: isLimit)
      let placed = Placed(count, at: try RequestParser.levelPath(names))
      if isLimit { limits.append(placed) } else { offsets.append(placed) }
    case "and", "or":
      let isAny = names.removeLast() == "or"
      let isNegated = names.last == "not"
      if isNegated { names.removeLast() }
      let tree = try RequestParser.tree(value, isAny: isAny, isNegated: isNegated)
      filters.append(Placed(tree, at: try RequestParser.levelPath(names)))
    default:
      let (path, field) = try RequestParser.fieldPath(key)
      filters.append(Placed(try RequestParser.test(field, value), at: path))
    }
  }

  private static func count(
    _ text: String, isLimit: Bool
  ) throws(NestedSelectError) -> Int64 {
    let name = isLimit ? "limit" : "offset"
    guard let count = Int64(text) else {
      throw .syntax(
        "\"failed to parse \(name) (\(text))\" (line 1, column 1)",
        details: "unexpected \"\(text)\" expecting a whole number")
    }
    guard count >= 0 else {
      throw NestedSelectError(
        "PGRST103", "Requested range not satisfiable",
        details: "\(isLimit ? "Limit" : "Offset") should be greater than or equal to zero.")
    }
    return count
  }

  /// The text that bytes with `%XX` in them stand for.
  private static func decoded(
    _ bytes: ArraySlice<UInt8>, plusIsBlank: Bool
  ) throws(NestedSelectError) -> String {
    var result: [UInt8] = []
    var index = bytes.startIndex
    func digit(_ place: Int) -> UInt8? {
      guard place < bytes.endIndex else { return nil }
      return Character(Unicode.Scalar(bytes[place])).hexDigitValue.map { UInt8($0) }
    }
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), let high = digit(index + 1), let low = digit(index + 2) {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
        index += 1
      }
    }
    // A NUL is no character of any text of the engine.
    guard !result.contains(0), let text = String(validating: result, as: UTF8.self) else {
      throw .syntax("the request is no valid UTF-8", details: "a part of it cannot be decoded")
    }
    return text
  }
}
