/// The names of columns that a header gives, each there and only once.
struct HeaderNames {
  private(set) var names: [String] = []
  private var repaired: [String] = []

  /// Names of the fields of a header, without spaces around them.
  ///
  /// A field that is empty is called `column_3` by its place; one whose name stands before it already gets a
  /// number behind it, as in `name_1`.
  init(_ fields: [String?]) {
    let written = fields.map { field in
      let scalars = (field ?? "").unicodeScalars
      let start = scalars.firstIndex { !$0.properties.isWhitespace } ?? scalars.endIndex
      let end = scalars.lastIndex { !$0.properties.isWhitespace } ?? start
      return start == scalars.endIndex ? "" : Self.cut(String(scalars[start...end]))
    }
    // What stands in the header is nobody else's to take.
    var taken = Set(written)
    var seen: Set<String> = []
    for (index, name) in written.enumerated() {
      if !name.isEmpty && seen.insert(name).inserted {
        names.append(name)
        continue
      }
      let place = "column_\(index + 1)"
      let stem = name.isEmpty ? place : name
      // A name that stands there is taken, so that the first candidate has a number.
      var candidate = stem
      var number = 1
      while !taken.insert(candidate).inserted {
        let suffix = "_\(number)"
        candidate = Self.cut(stem, to: Self.bytesMax - suffix.utf8.count) + suffix
        number += 1
      }
      names.append(candidate)
      repaired.append(
        name.isEmpty
          ? "column \(index + 1) has no name and is called \"\(candidate)\""
          : "column \(index + 1), another \"\(name)\", is called \"\(candidate)\"")
    }
  }

  /// The most bytes of a name in PostgreSQL.
  private static let bytesMax = 63

  /// A name as far as it fits, whole characters only.
  static func cut(_ name: String, to limit: Int = bytesMax) -> String {
    var count = 0
    let kept = name.unicodeScalars.prefix { scalar in
      count += UTF8.width(scalar)
      return count <= limit
    }
    return String(kept)
  }

  private static let repairsShown = 5

  /// What is said of names that had to be made up; nil if there are none.
  var repairs: String? {
    if repaired.isEmpty { return nil }
    let more =
      repaired.count > Self.repairsShown ? "; and \(repaired.count - Self.repairsShown) more" : ""
    return repaired.prefix(Self.repairsShown).joined(separator: "; ") + more
  }
}
