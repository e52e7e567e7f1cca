extension RelationProfile {
  /// The profile of a join's rows.
  package static func join(
    _ kind: JoinPlan.Kind, _ left: RelationProfile, _ right: RelationProfile,
    on conditions: [BoundExpression]
  ) -> RelationProfile {
    let both = left.merging(right, rows: max(left.rows, right.rows))
    let rows = joinedRows(kind, left, right, both: both, on: conditions)
    switch kind {
    case .inner:
      return both.determined(right, by: conditions).determined(left, by: conditions)
        .scaled(to: rows)
    case .left, .single: return both.determined(right, by: conditions).scaled(to: rows)
    case .right, .full: return both.scaled(to: rows)
    case .semi, .anti: return left.scaled(to: rows)
    case .mark(let column):
      var result = left
      result.columns[column.id] = ColumnProfile(distinctCount: 2, nullFraction: 0)
      return result
    }
  }

  /// Notes of a side's tables by what a join finds their rows.
  private func determined(
    _ side: RelationProfile, by conditions: [BoundExpression]
  ) -> RelationProfile {
    var result = self
    for condition in conditions {
      guard case .comparison(.equal, let left, let right) = condition, let one = left.asColumn,
        let two = right.asColumn
      else { continue }
      for (key, other) in [(one, two), (two, one)] where side.columns[other] == nil {
        guard let found = side.columns[key], found.isKey, let origin = found.origin else {
          continue
        }
        result.determinants.append((origin.scan, other))
      }
    }
    return result
  }

  /// The number of a join's rows; `both` has the columns of both sides.
  static func joinedRows(
    _ kind: JoinPlan.Kind, _ left: RelationProfile, _ right: RelationProfile,
    both: RelationProfile, on conditions: [BoundExpression]
  ) -> Double {
    switch kind {
    case .single, .mark: return left.rows
    case .semi, .anti:
      let matched = matchedShare(left, right, conditions)
      return left.rows * (kind.isAnti ? max(1 - matched, 0.01) : matched)
    case .inner, .left, .right, .full: break
    }
    var wide = both
    wide.rows = max(left.rows, right.rows)
    let match = wide.keyMatches(conditions).first
    var share = match?.share ?? 1
    for (place, condition) in conditions.enumerated()
    where !(match?.conditions.contains(place) ?? false) {
      share *= min(wide.selectivity(of: condition), greatestShare(left, right, condition))
    }
    let pairs = conditions.reduce(left.rows * right.rows * share) {
      min($0, mostPairs(left, right, $1))
    }
    switch kind {
    case .left: return max(pairs, left.rows)
    case .right: return max(pairs, right.rows)
    case .full: return max(pairs, left.rows, right.rows)
    case .inner, .single, .semi, .anti, .mark: return max(pairs, min(left.rows, right.rows, 1))
    }
  }

  /// The share of pairs in which two columns are equal if all values of the side with fewer are among those of the other.
  private static func greatestShare(
    _ left: RelationProfile, _ right: RelationProfile, _ condition: BoundExpression
  ) -> Double {
    guard case .comparison(.equal, let first, let second) = condition,
      let one = first.asColumn, let two = second.asColumn
    else { return 1 }
    let (own, other) = left.columns[one] != nil ? (one, two) : (two, one)
    guard left.columns[own] != nil, right.columns[other] != nil else { return 1 }
    return commonSkew((left, own), (right, other))
      / max(left.distinctCount(own), right.distinctCount(other))
  }

  /// As many pairs as there are at most: a row finds at most one of a table whose key is equal to it.
  private static func mostPairs(
    _ left: RelationProfile, _ right: RelationProfile, _ condition: BoundExpression
  ) -> Double {
    guard case .comparison(.equal, let first, let second) = condition,
      let one = first.asColumn, let two = second.asColumn
    else { return .infinity }
    return min(
      left.mostPairs(by: one, with: right.rows), right.mostPairs(by: one, with: left.rows),
      left.mostPairs(by: two, with: right.rows), right.mostPairs(by: two, with: left.rows))
  }

  /// As many pairs as so many other rows make at most if they name rows by a column.
  private func mostPairs(by id: ColumnID, with others: Double) -> Double {
    // Below a join a row of the table may come several times.
    guard let column = columns[id], column.isKey, let origin = column.origin,
      rows <= max(origin.rows, 1)
    else { return .infinity }
    return others
  }

  /// The share of a table's rows that are left, if a column is its key.
  private func keptShare(of key: ColumnID) -> Double? {
    guard let column = columns[key], column.isKey, let origin = column.origin, origin.rows > 0,
      rows <= origin.rows
    else { return nil }
    return distinctCount(key) / origin.rows
  }

  /// The share of left rows that find a match.
  private static func matchedShare(
    _ left: RelationProfile, _ right: RelationProfile, _ conditions: [BoundExpression]
  ) -> Double {
    if right.rows < 0.5 { return 0 }
    // The right side is there, and may match more than a guess of so few rows says.
    let right = right.scaled(to: max(right.rows, 1))
    var share = 1.0
    var isFound = false
    // What is expected of rows that have nothing to do with each other.
    var (expected, crossed) = (right.rows, 0)
    for condition in conditions {
      guard case .comparison(.equal, let first, let second) = condition,
        let one = first.asColumn, let two = second.asColumn
      else { continue }
      let (own, other) = left.columns[one] != nil ? (one, two) : (two, one)
      // Conditions on other columns leave some rows of all that might be named, and not those that are.
      let all = max(left.columns[own]?.distinctCount ?? 1, left.distinctCount(own))
      share = min(
        share,
        commonSkew((left, own), (right, other)) * right.distinctCount(other) / all)
      // Of the rows of a table that are named, a filter keeps as many as of all its rows.
      if let kept = right.keptShare(of: other) { share = min(share, kept) }
      isFound = true
      expected /= max(left.distinctCount(own), right.distinctCount(other))
      if let first = left.columns[own]?.stored, let second = right.columns[other]?.stored,
        first.isOfTable(of: second), !first.isSame(as: second)
      {
        crossed += 1
      }
    }
    // Who names a row of another table names one that is there; columns of one table that are compared crosswise, as the two ends
    // of friendships are, seldom do.
    if crossed > 1 { share = min(share, expected) }
    if isFound { return min(1, share) }
    return conditions.isEmpty ? 1 : 0.5
  }
}

extension JoinPlan.Kind {
  fileprivate var isAnti: Bool {
    if case .anti = self { return true }
    return false
  }
}
