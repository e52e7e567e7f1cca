/// Calls and windows.
extension SQLPrinter {
  mutating func write(_ call: FunctionCall) {
    let values = call.arguments.map(\.value)
    if dialect == .spark { return writeOrdinary(call) }
    switch call.notation {
    case .atTimeZone where values.count == 2: return writeAtTimeZone(values[1], values[0])
    case .extract where values.count == 2:
      put("EXTRACT(")
      write(values[0])
      put(" FROM ")
      write(values[1])
      return put(")")
    case .substring where values.count >= 2:
      return writeWords("SUBSTRING", values, [" FROM ", " FOR "])
    case .substringSimilar where values.count == 3:
      return writeWords("SUBSTRING", values, [" SIMILAR ", " ESCAPE "])
    case .overlay where values.count >= 3:
      return writeWords("OVERLAY", values, [" PLACING ", " FROM ", " FOR "])
    case .position where values.count == 2:
      put("POSITION((")
      write(values[1])
      put(") IN (")
      write(values[0])
      return put("))")
    case .trim: return writeTrim(call.name.name, values)
    case .normalize:
      put("NORMALIZE(")
      write(values[0])
      if values.count > 1, case .literal(.string(let form)) = values[1].kind { put(", " + form) }
      return put(")")
    case .collationFor:
      put("COLLATION FOR (")
      writeList(values)
      return put(")")
    case .ordinary, .extract, .substring, .substringSimilar, .position, .overlay, .atTimeZone:
      writeOrdinary(call)
    }
  }

  private mutating func writeWords(_ name: String, _ values: [Expression], _ words: [String]) {
    put(name + "(")
    for (index, value) in values.enumerated() {
      if index > 0 { put(words[index - 1]) }
      write(value)
    }
    put(")")
  }

  private mutating func writeTrim(_ name: String, _ values: [Expression]) {
    let side = name == "ltrim" ? "LEADING" : name == "rtrim" ? "TRAILING" : "BOTH"
    put("TRIM(\(side) FROM ")
    writeList(values)
    put(")")
  }

  private mutating func writeOrdinary(_ call: FunctionCall) {
    writeFunctionName(call.name)
    put("(")
    if call.isStar { put("*") }
    if call.isDistinct { put("DISTINCT ") }
    for (index, argument) in call.arguments.enumerated() {
      if index > 0 { put(", ") }
      if argument.isVariadic { put("VARIADIC ") }
      if let name = argument.name {
        write(name)
        put(" => ")
      }
      write(argument.value)
    }
    if !call.orderBy.isEmpty, !call.isWithinGroup { writeOrderBy(call.orderBy, " ") }
    put(")")
    if call.isWithinGroup {
      put(" WITHIN GROUP (")
      writeOrderBy(call.orderBy, "")
      put(")")
    }
    if let filter = call.filter {
      put(" FILTER (WHERE ")
      write(filter)
      put(")")
    }
    switch call.over {
    case nil: break
    case .named(let name):
      put(" OVER ")
      write(name)
    case .inline(let window):
      put(" OVER ")
      write(window)
    }
  }

  /// A function's name: key words that no column may be named by are functions' names without quotes.
  private mutating func writeFunctionName(_ name: QualifiedName) {
    if dialect == .spark { return put(name.name) }
    if name.parts.count == 1, let keyword = Keyword(name.name),
      keyword.category == .typeOrFunctionName || name.name == "substring"
        || name.name == "overlay"
    {
      return put(name.name)
    }
    write(name)
  }

  mutating func writeOrderBy(_ keys: [SortItem], _ space: String) {
    put(space + "ORDER BY ")
    for (index, key) in keys.enumerated() {
      if index > 0 { put(", ") }
      write(key.expression)
      if let symbol = key.usingOperator {
        put(" USING ")
        write(symbol)
      } else if key.isDescending {
        put(" DESC")
      }
      if let nulls = key.nulls { put(" NULLS " + nulls.rawValue) }
    }
  }

  mutating func write(_ window: WindowSpecification) {
    put("(")
    var space = ""
    if let base = window.base {
      write(base)
      space = " "
    }
    if !window.partitionBy.isEmpty {
      put(space + "PARTITION BY ")
      writeList(window.partitionBy)
      space = " "
    }
    if !window.orderBy.isEmpty {
      writeOrderBy(window.orderBy, space)
      space = " "
    }
    if let frame = window.frame {
      put(space + frame.unit.rawValue + " ")
      if frame.isBetween {
        put("BETWEEN ")
        write(frame.start)
        put(" AND ")
        write(frame.end)
      } else {
        write(frame.start)
      }
      if frame.exclusion != .noOthers { put(" EXCLUDE " + frame.exclusion.rawValue) }
    }
    put(")")
  }

  private mutating func write(_ bound: WindowFrame.Bound) {
    switch bound {
    case .unboundedPreceding: put("UNBOUNDED PRECEDING")
    case .currentRow: put("CURRENT ROW")
    case .unboundedFollowing: put("UNBOUNDED FOLLOWING")
    case .preceding(let offset):
      write(offset)
      put(" PRECEDING")
    case .following(let offset):
      write(offset)
      put(" FOLLOWING")
    }
  }
}
