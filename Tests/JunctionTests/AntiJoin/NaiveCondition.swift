/// A row of a small table; nil is NULL.
typealias NaiveRow = [Int?]

/// NOT, AND and OR of three truth values, nil among them as the unknown one, written out as SQL has them.
enum Truth {
  static func not(_ value: Bool?) -> Bool? { value.map { !$0 } }

  static func all(_ values: [Bool?]) -> Bool? {
    if values.contains(false) { return false }
    return values.contains(nil) ? nil : true
  }

  static func any(_ values: [Bool?]) -> Bool? {
    if values.contains(true) { return true }
    return values.contains(nil) ? nil : false
  }

  /// What a query shows of it.
  static func text(_ value: Bool?) -> String {
    guard let value else { return "NULL" }
    return value ? "t" : "f"
  }
}

/// A value in a condition over a row of `t` and one of `u`.
enum NaiveTerm {
  case t(Int)
  case u(Int)
  case constant(Int?)

  static let columns = ["a", "b", "c"]

  func value(_ t: NaiveRow, _ u: NaiveRow) -> Int? {
    switch self {
    case .t(let column): t[column]
    case .u(let column): u[column]
    case .constant(let value): value
    }
  }

  var sql: String {
    switch self {
    case .t(let column): "t.\(Self.columns[column])"
    case .u(let column): "u.\(Self.columns[column])"
    case .constant(let value): AntiJoinDatabase.mark(value)
    }
  }
}

/// A condition, evaluated in the plainest way there is.
indirect enum NaiveCondition {
  case compare(String, NaiveTerm, NaiveTerm)
  case isNull(NaiveTerm, negated: Bool)
  case distinct(NaiveTerm, NaiveTerm, negated: Bool)
  case all([NaiveCondition])
  case any([NaiveCondition])

  func truth(_ t: NaiveRow, _ u: NaiveRow) -> Bool? {
    switch self {
    case .compare(let comparison, let one, let two):
      return Self.compare(comparison, one.value(t, u), two.value(t, u))
    case .isNull(let term, let negated): return (term.value(t, u) == nil) != negated
    case .distinct(let one, let two, let negated):
      return (one.value(t, u) != two.value(t, u)) != negated
    case .all(let list): return Truth.all(list.map { $0.truth(t, u) })
    case .any(let list): return Truth.any(list.map { $0.truth(t, u) })
    }
  }

  static func compare(_ comparison: String, _ one: Int?, _ two: Int?) -> Bool? {
    guard let one, let two else { return nil }
    return switch comparison {
    case "=": one == two
    case "<>": one != two
    case "<": one < two
    case "<=": one <= two
    case ">": one > two
    default: one >= two
    }
  }

  var sql: String {
    switch self {
    case .compare(let comparison, let one, let two): "\(one.sql) \(comparison) \(two.sql)"
    case .isNull(let term, let negated): "\(term.sql) IS \(negated ? "NOT " : "")NULL"
    case .distinct(let one, let two, let negated):
      "\(one.sql) IS \(negated ? "NOT " : "")DISTINCT FROM \(two.sql)"
    case .all(let list): list.isEmpty ? "true" : Self.joined(list, " AND ")
    case .any(let list): list.isEmpty ? "false" : Self.joined(list, " OR ")
    }
  }

  private static func joined(_ list: [NaiveCondition], _ word: String) -> String {
    "(" + list.map(\.sql).joined(separator: word) + ")"
  }
}

extension NaiveCondition {
  /// A condition over both rows, over one of them or over none.
  static func random(_ random: inout GraphRandom, ofT: Bool = true) -> NaiveCondition {
    func term(_ random: inout GraphRandom) -> NaiveTerm {
      switch random.below(ofT ? 8 : 5) {
      case 0: .constant(random.chance(10) ? nil : random.below(4))
      case 1...4: .u(random.below(3))
      default: .t(random.below(3))
      }
    }
    switch random.below(10) {
    case 0...5:
      return .compare(
        random.pick(["=", "<>", "<", "<=", ">", ">="]), .u(random.below(3)), term(&random))
    case 6: return .isNull(term(&random), negated: random.chance(50))
    case 7: return .distinct(.u(random.below(3)), term(&random), negated: random.chance(50))
    case 8: return .any([.random(&random, ofT: ofT), .random(&random, ofT: ofT)])
    default: return .all([.random(&random, ofT: ofT), .random(&random, ofT: ofT)])
    }
  }
}
