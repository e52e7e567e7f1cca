import Catalog
import Diagnostics
import SQLSyntax

extension BindingSession {
  /// The error for a column that nothing in sight has, with the nearest names as a hint.
  func missingColumn(
    _ name: String, qualifier: String?, at range: SourceRange, in scope: Scope
  ) -> SQLError {
    let message =
      qualifier.map { "column \($0).\(name) does not exist" }
      ?? "column \"\(name)\" does not exist"
    var search = FuzzySearch()
    var level: Scope? = scope
    while let current = level {
      for entry in current.registered where !entry.isJoin {
        guard let alias = entry.name else { continue }
        var penalty = 0
        if let qualifier { penalty = editDistance(qualifier, alias) }
        for column in entry.columns {
          if column.name == name, qualifier == nil || penalty == 0 {
            return SQLError(
              .undefinedColumn, message, at: range,
              hint: "There is a column named \"\(name)\" in table \"\(alias)\","
                + " but it cannot be referenced from this part of the query.")
          }
          search.consider(column.name, of: alias, for: name, penalty: penalty)
        }
      }
      level = current.parent
    }
    return SQLError(.undefinedColumn, message, at: range, hint: search.hint)
  }

  /// The error for a qualifier that is no entry of FROM in sight.
  func missingEntry(
    _ name: String, schema: String?, at range: SourceRange, in scope: Scope
  ) -> SQLError {
    var level: Scope? = scope
    while let current = level {
      if let entry = current.registered.first(where: { $0.name == name }) {
        return SQLError(
          .undefinedTable, "invalid reference to FROM-clause entry for table \"\(name)\"",
          at: range,
          hint: "There is an entry for table \"\(entry.name ?? name)\","
            + " but it cannot be referenced from this part of the query.")
      }
      if let entry = current.registered.first(where: { $0.relationName == name }) {
        return SQLError(
          .undefinedTable, "invalid reference to FROM-clause entry for table \"\(name)\"",
          at: range,
          hint: entry.name.map(Self.aliasHint))
      }
      level = current.parent
    }
    return SQLError(
      .undefinedTable, "missing FROM-clause entry for table \"\(name)\"", at: range)
  }

  /// The error for a table that is not there.
  func missingRelation(_ name: QualifiedName, in scope: Scope?) -> SQLError {
    if name.parts.count == 1 {
      var common = scope?.commons
      while let current = common {
        if current.name == name.name, case .forward = current.kind {
          return SQLError(
            .undefinedTable, "relation \"\(name.name)\" does not exist", at: name.range,
            detail: "There is a WITH item named \"\(name.name)\","
              + " but it cannot be referenced from this part of the query.",
            hint: "Use WITH RECURSIVE, or re-order the WITH items to remove forward references.")
        }
        common = current.next
      }
    }
    let near = nearest(to: name.name, among: catalog.relationNames)
    return SQLError(
      .undefinedTable, "relation \"\(name.joined)\" does not exist", at: name.range,
      hint: near.map { "Perhaps you meant the relation \"\($0)\"." + quotingRemark($0) })
  }

  /// A table is known by its alias only; and `t ANTI JOIN u` gives it one, as in PostgreSQL.
  private static func aliasHint(_ alias: String) -> String {
    let hint = "Perhaps you meant to reference the table alias \"\(alias)\""
    guard alias == "anti" || alias == "semi" else { return hint + "." }
    return hint + ", or LEFT \(alias.uppercased()) JOIN."
  }

  /// The candidate that differs least from `name`, if it does so little enough to be a slip.
  func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
    var best: (distance: Int, name: String)?
    for candidate in candidates {
      let isFolded = candidate.lowercased() == name.lowercased()
      let distance = isFolded ? 0 : editDistance(name, candidate)
      guard distance <= 3, distance <= max(name.utf8.count, candidate.utf8.count) / 3 else {
        continue
      }
      if let found = best, (found.distance, found.name) <= (distance, candidate) { continue }
      best = (distance, candidate)
    }
    return best?.name
  }
}

/// What a hint says of a name that is not found as it is mostly written, since it has capitals or spaces; empty for others.
func quotingRemark(_ name: String, of table: String? = nil) -> String {
  let quoted = SQLPrinter.quoted(name)
  if quoted == name { return "" }
  let place = table.map { SQLPrinter.quoted($0) + "." } ?? ""
  return " Such a name stands in double quotes: \(place)\(quoted)."
}

/// The search for at most two nearest columns, by PostgreSQL's rules.
private struct FuzzySearch {
  private static let distanceLimit = 3
  private var distance = FuzzySearch.distanceLimit + 1
  private var first: String?
  /// How the first is written, where it needs quotes.
  private var remark = ""
  private var second: String?

  mutating func consider(_ column: String, of alias: String, for name: String, penalty: Int) {
    guard penalty <= distance else { return }
    // What differs by capitals only is what was meant, however short it is.
    let isFolded = column.lowercased() == name.lowercased()
    let ownDistance = isFolded ? 0 : editDistance(column, name)
    // A name of which more than half is different is no likely slip.
    guard ownDistance <= name.utf8.count / 2 else { return }
    let total = ownDistance + penalty
    let place = "\"\(alias).\(column)\""
    if total < distance {
      distance = total
      first = place
      remark = quotingRemark(column, of: alias)
      second = nil
    } else if total == distance {
      if second != nil {
        first = nil
        second = nil
        distance -= 1
      } else if first != nil {
        second = place
      } else if total <= Self.distanceLimit {
        first = place
        remark = quotingRemark(column, of: alias)
      }
    }
  }

  var hint: String? {
    switch (first, second) {
    case (let first?, let second?):
      "Perhaps you meant to reference the column \(first) or the column \(second)."
    case (let first?, nil): "Perhaps you meant to reference the column \(first)." + remark
    default: nil
    }
  }
}

/// The least number of bytes to insert, delete or replace to make one name of the other.
///
/// - Complexity: O(*n* × *m*).
func editDistance(_ left: String, _ right: String) -> Int {
  let source = Array(left.utf8)
  let target = Array(right.utf8)
  var row = Array(0...target.count)
  for (index, byte) in source.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for column in target.indices {
      let replaced = diagonal + (byte == target[column] ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
    }
  }
  return row[target.count]
}
