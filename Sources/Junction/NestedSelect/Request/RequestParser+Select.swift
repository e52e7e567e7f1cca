/// Select lists: `id, alias:name::text, ...parent(*), children!hint!inner(id)`.
extension RequestParser {
  /// A whole select list; closing parentheses too many at its end are passed over.
  static func items(_ text: String) throws(NestedSelectError) -> [RequestItem] {
    var parser = RequestParser("select parameter", text)
    let items = try parser.parseItems()
    while parser.take(")") {}
    parser.skipBlanks()
    if !parser.isAtEnd { throw parser.unexpected(expecting: "\",\" or end of input") }
    return items
  }

  /// Entries up to a closing parenthesis or the end; there may be none.
  private mutating func parseItems() throws(NestedSelectError) -> [RequestItem] {
    skipBlanks()
    if isAtEnd || at(")") { return [] }
    var items = [try parseItem()]
    while take(",") { items.append(try parseItem()) }
    return items
  }

  private mutating func parseItem() throws(NestedSelectError) -> RequestItem {
    skipBlanks()
    if take("...") {
      return .embed(try parseEmbed(name: try parseName(), alias: nil, isSpread: true))
    }
    if take("*") {
      try expectEnd()
      return .column(RequestColumn(field: RequestField(name: "*")))
    }
    let start = index
    var name = try parseName()
    var alias: String?
    if at(":") && !at("::") {
      advance()
      skipBlanks()
      alias = name
      name = try parseName()
    }
    let isCount = name == RequestColumn.Aggregate.count.rawValue && at("()")
    if !isCount, at("!") || at("(") {
      return .embed(try parseEmbed(name: name, alias: alias, isSpread: false))
    }
    if alias == nil { restore(to: start) }
    return .column(try parseColumn(name: alias == nil ? try parseName() : name, alias: alias))
  }

  /// What follows the name of an embed.
  private mutating func parseEmbed(
    name: String, alias: String?, isSpread: Bool
  ) throws(NestedSelectError) -> RequestEmbed {
    var embed = RequestEmbed(
      name: name, alias: alias, hint: nil, join: nil, isSpread: isSpread, items: [])
    var parameterCount = 0
    while parameterCount < 2, take("!") {
      parameterCount += 1
      switch try parseName() {
      case "inner": embed.join = .inner
      case "left": embed.join = .left
      case let hint: embed.hint = hint
      }
    }
    try expect("(", "\"(\"")
    embedCount += 1
    if embedCount > Self.embedCountMax {
      throw failure("more than \(Self.embedCountMax) embedded resources")
    }
    try enter()
    embed.items = try parseItems()
    depth -= 1
    skipBlanks()
    try expect(")", "\",\" or \")\"")
    skipBlanks()
    return embed
  }

  /// What follows the name of a column, or that of `count()`.
  private mutating func parseColumn(
    name: String, alias: String?
  ) throws(NestedSelectError) -> RequestColumn {
    var column = RequestColumn(alias: alias)
    if at("()") {
      // Only `count` comes here with parentheses.
      advance()
      advance()
      column.aggregate = .count
    } else {
      column.field = RequestField(name: name, path: try parseJSONPath())
      column.cast = try parseCast()
      if take(".") { column.aggregate = try parseAggregate() }
    }
    if column.aggregate != nil { column.aggregateCast = try parseCast() }
    try expectEnd()
    return column
  }

  private mutating func parseCast() throws(NestedSelectError) -> String? {
    take("::") ? try parseName() : nil
  }

  private mutating func parseAggregate() throws(NestedSelectError) -> RequestColumn.Aggregate {
    for aggregate in RequestColumn.Aggregate.allCases {
      let start = index
      let word = take { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: ",") }
      if word == aggregate.rawValue, take("()") { return aggregate }
      restore(to: start)
    }
    throw unexpected(expecting: "aggregate function (avg, count, max, min, sum) with \"()\"")
  }

  private mutating func expectEnd() throws(NestedSelectError) {
    skipBlanks()
    if !isAtEnd && !at(",") && !at(")") {
      throw unexpected(expecting: "\"->\", \"::\", \".\", \",\", \")\" or end of input")
    }
  }
}
