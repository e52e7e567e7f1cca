/// The members of a jsonb object being put together: brought into order and made unique at the end.
///
/// Use: `beginMember()`, append the plain characters of the key to `bytes`, `endKey()`, append the
/// value's text to `bytes`, `endMember()`; at last `append(to:)`.
struct JSONMembers {
  private struct Member {
    var key: Range<Int>
    var value: Range<Int>
  }
  /// Keys and values, one after another.
  var bytes = ByteBuilder()
  private var members: [Member] = []
  private var start = 0
  private var keyEnd = 0

  /// Forgets the members and keeps the room.
  mutating func removeAll() {
    bytes.removeAll()
    members.removeAll(keepingCapacity: true)
  }

  mutating func beginMember() { start = bytes.count }

  mutating func endKey() { keyEnd = bytes.count }

  mutating func endMember() {
    members.append(Member(key: start..<keyEnd, value: keyEnd..<bytes.count))
  }

  /// Adds a member whose key is given as characters and whose value is given as text.
  mutating func add(key: TextBytes, value: TextBytes) {
    beginMember()
    bytes.append(key)
    endKey()
    bytes.append(value)
    endMember()
  }

  /// Adds the object.
  ///
  /// Of members with one key the last one counts.
  ///
  /// - Complexity: O(*n* log *n*) in the members, O(*n*) where they came in order.
  mutating func append(to target: inout ByteBuilder) {
    let order = sorted()
    target.append(UInt8(ascii: "{"))
    var isFirst = true
    for (place, index) in order.enumerated() {
      let member = members[index]
      if place + 1 < order.count, keyOrder(index, order[place + 1]) == 0 { continue }
      if !isFirst { target.append(", ") }
      isFirst = false
      JSONText.append(quoting: bytes.buffer.bytes(member.key), to: &target)
      target.append(": ")
      target.append(bytes.buffer.bytes(member.value))
    }
    target.append(UInt8(ascii: "}"))
  }

  private func sorted() -> [Int] {
    var isSorted = true
    for index in members.indices.dropFirst() where keyOrder(index - 1, index) > 0 {
      isSorted = false
    }
    if isSorted { return Array(members.indices) }
    return members.indices.sorted { left, right in
      let order = keyOrder(left, right)
      return order != 0 ? order < 0 : left < right
    }
  }

  private func keyOrder(_ left: Int, _ right: Int) -> Int {
    JSONCursor.keyOrder(
      bytes.buffer.bytes(members[left].key), bytes.buffer.bytes(members[right].key))
  }
}
