/// Orders: `name.desc.nullslast,data->a,projects(id).asc`.
extension RequestParser {
  static func orders(_ text: String) throws(NestedSelectError) -> [RequestOrder] {
    var parser = RequestParser("order", text)
    var orders: [RequestOrder] = []
    repeat {
      parser.skipBlanks()
      orders.append(try parser.parseOrder())
      parser.skipBlanks()
    } while parser.take(",")
    if !parser.isAtEnd { throw parser.unexpected(expecting: "\",\" or end of input") }
    return orders
  }

  private mutating func parseOrder() throws(NestedSelectError) -> RequestOrder {
    let name = try parseName()
    var order: RequestOrder
    if take("(") {
      order = RequestOrder(embed: name, field: try parseField())
      try expect(")", "\")\"")
    } else {
      order = RequestOrder(field: RequestField(name: name, path: try parseJSONPath()))
    }
    guard take(".") else { return order }
    if takeWord("asc") {
      order.isDescending = false
    } else if takeWord("desc") {
      order.isDescending = true
    } else {
      order.nulls = try parseNulls("\"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"")
      return order
    }
    if take(".") { order.nulls = try parseNulls("\"nullsfirst\" or \"nullslast\"") }
    return order
  }

  private mutating func parseNulls(
    _ expected: String
  ) throws(NestedSelectError) -> RequestOrder.Nulls {
    if takeWord("nullsfirst") { return .first }
    if takeWord("nullslast") { return .last }
    throw unexpected(expecting: expected)
  }

  /// Passes over a word that ends here.
  private mutating func takeWord(_ word: StaticString) -> Bool {
    let start = index
    guard take(word) else { return false }
    if isAtEnd || at(".") || at(",") || at(" ") { return true }
    restore(to: start)
    return false
  }
}
