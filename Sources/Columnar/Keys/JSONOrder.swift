/// The order of jsonb values, by their text.
///
/// Object > array > boolean > number > string > null; objects and arrays by their size first. A jsonb text
/// is in normal form, so that only numbers can be equal with different bytes (`1.0` and `1.00`).
/// Values are nested no deeper than `JSONText.depthMax`, so that recursion is bounded.
enum JSONOrder {
  /// Negative, zero or positive as `left` sorts before, with or after `right`.
  ///
  /// Of whole values (`isTop`) a scalar counts as an array of one, so that it comes behind the empty
  /// array, and before any other.
  /// - Complexity: O(*n*) in the bytes.
  static func compare(_ left: TextBytes, _ right: TextBytes, isTop: Bool = true) -> Int {
    if left == right { return 0 }
    guard left.count > 0 && right.count > 0 else { return left.count &- right.count }
    let kind = JSONKind(left[0])
    let other = JSONKind(right[0])
    if kind != other {
      if isTop && kind.isScalar && other == .array { return right[1] == 0x5D ? 1 : -1 }
      if isTop && other.isScalar && kind == .array { return left[1] == 0x5D ? -1 : 1 }
      return rank(kind) - rank(other)
    }
    switch kind {
    case .null: return 0
    case .boolean: return (left[0] == 0x74 ? 1 : 0) - (right[0] == 0x74 ? 1 : 0)
    case .string: return stringOrder(left, right)
    case .number: return JSONNumber.compare(left, right)
    case .array: return compare(elements(left), elements(right))
    case .object: return compare(members(left), members(right))
    }
  }

  private static func compare(_ left: [TextBytes], _ right: [TextBytes]) -> Int {
    if left.count != right.count { return left.count - right.count }
    for (a, b) in zip(left, right) {
      let order = compare(a, b, isTop: false)
      if order != 0 { return order }
    }
    return 0
  }

  private static func rank(_ kind: JSONKind) -> Int {
    switch kind {
    case .null: 0
    case .string: 1
    case .number: 2
    case .boolean: 3
    case .array: 4
    case .object: 5
    }
  }

  /// Compares two strings, given with their quotes, by the bytes that they stand for.
  private static func stringOrder(_ left: TextBytes, _ right: TextBytes) -> Int {
    let a = inner(left)
    let b = inner(right)
    if a.firstIndex(of: 0x5C) == nil && b.firstIndex(of: 0x5C) == nil {
      return TextBytes.order(a, b)
    }
    let decoded = [Buffer(JSONPath.decoded(left)), Buffer(JSONPath.decoded(right))]
    return withExtendedLifetime(decoded) {
      TextBytes.order(
        decoded[0].bytes(0..<decoded[0].count), decoded[1].bytes(0..<decoded[1].count))
    }
  }

  private static func inner(_ quoted: TextBytes) -> TextBytes {
    quoted.count >= 2 ? quoted.slice(1..<(quoted.count - 1)) : quoted
  }

  static func elements(_ text: TextBytes) -> [TextBytes] {
    var list: [TextBytes] = []
    _ = JSONCursor.forEachElement(text) { element in
      list.append(element)
      return true
    }
    return list
  }

  /// Keys and values by turns.
  static func members(_ text: TextBytes) -> [TextBytes] {
    var list: [TextBytes] = []
    _ = JSONCursor.forEachMember(text) { key, value in
      list.append(key)
      list.append(value)
      return true
    }
    return list
  }

  /// A hash that agrees with the order.
  static func hash(_ bytes: TextBytes, _ seed: UInt64) -> UInt64 {
    guard bytes.count > 0 else { return seed }
    switch JSONKind(bytes[0]) {
    case .null, .boolean, .string: return Hashing.hash(bytes: bytes, seed)
    case .number: return JSONNumber.hash(bytes, seed)
    case .array:
      return elements(bytes).reduce(seed &+ 1) { Hashing.combine($0, hash($1, seed)) }
    case .object:
      return members(bytes).reduce(seed &+ 2) { Hashing.combine($0, hash($1, seed)) }
    }
  }

  /// Whether `left` contains `right`, as `@>` asks.
  static func contains(_ left: TextBytes, _ right: TextBytes, isTop: Bool = true) -> Bool {
    guard left.count > 0 && right.count > 0 else { return false }
    let kind = JSONKind(left[0])
    let other = JSONKind(right[0])
    switch (kind, other) {
    case (.object, .object):
      var holds = true
      _ = JSONCursor.forEachMember(right) { key, value in
        var found = false
        _ = JSONCursor.forEachMember(left) { candidate, content in
          found = candidate == key && contains(content, value, isTop: false)
          return !found
        }
        holds = found
        return found
      }
      return holds
    case (.array, .array):
      let candidates = elements(left)
      return elements(right).allSatisfy { wanted in
        candidates.contains { contains($0, wanted, isTop: false) }
      }
    case (.array, _) where isTop && other != .object:
      return elements(left).contains { compare($0, right, isTop: false) == 0 }
    case (.object, _), (.array, _), (.string, _), (.number, _), (.boolean, _), (.null, _):
      return kind == other && compare(left, right, isTop: false) == 0
    }
  }
}
