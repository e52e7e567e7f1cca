/// The words behind `Keyword`, and the way from bytes to them.
///
/// Source: PostgreSQL 15, appendix C, "SQL Key Words".
struct KeywordTable: Sendable {
  /// The one table.
  static let shared = KeywordTable()

  /// The words in the order of `Keyword`'s cases.
  let names: [String]
  /// The category of each.
  let categories: [KeywordCategory]
  /// Whether each may name an output column without AS.
  let areBareLabels: [Bool]
  private let cases: [Keyword]
  /// All words' bytes in a row; word `i` begins at `starts[i]`.
  private let bytes: [UInt8]
  private let starts: [Int32]
  /// An open-addressing hash table of positions; `UInt16.max` marks a free place.
  private let slots: [UInt16]

  private static let slotCount = 2_048
  private static let longest = 17

  private init() {
    var words: [(String, KeywordCategory)] = []
    let lists: [(String, KeywordCategory)] = [
      (Self.unreserved, .unreserved), (Self.columnNames, .columnName),
      (Self.typesAndFunctions, .typeOrFunctionName), (Self.reserved, .reserved),
    ]
    for (list, category) in lists {
      for word in list.split(whereSeparator: \.isWhitespace) {
        words.append((String(word), category))
      }
    }
    words.sort { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    let asLabels = Set(Self.onlyAfterAs.split(whereSeparator: \.isWhitespace).map(String.init))
    names = words.map(\.0)
    categories = words.map(\.1)
    areBareLabels = words.map { !asLabels.contains($0.0) }
    cases = Array(Keyword.allCases)
    precondition(cases.count == words.count, "every key word has a case and a word")
    var bytes: [UInt8] = []
    var starts: [Int32] = [0]
    var slots = [UInt16](repeating: .max, count: Self.slotCount)
    for (position, word) in words.enumerated() {
      let hash = Self.hash(Array(word.0.utf8), 0, word.0.utf8.count)
      bytes.append(contentsOf: word.0.utf8)
      starts.append(Int32(bytes.count))
      var slot = hash
      while slots[slot] != .max { slot = (slot &+ 1) & (Self.slotCount &- 1) }
      slots[slot] = UInt16(position)
    }
    self.bytes = bytes
    self.starts = starts
    self.slots = slots
  }

  /// The key word that `text[lower..<upper]` spells in any case, if it does.
  ///
  /// - Complexity: O(*n*) in the length of the word; no allocation.
  func keyword(in text: [UInt8], _ lower: Int, _ upper: Int) -> Keyword? {
    let length = upper &- lower
    if length < 2 || length > Self.longest { return nil }
    var slot = Self.hash(text, lower, upper)
    while true {
      let position = slots[slot]
      if position == .max { return nil }
      let start = Int(starts[Int(position)])
      if Int(starts[Int(position) &+ 1]) &- start == length, matches(text, lower, start, length) {
        return cases[Int(position)]
      }
      slot = (slot &+ 1) & (Self.slotCount &- 1)
    }
  }

  private func matches(_ text: [UInt8], _ lower: Int, _ start: Int, _ length: Int) -> Bool {
    for offset in 0..<length
    where bytes[start &+ offset] != asciiLowercased(text[lower &+ offset]) { return false }
    return true
  }

  private static func hash(_ text: [UInt8], _ lower: Int, _ upper: Int) -> Int {
    var hash: UInt32 = 2_166_136_261
    for index in lower..<upper {
      hash = (hash ^ UInt32(asciiLowercased(text[index]))) &* 16_777_619
    }
    return Int((hash ^ (hash >> 15)) & UInt32(slotCount &- 1))
  }
}

extension Keyword {
  /// The word in lower case.
  package var name: String { KeywordTable.shared.names[Int(rawValue)] }
  /// How far it may serve as a name.
  package var category: KeywordCategory { KeywordTable.shared.categories[Int(rawValue)] }
  /// Whether it may name an output column without AS.
  package var isBareLabel: Bool { KeywordTable.shared.areBareLabels[Int(rawValue)] }

  /// The key word spelled by `word`, in any case.
  package init?(_ word: String) {
    let bytes = Array(word.utf8)
    guard let keyword = KeywordTable.shared.keyword(in: bytes, 0, bytes.count) else { return nil }
    self = keyword
  }
}

extension KeywordTable {
  /// Words that may be any name.
  private static let unreserved = """
    abort absolute access action add admin after aggregate also alter always asensitive assertion
    assignment at atomic attach attribute backward before begin breadth by cache call called
    cascade cascaded catalog chain characteristics checkpoint class close cluster columns comment
    comments commit committed compression configuration conflict connection constraints content
    continue conversion copy cost csv cube current cursor cycle data database day deallocate
    declare defaults deferred definer delete delimiter delimiters depends depth detach dictionary
    disable discard document domain double drop each enable encoding encrypted enum escape event
    exclude excluding exclusive execute explain expression extension external family filter
    finalize first following force forward function functions generated global granted groups
    handler header hold hour identity if ignored immediate immutable implicit import include
    including increment index indexes inherit inherits inline input insensitive insert instead
    invoker isolation key label language large last leakproof level listen load local location
    lock locked logged mapping match matched materialized maxvalue merge method minute minvalue
    mode month move name names new next nfc nfd nfkc nfkd no normalized nothing notify nowait
    nulls object of off oids old operator option options ordinality others over overriding owned
    owner parallel parameter parser partial partition passing password plans policy preceding
    prepare prepared preserve prior privileges procedural procedure procedures program
    publication quote range read reassign recheck recursive ref referencing refresh reindex
    relative release rename repeatable replace replica reset restart restrict return returns
    revoke role rollback rollup routine routines rows rule savepoint schema schemas scroll search
    second security sequence sequences serializable server session set sets share show simple
    skip snapshot sql stable standalone start statement statistics stdin stdout storage stored
    strict strip subscription support sysid system tables tablespace temp template temporary text
    ties transaction transform trigger truncate trusted type types uescape unbounded uncommitted
    unencrypted unknown unlisten unlogged until update vacuum valid validate validator value
    varying version view views volatile whitespace within without work wrapper write xml year yes
    zone
    """

  /// Words that may name columns and tables.
  private static let columnNames = """
    between bigint bit boolean char character coalesce dec decimal exists extract float greatest
    grouping inout int integer interval least national nchar none normalize nullif numeric out
    overlay position precision real row setof smallint substring time timestamp treat trim values
    varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi
    xmlroot xmlserialize xmltable
    """

  /// Words that may name types and functions.
  private static let typesAndFunctions = """
    authorization binary collation concurrently cross current_schema freeze full ilike inner is
    isnull join left like natural notnull outer overlaps right similar tablesample verbose
    """

  /// Words that need quotes to be names.
  private static let reserved = """
    all analyse analyze and any array as asc asymmetric both case cast check collate column
    constraint create current_catalog current_date current_role current_time current_timestamp
    current_user default deferrable desc distinct do else end except false fetch for foreign from
    grant group having in initially intersect into lateral leading limit localtime localtimestamp
    not null offset on only or order placing primary references returning select session_user
    some symmetric table then to trailing true union unique user using variadic when where window
    with
    """

  /// Words that need AS to name an output column.
  private static let onlyAfterAs = """
    array as char character create day except fetch filter for from grant group having hour
    intersect into isnull limit minute month notnull offset on order over overlaps precision
    returning second to union varying where window with within without year
    """
}
