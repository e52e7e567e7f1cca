import Diagnostics

/// Steps into JSON text.
enum JSONPath {
  /// The value of a key; the last one, as jsonb keeps it.
  static func member(_ text: TextBytes, _ key: TextBytes) -> TextBytes? {
    var found: TextBytes?
    _ = JSONCursor.forEachMember(text) { quoted, value in
      if isKey(quoted, key) { found = value }
      return true
    }
    return found
  }

  /// Whether a key, given with its quotes, is `key`.
  static func isKey(_ quoted: TextBytes, _ key: TextBytes) -> Bool {
    let inner = quoted.slice(1..<(quoted.count - 1))
    if inner.firstIndex(of: 0x5C) == nil { return inner == key }
    return decoded(quoted) == key.array
  }

  /// The characters of a string given with its quotes.
  static func decoded(_ quoted: TextBytes) -> [UInt8] {
    var builder = ByteBuilder()
    do {
      try JSONText.decodeString(quoted, to: &builder)
    } catch {
      return quoted.array
    }
    return builder.bytes.array
  }

  /// The number of elements of an array, or nil.
  static func length(_ text: TextBytes) -> Int? {
    var count = 0
    let isArray = JSONCursor.forEachElement(text) { _ in
      count += 1
      return true
    }
    return isArray ? count : nil
  }

  /// The element at an index, from the end for a negative one.
  static func element(_ text: TextBytes, _ index: Int) -> TextBytes? {
    var wanted = index
    if wanted < 0 {
      guard let length = length(text) else { return nil }
      wanted += length
      if wanted < 0 { return nil }
    }
    var found: TextBytes?
    _ = JSONCursor.forEachElement(text) { element in
      if wanted == 0 {
        found = element
        return false
      }
      wanted -= 1
      return true
    }
    return found
  }

  /// What a path leads to; nil for nothing.
  ///
  /// Where an object of the type json has a key several times, every way counts that leads to the end, and the last one
  /// of them is taken.
  static func value(of text: TextBytes, at path: ArraySlice<TextBytes>) -> TextBytes? {
    guard let name = path.first else { return text }
    let rest = path.dropFirst()
    let value = trimmed(text)
    guard value.count > 0 else { return nil }
    guard case .object = JSONKind(value[0]) else {
      return step(value, name).flatMap { Self.value(of: $0, at: rest) }
    }
    var found: TextBytes?
    _ = JSONCursor.forEachMember(value) { quoted, member in
      if isKey(quoted, name), let inner = Self.value(of: member, at: rest) { found = inner }
      return true
    }
    return found
  }

  /// One step by a path's text: a key of an object, an index of an array.
  static func step(_ text: TextBytes, _ name: TextBytes) -> TextBytes? {
    let value = trimmed(text)
    guard value.count > 0 else { return nil }
    switch JSONKind(value[0]) {
    case .object: return member(value, name)
    case .array: return index(name).flatMap { element(value, $0) }
    case .string, .number, .boolean, .null: return nil
    }
  }

  /// A path's text as an index, read as C's `strtol` reads it: an `integer`, perhaps behind white space.
  static func index(_ name: TextBytes) -> Int? {
    var start = 0
    while start < name.count && isSpace(name[start]) { start += 1 }
    let digits = name.slice(start..<name.count)
    return NumberText.parseInteger(digits).flatMap { Int32(exactly: $0) }.map { Int($0) }
  }

  /// The value without white space before and behind.
  static func trimmed(_ text: TextBytes) -> TextBytes {
    var lower = 0
    var upper = text.count
    while lower < upper && isSpace(text[lower]) { lower += 1 }
    while upper > lower && isSpace(text[upper - 1]) { upper -= 1 }
    return text.slice(lower..<upper)
  }

  /// Adds a value as text, strings without quotes; false for the null of JSON.
  ///
  /// - Throws: 22P05 for text that cannot be.
  static func appendText(
    _ value: TextBytes, to output: inout ByteBuilder
  ) throws(SQLError) -> Bool {
    let value = trimmed(value)
    guard value.count > 0 else { return false }
    switch JSONKind(value[0]) {
    case .null: return false
    case .string: try JSONText.decodeString(value, to: &output)
    case .object, .array, .number, .boolean: output.append(value)
    }
    return true
  }
}
