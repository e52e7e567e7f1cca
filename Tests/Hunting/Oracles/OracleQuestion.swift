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
    /// Joins whose conditions hide that they compare keys give the same.
    case pairs
    /// The rows for which a condition is true, false and NULL are all rows.
    case parts, distinctParts, groupedParts
    /// As many rows are left by a condition as it is true for.
    case truths
    /// Rows that are members of a set are those that equal one of its rows.
    case members
    /// What two sets have in common, or the first alone, is what has an equal in the second, or none.
    case common, rest
  }

  var oracle: Oracle
  /// A query; or the parts of one, such as what is selected, its FROM clause, and a condition.
  var texts: [String]
  /// The shape of the query, for the count.
  var shape = ""

  /// What stands before a condition over two tables.
  static let mark = "matches"

  /// The condition as it is, so that keys are hashed, packed and walked along.
  private static func open(_ text: String) -> String { written(text, "") }

  /// The condition in a form in which all pairs of rows are looked at.
  private static func hidden(_ text: String) -> String { written(text, "greatest") }

  private static func written(_ text: String, _ function: String) -> String {
    text.replacing(mark + " (", with: function + "(").replacing(mark + "(", with: function + "(")
  }

  /// The two statements whose answers are to be the same; the same statement twice where something else differs.
  var statements: [String] {
    switch oracle {
    case .keys, .threads, .reopened, .peer: return texts.map(Self.open)
    case .pairs: return [Self.open(texts[0]), Self.hidden(texts[0])]
    case .members:
      let (from, left, right, set) = (texts[0], texts[1], texts[2], texts[3])
      return [
        "SELECT \(left) FROM \(from) WHERE (\(left)) IN (SELECT \(right) FROM \(set))",
        "SELECT \(left) FROM \(from) WHERE EXISTS (SELECT 1 FROM \(set) WHERE greatest((\(left)) = (\(right))))",
      ].map(Self.open)
    case .common, .rest:
      // A row equals another if neither is distinct from the other, column by column.
      let same = (0..<(Int(texts[2]) ?? 1)).map { "l.o\($0) IS NOT DISTINCT FROM r.o\($0)" }
      let exists = oracle == .common ? "EXISTS" : "NOT EXISTS"
      return [
        "\(texts[0]) \(oracle == .common ? "INTERSECT" : "EXCEPT") \(texts[1])",
        "SELECT DISTINCT * FROM (\(texts[0])) l WHERE \(exists) (SELECT 1 FROM (\(texts[1])) r WHERE greatest(\(same.joined(separator: " AND "))))",
      ].map(Self.open)
    default: return parts.map(Self.open)
    }
  }

  /// A question, and the same by parts.
  private var parts: [String] {
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
    let oracle = random.pick([
      OracleQuestion.Oracle.parts, .distinctParts, .groupedParts, .truths, .pairs, .members,
      .members, .common,
      .common, .rest,
    ])
    switch oracle {
    case .pairs: return OracleQuestion(oracle: .pairs, texts: [query(2).text], shape: "pairs")
    case .members:
      let (from, set) = (source(random.pick([0, 0, 1])), source(random.pick([0, 0, 1])))
      let pairs = from.columns.flatMap { one in
        set.columns.filter { $0.type == one.type }.map { (one, $0) }
      }
      guard pairs.count > 1 else { return selfContained() }
      let some = random.sample(pairs, number(2...3))
      func list(_ columns: [Column]) -> String { columns.map(\.text).joined(separator: ", ") }
      return OracleQuestion(
        oracle: .members, texts: [from.text, list(some.map(\.0)), list(some.map(\.1)), set.text],
        shape: "members")
    case .common, .rest:
      let offered = source(0).columns
      let types = (0..<number(1...3)).map { _ in random.pick(offered).type }
      let queries = (0..<2).map { _ in query(random.pick([0, 0, 1]), as: types).text }
      return OracleQuestion(
        oracle: oracle, texts: queries + ["\(types.count)"], shape: oracle.rawValue)
    default: break
    }
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
