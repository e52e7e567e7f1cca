/// The order of jsonb values, by their text.
///
/// Object > array > boolean > number > string > null; objects and arrays by their size first. A jsonb text
/// is in normal form, so that only numbers can be equal with different bytes (`1.0` and `1.00`).
/// Values are nested no deeper than `JSONText.depthMax`, so that recursion is bounded.
enum JSONOrder {
  /// Negative, zero or positive as `left` sorts before, with or after `right`.
  static func compare(_ left: TextBytes, _ right: TextBytes) -> Int {
    if left == right { return 0 }
    guard left.count > 0 && right.count > 0 else { return left.count &- right.count }
    let kind = JSONKind(left[0])
    let other = JSONKind(right[0])
    if kind != other { return rank(kind) - rank(other) }
    switch kind {
    case .null: return 0
    case .boolean: return (left[0] == 0x74 ? 1 : 0) - (right[0] == 0x74 ? 1 : 0)
    case .string: return TextBytes.order(inner(left), inner(right))
    case .number:
      guard let a = try? Numeric.parse(left), let b = try? Numeric.parse(right) else {
        return TextBytes.order(left, right)
      }
      return ValueOrder.compare(a, b)
    case .array: return compare(elements(left), elements(right))
    case .object: return compare(members(left), members(right))
    }
  }

  private static func compare(_ left: [TextBytes], _ right: [TextBytes]) -> Int {
    if left.count != right.count { return left.count - right.count }
    for (a, b) in zip(left, right) {
      let order = compare(a, b)
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
    case .number:
      guard let number = try? Numeric.parse(bytes) else { return Hashing.hash(bytes: bytes, seed) }
      return Hashing.hash(numeric: number, seed)
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
      return elements(left).contains { compare($0, right) == 0 }
    default: return kind == other && compare(left, right) == 0
    }
  }
}
