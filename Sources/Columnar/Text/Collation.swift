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
  /// nil for the order of bytes.
  private let collator: Collator?

  private init(_ name: String, _ collator: Collator?) {
    self.name = name
    self.collator = collator
  }

  private static let known = Mutex<[String: Collation]>([:])
  private static let suffix = "-x-icu"

  /// What stands for the collation of the database, whatever that is.
  package static let standard = Collation("default", nil)
  /// The order of bytes.
  package static let bytes = Collation("C", nil)

  /// The collation of a name; nil if there is none.
  package static func named(_ name: String) -> Collation? {
    if name == standard.name { return standard }
    if name == bytes.name { return bytes }
    let isOfBytes = byBytes.contains(name)
    guard name.utf8.count <= 128, isOfBytes || name.hasSuffix(suffix) else { return nil }
    if let found = known.withLock({ $0[name] }) { return found }
    let collator =
      isOfBytes ? nil : Collator(language: String(name.dropLast(suffix.utf8.count)))
    guard isOfBytes || collator != nil else { return nil }
    let made = Collation(name, collator)
    known.withLock { $0[name] = made }
    return made
  }

  /// The names of all collations of a language, without those of orders of their own.
  package static let names: [String] = Collator.languages.map { $0 + suffix }.sorted()

  /// The names of what orders texts by their bytes, where the database says nothing else.
  package static let byBytes: Set<String> = [
    "C", "POSIX", "default", "ucs_basic", "C.UTF-8", "C.utf8",
  ]

  /// Whether texts are ordered by their bytes, so that a text is its own key.
  package var isOfBytes: Bool { collator == nil }

  /// For each text what orders it by bytes: the sort key, a zero, and the text itself; of arrays, those of their elements.
  ///
  /// - Complexity: O(*n*) in the bytes, some hundred times as long as a comparison of bytes.
  /// - Throws: 57014, 53200, 54000.
  package func keys(_ texts: Vector, count: Int) throws(SQLError) -> Vector {
    guard let collator else { return texts }
    return try Self.mapping(texts, count: count, to: .text) { (texts, count) throws(SQLError) in
      let values = Operand(texts)
      var worker = collator.worker()
      return try TextLoop.build([texts], count) { (row, output) throws(SQLError) in
        let bytes = values.bytes(row)
        try worker.appendKey(of: bytes, to: &output)
        output.append(0)
        output.append(bytes)
      }
    }
  }

  /// The texts of keys, as values of a type; of arrays of keys, arrays of texts.
  ///
  /// - Complexity: O(*n*) in the bytes of the keys.
  package static func texts(
    _ keys: Vector, count: Int, as type: LogicalType
  ) throws(SQLError) -> Vector {
    try mapping(keys, count: count, to: type.element ?? type) { (keys, count) throws(SQLError) in
      try TextLoop.slice([keys], count) { key, _ in
        var index = 0
        while index < key.count, key[index] != 0 { index += 1 }
        return min(index + 1, key.count)..<key.count
      }
    }
  }

  /// What a body makes of texts; of arrays, what it makes of their elements.
  private static func mapping(
    _ texts: Vector, count: Int, to type: LogicalType,
    _ body: (Vector, Int) throws(SQLError) -> Vector
  ) throws(SQLError) -> Vector {
    guard let element = texts.type.element else { return try body(texts, count).retyped(type) }
    if RowLoop.isNull([texts]) { return .null(.array(type), count: count) }
    return try LengthCast.mapElements(texts, element) { elements throws(SQLError) in
      try body(elements, elements.count).retyped(type)
    }
  }
}

extension Collation: Hashable {
  package static func == (left: Collation, right: Collation) -> Bool { left.name == right.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
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
