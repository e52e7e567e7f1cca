import Columnar
package import Diagnostics
package import SQLSyntax

/// What the short forms of a statement stood for when it was bound, so that a view can keep it: a column that
/// is added to a table later appears in no view that was there before.
package struct StatementExpansions: Sendable {
  /// The columns of each `*` by its place; of those that names can say.
  package var stars: [SourceRange: [QualifiedName]] = [:]
  /// The columns that each NATURAL join compares, by its place.
  package var naturalJoins: [SourceRange: [Identifier]] = [:]

  package init() {}
}

extension BindingSession {
  /// Whether the text at hand is the statement's own, not that of a view or function in it.
  private var isOwnText: Bool { expansions != nil && expansionDepth == 0 }

  func noteNaturalJoin(at range: SourceRange, _ names: [Identifier]) {
    if isOwnText { expansions?.naturalJoins[range] = names }
  }

  /// Notes what an item of a select list with a star stands for, if each column has a name that means it.
  func noteExpansion(
    of item: SelectItem, to entries: [RangeEntry], of owner: Scope, in scope: Scope
  ) {
    guard isOwnText, item.range.isKnown else { return }
    var names: [QualifiedName] = []
    for entry in entries {
      for column in entry.columns {
        guard let name = name(of: column, entry, among: owner.entries, in: scope) else { return }
        names.append(name)
      }
    }
    expansions?.stars[item.range] = names
  }

  /// A name that means the column: in its own entry, in another that has it, or by itself.
  private func name(
    of column: RangeColumn, _ entry: RangeEntry, among entries: [RangeEntry], in scope: Scope
  ) -> QualifiedName? {
    var candidates: [[String]] = []
    func offer(_ entry: RangeEntry) {
      guard let name = entry.name else { return }
      candidates.append([name, column.name])
      if let schema = entry.schema { candidates.append([schema, name, column.name]) }
    }
    offer(entry)
    for other in entries
    where other.columns.contains(where: { isSame($0.expression, column.expression) }) {
      offer(other)
    }
    candidates.append([column.name])
    for parts in candidates {
      let name = QualifiedName(parts.map { Identifier($0) })
      if let bound = try? bind(Expression(.column(name)), in: scope),
        isSame(bound, column.expression)
      {
        return name
      }
    }
    return nil
  }
}
