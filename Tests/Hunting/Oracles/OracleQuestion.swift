/// A question whose answer can be told to be wrong without knowing the right one.
struct OracleQuestion {
  enum Oracle: String {
    /// Tables with keys and tables without give the same.
    case keys
    /// One thread gives what several do.
    case threads
    /// A database opened anew gives what it gave before.
    case reopened
    /// PostgreSQL gives the same.
    case peer
    /// The rows for which a condition is true, false and NULL are all rows.
    case parts, distinctParts, groupedParts
    /// As many rows are left by a condition as it is true for.
    case truths
  }

  var oracle: Oracle
  /// A query; or what is selected, its FROM clause, and a condition.
  var texts: [String]
  /// The shape of the query, for the count.
  var shape = ""

  /// The two statements whose answers are to be the same; only one where the same is asked twice.
  var statements: [String] {
    guard texts.count == 3 else { return texts }
    let (list, from, condition) = (texts[0], texts[1], texts[2])
    let conditions = [condition, "NOT (\(condition))", "(\(condition)) IS NULL"]
    switch oracle {
    case .parts, .distinctParts:
      let distinct = oracle == .parts ? "" : "DISTINCT "
      let parts = conditions.map { "SELECT \(distinct)\(list) FROM \(from) WHERE \($0)" }
      return [
        "SELECT \(distinct)\(list) FROM \(from)",
        parts.joined(separator: oracle == .parts ? " UNION ALL " : " UNION "),
      ]
    case .groupedParts:
      let measures = "count(*) AS n, count(m) AS c, min(m) AS l, max(m) AS h"
      func grouped(_ ending: String) -> String {
        "SELECT g, \(measures) FROM (SELECT \(list) FROM \(from)\(ending)) i(g, m) GROUP BY g"
      }
      let parts = conditions.map { grouped(" WHERE \($0)") }.joined(separator: " UNION ALL ")
      return [
        grouped(""),
        "SELECT g, sum(n)::bigint, sum(c)::bigint, min(l), max(h) FROM (\(parts)) p GROUP BY g",
      ]
    default:
      return [
        "SELECT count(*) FROM \(from) WHERE \(condition)",
        "SELECT coalesce(sum(CASE WHEN \(condition) THEN 1 ELSE 0 END), 0) FROM \(from)",
      ]
    }
  }
}

extension QueryMaker {
  /// A question that has its oracle in itself.
  mutating func selfContained() -> OracleQuestion {
    let oracle = random.pick([OracleQuestion.Oracle.parts, .distinctParts, .groupedParts, .truths])
    let from = source(2)
    let condition = predicate(from.columns, 2)
    var list: [Column]
    if oracle == .groupedParts {
      let measured = from.columns.filter(\.type.hasExtremes)
      guard let one = measured.randomElement(using: &random) else { return selfContained() }
      list = [random.pick(from.columns), one]
    } else {
      list = random.sample(from.columns, number(1...3))
    }
    let text = list.map(\.text).joined(separator: ", ")
    return OracleQuestion(
      oracle: oracle, texts: [text, from.text, condition], shape: oracle.rawValue)
  }
}
