/// The name of a table or column as the words it is made of, in small letters: `home_city_id` and `homeCityId` have three.
struct NameWords: Hashable {
  let words: [String]

  init(_ name: String) {
    var words: [String] = []
    var word = ""
    var wasSmall = false
    for character in name {
      let isBreak = !(character.isLetter || character.isNumber)
      if isBreak || (wasSmall && character.isUppercase) {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if !isBreak { word += character.lowercased() }
      wasSmall = character.isLowercase || character.isNumber
    }
    if !word.isEmpty { words.append(word) }
    self.words = words
  }

  /// With the last noun singular.
  var singular: [String] { words.dropLast() + words.suffix(1).map(Self.singular) }

  /// What a column speaks of whose name ends in `id`, as `student_id` and `studentid` do of a student; nil for others.
  var referent: [String]? {
    guard let last = words.last, last.hasSuffix("id") else { return nil }
    var stem = Array(words.dropLast())
    if last.count > 2 { stem.append(String(last.dropLast(2))) }
    guard let noun = stem.popLast() else { return nil }
    return stem + [Self.singular(noun)]
  }

  func hasSuffix(_ other: [String]) -> Bool {
    !other.isEmpty && words.count >= other.count && Array(words.suffix(other.count)) == other
  }

  /// An English noun without its plural ending, as far as names of tables go.
  static func singular(_ word: String) -> String {
    if word.hasSuffix("ies"), word.count > 4 { return word.dropLast(3) + "y" }
    for ending in ["sses", "ches", "shes", "xes"] where word.hasSuffix(ending) {
      return String(word.dropLast(2))
    }
    if word.hasSuffix("s"), !word.hasSuffix("ss"), !word.hasSuffix("us"), word.count > 2 {
      return String(word.dropLast())
    }
    return word
  }

  /// How much a name alone says that its column is a key.
  enum KeyStrength: Int, Comparable {
    case none, code, identifier, own
    static func < (one: KeyStrength, other: KeyStrength) -> Bool { one.rawValue < other.rawValue }
  }

  private static let codes: Set<String> = [
    "code", "key", "number", "no", "nr", "num", "symbol", "slug", "abbreviation", "iata", "icao",
    "isbn", "iso", "fips", "nummer", "codice", "código", "kennung", "schlüssel",
  ]

  /// How much the name of a column of `table` says that it is the table's key.
  func keyStrength(in table: NameWords) -> KeyStrength {
    if words == ["id"] || referent == table.singular { return .own }
    if words.last == "id" || words.last == "uuid" || words.last == "guid" { return .identifier }
    // Alone `key` says less than the name of what it is a key of.
    if let last = words.last, Self.codes.contains(last), words != ["key"] { return .code }
    return .none
  }

  private static let people: Set<String> = [
    "first", "last", "given", "family", "middle", "sur", "nick", "christian", "maiden",
  ]
  private static let personNames: Set<String> = [
    "forename", "surname", "firstname", "lastname", "nickname", "vorname", "nachname",
  ]

  /// Whether it is called a part of a person's name, which others have as well.
  var isPersonName: Bool {
    words.contains { Self.personNames.contains($0) }
      || words.last == "name" && words.contains { Self.people.contains($0) }
  }

  private static let places: Set<String> = [
    "sequence", "seq", "position", "pos", "ordinal", "ordering",
  ]
  private static let counts: Set<String> = [
    "line", "number", "no", "nr", "rank", "index", "order", "nummer",
  ]
  /// Whether it is called the place of a row among those that it belongs to.
  var isPlace: Bool { words.last.map(Self.places.contains) ?? false }
  /// Whether it may be called a count of rows that belong together.
  var isCount: Bool { words.last.map(Self.counts.contains) ?? false }

  private static let dates: Set<String> = [
    "date", "dates", "datum", "fecha", "dob", "birthday", "birthdate", "geburtsdatum", "geburtstag",
  ]
  /// Whether it is called a date.
  var namesDate: Bool { words.contains { Self.dates.contains($0) } }

  private static let ends: Set<String> = [
    "src", "dst", "source", "target", "from", "to", "tail", "head", "origin", "destination", "dest",
  ]
  /// Whether it is called an end of an edge.
  var namesEnd: Bool {
    guard let word = words.first(where: { $0 != "id" }) else { return false }
    return words.count <= 2 && Self.ends.contains(word)
  }

  /// Whether it is called what stands above a row of its own table.
  var namesParent: Bool {
    words.first == "parent" || words.dropLast(words.last == "id" ? 1 : 0).last == "parent"
  }
}
