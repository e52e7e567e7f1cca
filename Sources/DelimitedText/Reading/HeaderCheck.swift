/// Tells a header from a first record of data.
enum HeaderCheck {
  /// Whether the first of some records names the columns.
  ///
  /// A name is no number and no date, unless
  /// - it has letters behind a digit, as `1stFloor` has, and what stands below it is all numbers; or
  /// - it is one of several whole numbers in a row that count up, as years do, and what stands below them does not.
  static func isHeader(_ records: [[String?]]) -> Bool {
    guard let first = records.first else { return false }
    let isNamed = first.map { field in field?.utf8.contains { $0 != 0x20 } ?? false }
    guard isNamed.contains(true) else { return false }
    let odd = first.indices.filter { isNamed[$0] && readsLikeValue(first[$0] ?? "") }
    if odd.isEmpty { return true }
    let body = records.dropFirst()
    guard !body.isEmpty, odd.count < isNamed.count(where: { $0 }) else { return false }
    return odd.allSatisfy { isName(first[$0] ?? "", over: body, at: $0) }
      || areCounting(odd.map { first[$0] ?? "" })
        && !body.contains { record in
          areCounting(odd.map { $0 < record.count ? record[$0] ?? "" : "" })
        }
  }

  /// Whether a first record has just such a code as all others in its column, of so many capitals, and is not in capitals
  /// otherwise: behind lines that tell what columns there are it is data rather.
  static func beginsWithCode(_ records: [[String?]]) -> Bool {
    guard let first = records.first, records.count > 10 else { return false }
    let hasSmall = first.contains { field in field?.utf8.contains { $0 &- 0x61 < 26 } ?? false }
    return hasSmall
      && first.indices.contains { place in
        guard let code = first[place], code.utf8.count > 1 else { return false }
        return records.allSatisfy { record in
          guard place < record.count, let other = record[place] else { return false }
          return other.utf8.count == code.utf8.count && other.utf8.allSatisfy { $0 &- 0x41 < 26 }
        }
      }
  }

  private static func readsLikeValue(_ name: String) -> Bool {
    guard let first = name.utf8.first(where: { $0 != 0x20 }) else { return false }
    let isDigit = first >= 48 && first <= 57
    let isSign = (first == 43 || first == 45 || first == 46) && name.utf8.count > 1
    return isDigit || isSign
  }

  /// Whether a field that begins with a digit has letters, and what is below has none.
  private static func isName(
    _ field: String, over body: ArraySlice<[String?]>, at place: Int
  ) -> Bool {
    guard field.utf8.count(where: isLetter) >= 2 else { return false }
    let values = body.compactMap { place < $0.count ? $0[place] : nil }
    return !values.isEmpty
      && values.allSatisfy { readsLikeValue($0) && !$0.utf8.contains(where: isLetter) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  /// Whether at least three whole numbers count up or down by the same step.
  private static func areCounting(_ fields: [String]) -> Bool {
    let numbers = fields.compactMap { Int($0) }
    guard numbers.count == fields.count, numbers.count >= 3 else { return false }
    let step = numbers[1].subtractingReportingOverflow(numbers[0])
    return !step.overflow && step.partialValue != 0
      && zip(numbers, numbers.dropFirst()).allSatisfy { one, next in
        let distance = next.subtractingReportingOverflow(one)
        return !distance.overflow && distance.partialValue == step.partialValue
      }
  }
}
