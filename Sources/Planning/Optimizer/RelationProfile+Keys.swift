/// A key of several columns of a table that a relation's rows are made of.
package struct CompositeKey: Sendable {
  package var columns: [ColumnID]
  /// What stands for the scan of the table, as in `ColumnProfile.Origin`.
  package var scan: ColumnID
  /// The number of the table's rows.
  package var rows: Double
}

/// Equalities by which rows of one table name a row of another by its whole key.
struct KeyMatch {
  /// A column of the table with the key, and one of the table whose rows name it.
  var parent: ColumnID
  var child: ColumnID
  /// All equalities between the two tables, by place.
  var conditions: [Int]
  /// The share of pairs that match.
  var share: Double
}

extension RelationProfile {
  /// The whole keys that equalities among some conditions name.
  ///
  /// Values of a key's columns go together: whoever names a ticket and an item names one line of a ticket, and not one of as many
  /// as there are tickets and items. What else of that line is compared is expected to be equal, as its row is known already.
  func keyMatches(_ conditions: [BoundExpression]) -> [KeyMatch] {
    if keys.isEmpty || conditions.count < 2 { return [] }
    var equalities: [(place: Int, one: ColumnID, two: ColumnID)] = []
    for (place, condition) in conditions.enumerated() {
      guard case .comparison(.equal, let left, let right) = condition, let one = left.asColumn,
        let two = right.asColumn
      else { continue }
      equalities.append((place, one, two))
      equalities.append((place, two, one))
    }
    if equalities.count < 4 { return [] }
    var found: [KeyMatch] = []
    for key in keys {
      let own = equalities.filter { origin($0.one) == key.scan && origin($0.two) != key.scan }
      guard let first = key.columns.first else { continue }
      for candidate in own where candidate.one == first {
        guard let child = origin(candidate.two) else { continue }
        let between = own.filter { origin($0.two) == child }
        let isWhole = key.columns.allSatisfy { column in
          between.contains { $0.one == column }
        }
        if !isWhole || found.contains(where: { $0.parent == first && origin($0.child) == child }) {
          continue
        }
        found.append(
          KeyMatch(
            parent: first, child: candidate.two, conditions: between.map(\.place),
            share: 1 / max(key.rows, 1)))
      }
    }
    return found
  }

  private func origin(_ column: ColumnID) -> ColumnID? { columns[column]?.origin?.scan }
}

extension BoundExpression {
  /// The column that the condition holds equal to a constant or to one of a list of constants.
  var columnWithValues: ColumnID? {
    if case .comparison(.equal, let left, let right) = self {
      return right.asConstant == nil ? nil : left.asColumn
    }
    if case .inList(let operand, let list, negated: false) = self {
      return list.allSatisfy { $0.asConstant != nil } ? operand.asColumn : nil
    }
    return nil
  }
}
