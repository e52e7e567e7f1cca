package import Diagnostics
import Synchronization

/// An order of texts as the readers of a language know it, by the rules of Unicode.
///
/// Names are PostgreSQL's: a language tag (BCP 47) and `-x-icu`, as in `de-x-icu`, `de-AT-x-icu` and, with rules of an order of its
/// own, `de-u-co-phonebk-x-icu`; `und-x-icu` is the order of no language.
///
/// Texts are ordered by sort keys, whose order as bytes is that of the texts. Texts that the rules take for the same are ordered by
/// their bytes, as PostgreSQL's deterministic collations do: two texts are equal only if their bytes are.
///
/// Source: Unicode Technical Standard #10, "Unicode Collation Algorithm".
package final class Collation: Sendable {
  package let name: String
  private let collator: Collator

  private init(_ name: String, _ collator: Collator) {
    self.name = name
    self.collator = collator
  }

  private static let known = Mutex<[String: Collation]>([:])
  private static let suffix = "-x-icu"

  /// The collation of a name; nil if there is none.
  package static func named(_ name: String) -> Collation? {
    guard name.utf8.count <= 128, name.hasSuffix(suffix) else { return nil }
    if let found = known.withLock({ $0[name] }) { return found }
    guard let collator = Collator(language: String(name.dropLast(suffix.utf8.count))) else {
      return nil
    }
    let made = Collation(name, collator)
    known.withLock { $0[name] = made }
    return made
  }

  /// The names of all collations of a language, without those of orders of their own.
  package static var names: [String] { Collator.languages.map { $0 + suffix }.sorted() }

  /// The names of what orders texts by their bytes.
  package static let byBytes: Set<String> = [
    "C", "POSIX", "default", "ucs_basic", "C.UTF-8", "C.utf8",
  ]

  /// For each text what orders it by bytes: the sort key, a zero, and the text itself.
  ///
  /// - Complexity: O(*n*) in the bytes, some hundred times as long as a comparison of bytes.
  /// - Throws: 57014, 53200, 54000.
  package func keys(_ texts: Vector, count: Int) throws(SQLError) -> Vector {
    let values = Operand(texts)
    var worker = collator.worker()
    return try TextLoop.build([texts], count) { (row, output) throws(SQLError) in
      let bytes = values.bytes(row)
      try worker.appendKey(of: bytes, to: &output)
      output.append(0)
      output.append(bytes)
    }
  }

  /// The texts of keys.
  ///
  /// - Complexity: O(*n*) in the bytes of the keys.
  package static func texts(_ keys: Vector, count: Int) throws(SQLError) -> Vector {
    try TextLoop.slice([keys], count) { key, _ in
      var index = 0
      while index < key.count, key[index] != 0 { index += 1 }
      return min(index + 1, key.count)..<key.count
    }
  }
}

extension SQLError {
  /// 42704 for a collation that is not known.
  package static func unknownCollation(_ name: String, at range: SourceRange) -> SQLError {
    let known = Collation.names + Collation.byBytes.sorted()
    return SQLError(
      .undefinedObject, "collation \"\(name)\" for encoding \"UTF8\" does not exist", at: range,
      hint: nearestNames(to: name, among: known).first
        .map { "Perhaps you meant the collation \"\($0)\"." }
        ?? "Collations of languages have names like \"de-x-icu\"; \"C\" is the order of bytes.")
  }
}
