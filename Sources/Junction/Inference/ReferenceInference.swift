import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Finds what the columns of tables refer to.
struct ReferenceInference {
  private let tables: [LoadedTable]
  private let values: ColumnQueries
  private let log: InferenceLog

  init(_ keys: KeyInference) {
    tables = keys.tables
    values = keys.values
    log = keys.log
  }

  /// What speaks for a reference, the strongest first.
  private enum Evidence: Int {
    /// The column is named for the table, or for its key.
    case name
    /// The column is named for one of the ends of an edge, of which there are two or more.
    case end
    /// Both names end in the same word, and the values are no chance.
    case ending
    /// Only that all values are there.
    case values
  }

  /// A table that a column may refer to.
  private struct Candidate {
    let parent: String
    let key: TableColumn
    let evidence: Evidence
    /// The words that both names share: of several tables the one whose name says most comes first.
    let sharedWords: Int
  }

  /// Adds the foreign keys of a table; gives the columns that have one.
  func infer(of loaded: LoadedTable) throws(SQLError) -> [String] {
    var linked: [String] = []
    let own = try values.keyColumn(of: loaded.name)
    let definition = try values.definition(of: loaded.name)
    let ends = definition.columns.filter { NameWords($0.name).namesEnd }
    for (place, column) in definition.columns.enumerated() {
      if definition.foreignKeys.contains(where: { $0.columns == [place] }) {
        linked.append(column.name)
        continue
      }
      let isEnd = ends.count > 1 && ends.contains { $0.name == column.name }
      let candidates = try candidates(for: column, of: loaded.name, own, isEnd: isEnd)
      var isTaken = false
      for candidate in candidates where !isTaken {
        isTaken = try decide(candidate, column, loaded.name)
      }
      if isTaken { linked.append(column.name) }
    }
    return linked
  }

  // MARK: Candidates

  private func candidates(
    for column: TableColumn, of child: String, _ own: TableColumn?, isEnd: Bool
  ) throws(SQLError) -> [Candidate] {
    var found: [Candidate] = []
    let words = NameWords(column.name)
    let named = namedTable(words, child)
    for table in tables {
      let parent = table.name
      guard let key = try values.keyColumn(of: parent) else {
        if parent == named?.name { tellMissingKey(column.name, of: child, parent) }
        continue
      }
      // A key refers to itself only where it is the table's own.
      if parent == child && key.name == column.name { continue }
      let isOwn = column.name == own?.name
      let keyWords = NameWords(key.name)
      if parent == named?.name {
        found.append(
          Candidate(parent: parent, key: key, evidence: .name, sharedWords: named?.words ?? 0))
      } else if parent != child, !isOwn, !Self.isGeneric(keyWords), words.hasSuffix(keyWords.words)
      {
        found.append(
          Candidate(
            parent: parent, key: key, evidence: .name, sharedWords: keyWords.words.count))
      } else if isEnd, parent != child, Self.areAlike(column.type, key.type) {
        found.append(Candidate(parent: parent, key: key, evidence: .end, sharedWords: 0))
      } else if !isOwn, words.words.last == "id", words.words.count > 1,
        keyWords.words.last == "id", named == nil
      {
        found.append(Candidate(parent: parent, key: key, evidence: .ending, sharedWords: 1))
      } else if !isOwn, named == nil, try mayReferByValues(column, child, key, parent) {
        found.append(Candidate(parent: parent, key: key, evidence: .values, sharedWords: 0))
      }
    }
    found = try withoutRivals(found, column.name, child)
    return found.sorted {
      ($0.evidence.rawValue, -$0.sharedWords) < ($1.evidence.rawValue, -$1.sharedWords)
    }
  }

  /// Ends of edges may be anywhere, so that the values have to be in one table only.
  private func withoutRivals(
    _ candidates: [Candidate], _ column: String, _ child: String
  ) throws(SQLError) -> [Candidate] {
    let ends = candidates.filter { $0.evidence == .end }
    if ends.count < 2 { return candidates }
    var whole: [Candidate] = []
    for end in ends {
      let counts = try values.missing(
        (child, column), from: (end.parent, end.key.name), asText: false)
      if counts.missing == 0 { whole.append(end) }
    }
    if whole.count < 2 { return candidates }
    for end in whole {
      log.add(
        .init(
          table: child, kind: .reference, subject: "\(column) → \(end.parent).\(end.key.name)",
          isTaken: false, reason: "all values are there, but in \(whole.count) tables alike"))
    }
    return candidates.filter { $0.evidence != .end }
  }

  /// Names that every table's key may have.
  private static func isGeneric(_ key: NameWords) -> Bool {
    key.words.count < 2
      && ["id", "code", "name", "key", "no", "nr", "number", "date", "year"]
        .contains(key.words.first ?? "")
      || key.words.first?.hasPrefix("column") ?? true
  }

  /// Whether values alone may say that a column refers to a table: texts, of which there are many and no pattern.
  private func mayReferByValues(
    _ column: TableColumn, _ child: String, _ key: TableColumn, _ parent: String
  ) throws(SQLError) -> Bool {
    guard key.type == .text, column.type == .text || column.type.isInteger else { return false }
    let isSelf = parent == child
    if isSelf && !NameWords(column.name).namesParent { return false }
    // The first values rule out nearly all pairs.
    let sample = try values.missing(
      (child, column.name), from: (parent, key.name), asText: column.type.isInteger, limit: 100)
    return sample.missing * 2 < sample.present
  }

