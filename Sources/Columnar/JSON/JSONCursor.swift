/// Finds the parts of JSON text that is known to be valid.
package enum JSONCursor {
  /// The offset past the string that begins at `start`.
  static func endOfString(_ text: TextBytes, _ start: Int) -> Int {
    var position = start + 1
    while position < text.count {
      let byte = text[position]
      if byte == 34 { return position + 1 }
      position += byte == 92 ? 2 : 1
    }
    return text.count
  }

  /// The offset past the number or word that begins at `start`.
  static func endOfScalar(_ text: TextBytes, _ start: Int) -> Int {
    var position = start
    while position < text.count {
      let byte = text[position]
      if byte == 44 || byte == 93 || byte == 125 || byte == 58 || isSpace(byte) { break }
      position += 1
    }
    return position
  }

  /// The offset of the first byte from `start` on that is no white space.
  package static func skipSpace(_ text: TextBytes, _ start: Int) -> Int {
    var position = start
    while position < text.count && isSpace(text[position]) { position &+= 1 }
    return position
  }

  /// The offset past the value that begins at `start`.
  ///
  /// - Complexity: O(*n*) in the bytes of the value.
  package static func endOfValue(_ text: TextBytes, _ start: Int) -> Int {
    guard start < text.count else { return text.count }
    switch JSONKind(text[start]) {
    case .string: return endOfString(text, start)
    case .number, .boolean, .null: return endOfScalar(text, start)
    case .object, .array:
      var depth = 0
      var position = start
      while position < text.count {
        switch text[position] {
        case 34:
          position = endOfString(text, position)
          continue
        case 91, 123: depth += 1
        case 93, 125:
          depth -= 1
          if depth == 0 { return position + 1 }
        default: break
        }
        position += 1
      }
      return text.count
    }
  }

  /// Negative, zero or positive as one key comes before another in jsonb: by length, then by bytes.
  static func keyOrder(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if left.count != right.count { return left.count - right.count }
    for index in left.indices where left[index] != right[index] {
      return Int(left[index]) - Int(right[index])
    }
    return 0
  }

  /// The same for keys that stand in text.
  static func keyOrder(_ left: TextBytes, _ right: TextBytes) -> Int {
    left.count != right.count ? left.count - right.count : TextBytes.order(left, right)
  }

  /// Goes through the elements of an array.
  ///
  /// - Returns: false where `text` is no array.
  package static func forEachElement(_ text: TextBytes, _ body: (TextBytes) -> Bool) -> Bool {
    var position = skipSpace(text, 0)
    guard position < text.count, text[position] == 91 else { return false }
    position = skipSpace(text, position + 1)
    while position < text.count && text[position] != 93 {
      let end = endOfValue(text, position)
      if !body(text.slice(position..<end)) { return true }
      position = skipSpace(text, end)
      if position < text.count && text[position] == 44 { position = skipSpace(text, position + 1) }
    }
    return true
  }

  /// Goes through the members of an object: the key with its quotes, and the value.
  ///
  /// - Returns: false where `text` is no object.
  package static func forEachMember(
    _ text: TextBytes, _ body: (_ key: TextBytes, _ value: TextBytes) -> Bool
  ) -> Bool {
    var position = skipSpace(text, 0)
    guard position < text.count, text[position] == 123 else { return false }
    position = skipSpace(text, position + 1)
    while position < text.count && text[position] != 125 {
      let keyEnd = endOfString(text, position)
      let key = text.slice(position..<keyEnd)
      position = skipSpace(text, keyEnd)
      // The colon.
      position = skipSpace(text, position + 1)
      let end = endOfValue(text, position)
      if !body(key, text.slice(position..<end)) { return true }
      position = skipSpace(text, end)
      if position < text.count && text[position] == 44 { position = skipSpace(text, position + 1) }
    }
    return true
  }
}
