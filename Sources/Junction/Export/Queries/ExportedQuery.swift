import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

/// A query that goes along with an export.
struct ExportedQuery {
  let number: Int
  let text: String
  /// Where it begins in the file: the line, and the place of its first byte.
  let line: Int
  let start: Int

  /// The queries of a file, separated by semicolons.
  static func all(of text: String) -> [ExportedQuery] {
    var splitter = StatementSplitter()
    let bytes = Array(text.utf8)
    var found: [ExportedQuery] = []
    var start = 0
    func take(_ statement: [UInt8], endingAt end: Int) {
      let blank = statement.prefix { $0 == 0x20 || (9...13).contains($0) }.count
      let place = start + blank
      let line = bytes[..<min(place, bytes.count)].count { $0 == 10 } + 1
      found.append(
        ExportedQuery(
          number: found.count + 1,
          text: String(decoding: statement.dropFirst(blank), as: UTF8.self),
          line: line, start: place))
      start = end
    }
    var position = 0
    while position < bytes.count {
      switch splitter.scan(bytes, from: position) {
      case .semicolon(let offset):
        position = offset
        let hasContent = splitter.hasContent
        let statement = splitter.takeStatement()
        if hasContent { take(statement, endingAt: position) } else { start = position }
      case .backslash(let offset): position = offset + 1
      case .endOfText: position = bytes.count
      }
    }
    if splitter.hasContent { take(splitter.takeStatement(), endingAt: bytes.count) }
    return found
  }

  /// `line 3, column 9` of a place in the query, in the file it was read from.
  func place(_ range: SourceRange) -> String {
    guard range.isKnown else { return "line \(line)" }
    let before = Array(text.utf8.prefix(Int(range.lower)))
    let lines = before.count { $0 == 10 }
    let last = before.lastIndex(of: 10).map { before.count - $0 } ?? before.count + 1
    return "line \(line + lines), column \(last)"
  }
}

/// What of a query's answer is settled by its ORDER BY.
enum AnswerOrder {
  /// The whole order.
  case total
  /// Nothing, or not all of it; rows are compared as a multiset.
  case partial
  /// Which rows there are depends on an order that leaves some open: of those columns, by number, only the values are settled.
  case open(keys: [Int])

  init(_ plan: LogicalPlan) {
    var current = plan
    var outputs = plan.outputs.map(\.id)
    var isLimited = false
    while true {
      switch current {
      case .project(let input, let columns):
        var sources: [ColumnID: ColumnID] = [:]
        for column in columns { sources[column.column.id] = column.expression.asColumn }
        outputs = outputs.map { sources[$0] ?? $0 }
        current = input
      case .limit(let input, _):
        isLimited = true
        current = input
      case .withCommon(_, _, let body): current = body
      case .sort(let input, let keys):
        let ids = keys.map { $0.expression.asColumn }
        let columns = ColumnSet(ids.compactMap { $0 })
        let isTotal =
          input.uniqueKeys.contains { !$0.repeatsNulls && $0.columns.isSubset(of: columns) }
          || ColumnSet(outputs).isSubset(of: columns)
        if isTotal {
          self = .total
        } else {
          self =
            isLimited
            ? .open(keys: outputs.indices.filter { columns.contains(outputs[$0]) }) : .partial
        }
        return
      case .distinct(let input, on: let keys?) where !isLimited:
        let columns = ColumnSet(keys.compactMap(\.asColumn))
        self =
          input.settlesFirstRows(of: columns, outputs)
          ? .partial : .open(keys: outputs.indices.filter { columns.contains(outputs[$0]) })
        return
      case .scan, .values, .filter, .projectSet, .join, .path, .aggregate, .window, .distinct,
        .setOperation, .recursive, .workingTable, .commonReference, .tableFunction, .modify:
        self = isLimited ? .open(keys: []) : .partial
        return
      }
    }
  }
}

extension LogicalPlan {
  /// Whether the order of the rows says which is the first of each group.
  fileprivate func settlesFirstRows(of groups: ColumnSet, _ outputs: [ColumnID]) -> Bool {
    switch self {
    case .project(let input, let columns):
      var sources: [ColumnID: ColumnID] = [:]
      for column in columns { sources[column.column.id] = column.expression.asColumn }
      return input.settlesFirstRows(
        of: ColumnSet(groups.map { sources[$0] ?? $0 }), outputs.map { sources[$0] ?? $0 })
    case .sort(let input, let keys):
      let columns = groups.union(ColumnSet(keys.compactMap(\.expression.asColumn)))
      return ColumnSet(outputs).isSubset(of: columns)
        || input.uniqueKeys.contains { !$0.repeatsNulls && $0.columns.isSubset(of: columns) }
    case .scan, .values, .filter, .projectSet, .join, .path, .aggregate, .window, .limit, .distinct,
      .setOperation, .recursive, .workingTable, .commonReference, .withCommon, .tableFunction,
      .modify:
      return false
    }
  }
}