  /// The table that a name speaks of: `student_id`, `studentId` and `student` of students, `home_city_id` of cities, `parent_id`
  /// of the table itself.
  private func namedTable(_ words: NameWords, _ child: String) -> (name: String, words: Int)? {
    if words.words == ["parent"] || words.referent == ["parent"] { return (child, 1) }
    let referent = words.referent ?? words.singular
    let named = tables.compactMap { table -> (name: String, words: Int, isWhole: Bool)? in
      let noun = NameWords(table.name).singular
      if table.name == child && noun == referent { return nil }
      if referent.suffix(noun.count).elementsEqual(noun), words.referent != nil || noun == referent
      {
        return (table.name, noun.count, noun == referent)
      }
      // `state` speaks of us_states, if nothing else does.
      let isEnd =
        words.referent == nil && noun.count > 1
        && noun.suffix(referent.count)
          .elementsEqual(referent)
      return isEnd ? (table.name, 0, false) : nil
    }
    // Of several the longest says most.
    let best = named.max { ($0.isWhole ? 1 : 0, $0.words) < ($1.isWhole ? 1 : 0, $1.words) }
    return best.map { ($0.name, $0.words) }
  }

  private func tellMissingKey(_ column: String, of child: String, _ parent: String) {
    log.add(
      .init(
        table: child, kind: .reference, subject: "\(column) → \(parent)", isTaken: false,
        reason: "\(parent) has no key of one column"),
      saying: NameWords(column).referent == nil
        ? nil : "\(child): \(column) names \(parent), which has no key of one column")
  }

  // MARK: Decisions

  /// The least evidence in values where names say little or nothing: how often it would be chance.
  private static let chanceMax = 0.001

  /// Adds a foreign key if the rows bear it out, and notes what came of it; says whether it stands.
  private func decide(
    _ candidate: Candidate, _ column: TableColumn, _ child: String
  ) throws(SQLError) -> Bool {
    let (parent, key) = (candidate.parent, candidate.key)
    let arrow = "\(column.name) → \(parent).\(key.name)"
    let isNamed = candidate.evidence == .name
    func reject(_ reason: String, isTold: Bool) {
      log.add(
        .init(table: child, kind: .reference, subject: arrow, isTaken: false, reason: reason),
        saying: isTold ? "\(child): \(arrow): \(reason), so it is no foreign key" : nil)
    }
    let isWritten = column.type.isInteger && key.type == .text
    guard isWritten || Self.areAlike(column.type, key.type) else {
      let hasValues = try values.counts(column.name, in: child).present > 0
      reject(
        "the types differ", isTold: isNamed && hasValues && NameWords(column.name).referent != nil)
      return false
    }
    let counts = try values.missing(
      (child, column.name), from: (parent, key.name), asText: isWritten)
    let isTold =
      isNamed && NameWords(column.name).referent != nil
      || isNamed && counts.missing * 2 < counts.present
    // That a table has nothing of the kind is nothing to talk about.
    if counts.missing == counts.present, [.end, .values].contains(candidate.evidence) {
      return false
    }
    if counts.missing > 0 {
      reject("\(counts.missing) of \(counts.present) values missing", isTold: isTold)
      return false
    }
    if !isNamed && candidate.evidence != .end {
      if counts.different < 2 {
        reject("one value alone proves nothing", isTold: false)
        return false
      }
      let density = try values.density(of: key, in: parent, around: column.name, of: child)
      var chance = 1.0
      for _ in 0..<min(counts.different, 64) { chance *= density }
      if chance > Self.chanceMax {
        reject(
          "all \(counts.different) different values are there, but nearly every number is",
          isTold: false)
        return false
      }
    }
    if isWritten, !values.alter(child, "ALTER \(SQLPrinter.quoted(column.name)) TYPE text") {
      reject("the types differ", isTold: isTold)
      return false
    }
    return take(candidate, column, child, arrow, counts.present, counts.different, isWritten)
  }

  private func take(
    _ candidate: Candidate, _ column: TableColumn, _ child: String, _ arrow: String,
    _ present: Int64, _ different: Int64, _ isWritten: Bool
  ) -> Bool {
    let (parent, key) = (candidate.parent, candidate.key)
    let isAdded = values.add(
      "FOREIGN KEY (\(SQLPrinter.quoted(column.name))) REFERENCES "
        + "\(SQLPrinter.quoted(parent)) (\(SQLPrinter.quoted(key.name)))", to: child)
    let evidence =
      switch candidate.evidence {
      case .name: ""
      case .end: ", and it is called an end"
      case .ending: ", though the names only end alike"
      case .values: ", though the names differ"
      }
    log.add(
      .init(
        table: child, kind: .reference, subject: arrow, isTaken: isAdded,
        reason: isAdded
          ? "all \(present) values are there, \(different) different ones\(evidence)"
          : "the types differ"),
      saying: isAdded
        ? "\(child): \(column.name) references \(parent) (\(key.name)), inferred"
          + (isWritten ? "; its numbers are text, as the key is" : "") : nil)
    return isAdded
  }

  /// Whether values of one type may stand for those of another.
  private static func areAlike(_ one: LogicalType, _ other: LogicalType) -> Bool {
    one == other || one.isInteger && other.isInteger
  }
}
