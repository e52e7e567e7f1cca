import Diagnostics
import SQLSyntax

/// The relationships of one row with the names that tell them apart.
struct RelationshipChoices {
  let list: [RelatedRows]
  /// The first name of each that no other has, as it is written; a number for one without.
  let names: [String]

  init(_ list: [RelatedRows]) {
    self.list = list
    names = list.indices.map { index in
      for rank in list[index].nameRanks {
        for name in rank where Self.matches(name, list) == [index] { return name }
      }
      return String(index + 1)
    }
  }

  /// Those that a name means: the first kind of name that fits any decides.
  private static func matches(_ name: String, _ list: [RelatedRows]) -> [Int] {
    let depth = list.map(\.nameRanks.count).max() ?? 0
    for rank in 0..<depth {
      let found = list.indices.filter { index in
        let ranks = list[index].nameRanks
        return rank < ranks.count && ranks[rank].contains(name)
      }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// The place of the relationship that a word means: a name, or a number as they are shown.
  ///
  /// - Throws: 42704 with the nearest names if it means none, 42702 with those that tell apart what it might mean.
  func index(of word: String, from place: String) throws(SQLError) -> Int {
    let name = Self.spelled(word)
    let found = Self.matches(name, list)
    if found.count == 1 { return found[0] }
    if let number = Int(word), list.indices.contains(number - 1) { return number - 1 }
    guard found.isEmpty else {
      throw SQLError(
        .ambiguousColumn, "\(place) has more than one relationship \(name)",
        hint: "Say which: \(found.map { names[$0] }.joined(separator: ", ")).")
    }
    if list.isEmpty {
      throw SQLError(
        .undefinedObject, "\(place) has no relationships",
        hint: "Its table has no foreign key, and none refers to it; \\up goes back.")
    }
    let all = Set(names + list.flatMap { $0.nameRanks.flatMap(\.self) })
    throw SQLError(
      .undefinedObject, "\(place) has no relationship \(name)",
      hint: Self.nearest(to: word, among: all.sorted()).map { "Perhaps you meant \($0)." }
        ?? "There are: \(names.joined(separator: ", ")).")
  }

  /// A name as it is written, from a word in which letters outside of double quotes are lower case.
  static func spelled(_ word: String) -> String {
    identifierParts(word).map(quotedName).joined(separator: ".")
  }

  /// The name that a word may have been meant to be; quotes and the case of letters make no difference.
  static func nearest(to word: String, among names: [String]) -> String? {
    func plain(_ name: String) -> String { identifierParts(name).joined(separator: ".") }
    let spelled = Dictionary(names.map { (plain($0), $0) }) { first, _ in first }
    if let same = spelled[plain(word)] { return same }
    return nearestNames(to: plain(word), among: spelled.keys.sorted(), limit: 1).first
      .flatMap { spelled[$0] }
  }

  /// The parts of a name between points outside of double quotes.
  static func identifierParts(_ word: String) -> [String] {
    var parts = [""]
    var isQuoted = false
    var rest = word[...]
    while let character = rest.popFirst() {
      switch character {
      case "\"" where isQuoted && rest.first == "\"":
        rest.removeFirst()
        parts[parts.count - 1].append("\"")
      case "\"": isQuoted.toggle()
      case "." where !isQuoted: parts.append("")
      default:
        parts[parts.count - 1] += isQuoted ? String(character) : character.lowercased()
      }
    }
    return parts
  }
}
