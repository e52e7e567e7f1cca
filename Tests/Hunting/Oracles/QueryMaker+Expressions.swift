import SimulatedDisk

extension QueryMaker {
  private func fitting(_ columns: [Column], _ type: HuntType) -> [Column] {
    columns.filter { $0.type == type }
  }

  /// An expression of a type.
  mutating func expression(_ type: HuntType, _ columns: [Column], _ depth: Int) -> String {
    let candidates = fitting(columns, type)
    let roll = random.below(100)
    if depth <= 0 || roll < 45 {
      if let column = candidates.randomElement(using: &random), random.chance(80) {
        return column.text
      }
      return literal(type)
    }
    switch roll {
    case 45..<52:
      return
        "CASE WHEN \(predicate(columns, depth - 1)) THEN \(expression(type, columns, depth - 1)) ELSE \(expression(type, columns, depth - 1)) END"
    case 52..<58:
      return
        "coalesce(\(expression(type, columns, depth - 1)), \(expression(type, columns, depth - 1)))"
    case 58..<62:
      return
        "nullif(\(expression(type, columns, depth - 1)), \(expression(type, columns, depth - 1)))"
    case 62..<66 where type != .boolean:
      return
        "\(random.pick(["greatest", "least"]))(\(expression(type, columns, depth - 1)), \(expression(type, columns, depth - 1)))"
    case 66..<74: return scalarSubquery(type, columns, depth - 1)
    default: return computed(type, columns, depth)
    }
  }

  private mutating func computed(_ type: HuntType, _ columns: [Column], _ depth: Int) -> String {
    func inner(_ type: HuntType) -> String { expression(type, columns, depth - 1) }
    switch type {
    case .integer where random.chance(20): return "length(\(inner(.text)))"
    case .integer where random.chance(15): return "(\(inner(.date)) - \(inner(.date)))"
    case .integer, .bigint: return "(\(inner(type)) \(random.pick(["+", "-", "*"])) \(inner(type)))"
    case .text:
      switch random.below(4) {
      case 0: return "(\(inner(.text)) || \(inner(.text)))"
      case 1: return "upper(\(inner(.text)))"
      case 2: return "substr(\(inner(.text)), \(number(0...9)), \(number(1...14)))"
      default: return "(\(inner(.integer)))::text"
      }
    case .date: return "(\(inner(.date)) + \(number(-3...3)))"
    case .numeric:
      return "round(\(inner(.numeric)) \(random.pick(["+", "-"])) \(inner(.integer)), 2)"
    case .boolean: return "(\(predicate(columns, depth - 1)))"
    default: return fitting(columns, type).randomElement(using: &random)?.text ?? literal(type)
    }
  }

  private mutating func scalarSubquery(_ type: HuntType, _ columns: [Column], _ depth: Int)
    -> String
  {
    let from = source(0)
    let condition = correlation(from.columns, columns, depth)
    if type == .bigint && random.chance(50) {
      return "(SELECT count(*) FROM \(from.text)\(condition))"
    }
    guard type.hasExtremes,
      let column = fitting(from.columns, type).randomElement(using: &random)
    else { return literal(type) }
    if random.chance(50) {
      return "(SELECT \(random.pick(["min", "max"]))(\(column.text)) FROM \(from.text)\(condition))"
    }
    return
      "(SELECT \(column.text) FROM \(from.text)\(condition) ORDER BY \(column.text) \(random.pick(["", "DESC"])) LIMIT 1)"
  }

