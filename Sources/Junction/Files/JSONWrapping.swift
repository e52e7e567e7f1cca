import Columnar

/// An object that is all of a file and wraps the records in it, as answers of servers do.
///
/// Either the records are the elements of its only member that is an array, among others that are no more than a word; or each
/// of its members is a record, named by a key.
struct JSONWrapping {
  /// Where records stand, and their keys with quotes.
  private(set) var records: [(key: Range<Int>?, value: Range<Int>)] = []
  /// What there is to say of it.
  private(set) var remark = ""
  /// The name of the column of keys, in quotes.
  private(set) var keyName = Array("\"key\"".utf8)

  private typealias Member = (key: TextBytes, value: TextBytes)

  /// nil if records do not stand so in the text, which begins at `start`.
  init?(_ text: TextBytes, from start: Int) {
    guard start < text.count, text[start] == UInt8(ascii: "{"),
      case let end = JSONCursor.endOfValue(text, start),
      JSONCursor.skipSpace(text, end) == text.count
    else { return nil }
    let object = text.slice(start..<end)
    // What is no JSON is for others to tell.
    guard (try? JSONText.validate(object)) != nil else { return nil }
    var members: [Member] = []
    _ = JSONCursor.forEachMember(object) { key, value in
      members.append((key, value))
      return true
    }
    if !takeArray(of: members, text) && !takeObjects(members, text) { return nil }
  }

  private static func kind(_ value: TextBytes) -> JSONKind {
    JSONKind(value[JSONCursor.skipSpace(value, 0)])
  }

  private static func range(_ part: TextBytes, in text: TextBytes) -> Range<Int> {
    let start = text.offset(of: part)
    return start..<(start + part.count)
  }

  /// Takes the elements of the only array, if they are objects.
  private mutating func takeArray(of members: [Member], _ text: TextBytes) -> Bool {
    let arrays = members.filter { Self.kind($0.value) == .array }
    guard let array = arrays.first, arrays.count == 1,
      members.allSatisfy({ Self.kind($0.value) != .object })
    else { return false }
    var areObjects = true
    _ = JSONCursor.forEachElement(array.value) { element in
      areObjects = Self.kind(element) == .object
      records.append((nil, Self.range(element, in: text)))
      return areObjects
    }
    guard areObjects, !records.isEmpty else {
      records = []
      return false
    }
    let others = members.filter { Self.kind($0.value) != .array }
    remark = "the records are those in \(array.key.string)"
    if !others.isEmpty {
      remark += "; left out beside them: \(others.map(\.key.string).joined(separator: ", "))"
    }
    return true
  }

  private static let membersMin = 3

  /// Takes the members, if they are objects that are alike.
  private mutating func takeObjects(_ members: [Member], _ text: TextBytes) -> Bool {
    guard members.count >= Self.membersMin,
      members.allSatisfy({ Self.kind($0.value) == .object })
    else { return false }
    let keys = members.map { member in
      var keys: Set<String> = []
      _ = JSONCursor.forEachMember(member.value) { key, _ in
        keys.insert(key.string)
        return true
      }
      return keys
    }
    guard let first = keys.first, !first.isEmpty,
      keys.allSatisfy({ $0.intersection(first).count * 2 >= max($0.count, first.count) })
    else { return false }
    if keys.contains(where: { $0.contains("\"key\"") }) { keyName = Array("\"object_key\"".utf8) }
    records = members.map { (Self.range($0.key, in: text), Self.range($0.value, in: text)) }
    remark = "each member of the object is a record, and its name is in the first column"
    return true
  }
}