  /// A condition, which may be NULL.
  mutating func predicate(_ columns: [Column], _ depth: Int) -> String {
    let type = columns.randomElement(using: &random)?.type ?? .integer
    let roll = random.below(100)
    if depth > 0, roll < 49 {
      switch roll {
      case 0..<14:
        return
          "(\(predicate(columns, depth - 1)) \(random.pick(["AND", "OR"])) \(predicate(columns, depth - 1)))"
      case 14..<19: return "NOT (\(predicate(columns, depth - 1)))"
      case 19..<30:
        let from = source(0)
        return
          "\(random.pick(["", "NOT "]))EXISTS (SELECT \(random.pick(["1", "*", "NULL"])) FROM \(from.text)\(correlation(from.columns, columns, depth - 1)))"
      case 30..<41: if let text = membership(type, columns, depth) { return text }
      case 41..<46: if let text = rowMembership(columns) { return text }
      default:
        if type.hasExtremes {
          return
            "\(scalarSubquery(type, columns, depth - 1)) \(random.pick(["=", "<", ">"])) \(expression(type, columns, 1))"
        }
      }
    }
    return plainPredicate(type, columns, min(depth, 1))
  }

  private mutating func plainPredicate(_ type: HuntType, _ columns: [Column], _ depth: Int)
    -> String
  {
    let left = expression(type, columns, depth)
    switch random.below(40) {
    case 0..<9: return "\(left) IS \(random.pick(["", "NOT "]))NULL"
    case 9..<14:
      let list = (0..<number(1...4)).map { _ in random.chance(90) ? literal(type) : "NULL" }
      return "\(left) \(random.pick(["", "NOT "]))IN (\(list.joined(separator: ", ")))"
    case 14..<18 where type != .boolean:
      return "\(left) \(random.pick(["", "NOT "]))BETWEEN \(literal(type)) AND \(literal(type))"
    case 18..<22:
      return
        "\(left) IS \(random.pick(["", "NOT "]))DISTINCT FROM \(expression(type, columns, depth))"
    case 22..<25:
      guard let text = fitting(columns, .text).randomElement(using: &random) else { fallthrough }
      let pattern = random.pick([
        "a%", "%B", "%", "_", "a_", "%é%", "", "abcdef_%", "%1", "abcdefgh%",
      ])
      return "\(text.text) \(random.pick(["LIKE", "NOT LIKE", "ILIKE"])) '\(pattern)'"
    case 25..<28:
      guard let flag = fitting(columns, .boolean).randomElement(using: &random) else { fallthrough }
      return flag.text + random.pick(["", " IS TRUE", " IS NOT FALSE", " IS UNKNOWN"])
    default:
      let sign = random.pick(["=", "=", "=", "<", "<=", ">", ">=", "<>"])
      return "\(left) \(sign) \(expression(type, columns, depth))"
    }
  }

  private mutating func membership(_ type: HuntType, _ columns: [Column], _ depth: Int) -> String? {
    let from = source(random.chance(20) ? 1 : 0)
    guard let column = fitting(from.columns, type).randomElement(using: &random) else { return nil }
    let condition =
      random.chance(40)
      ? correlation(from.columns, columns, depth - 1)
      : random.chance(50) ? " WHERE \(predicate(from.columns, 0))" : ""
    let query = "(SELECT \(column.text) FROM \(from.text)\(condition))"
    let left = expression(type, columns, 1)
    let sign = random.pick(["=", "<", ">=", "<>"])
    return random.pick([
      "\(left) IN \(query)", "\(left) NOT IN \(query)", "NOT (\(left) IN \(query))",
      "\(left) \(sign) \(random.pick(["ANY", "ALL"])) \(query)",
    ])
  }

  /// `(a, b) IN (SELECT …)`.
  private mutating func rowMembership(_ columns: [Column]) -> String? {
    let from = source(0)
    let pairs = from.columns.flatMap { one in
      columns.filter { $0.type == one.type }.map { (one, $0) }
    }
    guard pairs.count > 1 else { return nil }
    let some = random.sample(pairs, number(2...3))
    let left = some.map(\.1.text).joined(separator: ", ")
    let right = some.map(\.0.text).joined(separator: ", ")
    return "(\(left)) \(random.pick(["IN", "NOT IN"])) (SELECT \(right) FROM \(from.text))"
  }
}
