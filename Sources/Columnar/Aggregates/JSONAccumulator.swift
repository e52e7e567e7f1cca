package import Diagnostics

/// `json_agg`, `jsonb_agg`, `json_object_agg` and `jsonb_object_agg`: NULLs are kept as `null`.
///
/// With one argument a group becomes an array, with two an object of keys and values.
package final class JSONAccumulator: AggregateAccumulator {
  private var rows: CollectedRows
  private var sorted: CollectedRows.Sorted?
  private let shapes: [JSONShape]
  private let style: JSONStyle

  package init(_ types: [LogicalType], _ style: JSONStyle) {
    self.style = style
    shapes = types.map { JSONShape($0) }
    rows = CollectedRows(types)
  }

  package var byteCount: Int { rows.byteCount }

  package func grow(to groupCount: Int) { rows.grow(to: groupCount) }

  /// - Throws: 22023 for a key that is NULL.
  package func update(
    groups: Buffer<UInt32>?, arguments: [Vector], count: Int
  ) throws(SQLError) {
    if shapes.count > 1, arguments[0].mayHaveNulls {
      for row in 0..<count where !arguments[0].isValid(row) {
        throw SQLError(.invalidParameterValue, "field name must not be null")
      }
    }
    try rows.append(arguments, groups: groups, count: count)
  }

  package func merge(
    _ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int
  ) throws(SQLError) {
    guard let other = other as? JSONAccumulator else { return }
    try rows.append(other.rows, mapping: groups)
  }

  package func results(_ range: Range<Int>) throws(SQLError) -> Vector {
    let sorted: CollectedRows.Sorted
    if let known = self.sorted { sorted = known } else { sorted = try rows.sorted() }
    self.sorted = sorted
    let writer = JSONWriter(style)
    var members = JSONMembers()
    var builder = VectorBuilder(style.type, capacity: range.count)
    var text = ByteBuilder()
    for group in range {
      let places = sorted.range(of: group)
      if places.isEmpty {
        builder.appendNull()
        continue
      }
      text.removeAll()
      if shapes.count == 1 {
        try appendArray(sorted, places, writer, &text)
      } else if style == .json {
        try appendObject(sorted, places, writer, &text)
      } else {
        members.removeAll()
        for place in places {
          if place & 0x3FF == 0 { try RunningStatement.check() }
          let row = Int(sorted.rows[place])
          members.beginMember()
          try writer.appendKey(row, of: sorted.columns[0], shapes[0], to: &members.bytes)
          members.endKey()
          try writer.append(row, of: sorted.columns[1], shapes[1], to: &members.bytes)
          members.endMember()
          try Self.check(members.bytes.count)
        }
        members.append(to: &text)
      }
      try JSONText.checkDepth(text.bytes)
      builder.append(text.bytes)
    }
    return builder.finish()
  }

  private func appendArray(
    _ sorted: CollectedRows.Sorted, _ places: Range<Int>, _ writer: JSONWriter,
    _ text: inout ByteBuilder
  ) throws(SQLError) {
    let values = sorted.columns[0]
    let breaksLines = style == .json && shapes[0].isCompound
    text.append(UInt8(ascii: "["))
    for place in places {
      if place & 0x3FF == 0 { try RunningStatement.check() }
      let row = Int(sorted.rows[place])
      if place > places.lowerBound {
        text.append(", ")
        if breaksLines && values.validity.isValid(row) { text.append("\n ") }
      }
      try writer.append(row, of: values, shapes[0], to: &text)
      try Self.check(text.count)
    }
    text.append(UInt8(ascii: "]"))
  }

  private func appendObject(
    _ sorted: CollectedRows.Sorted, _ places: Range<Int>, _ writer: JSONWriter,
    _ text: inout ByteBuilder
  ) throws(SQLError) {
    var key = ByteBuilder()
    text.append("{ ")
    for place in places {
      if place & 0x3FF == 0 { try RunningStatement.check() }
      let row = Int(sorted.rows[place])
      if place > places.lowerBound { text.append(", ") }
      key.removeAll()
      try writer.appendKey(row, of: sorted.columns[0], shapes[0], to: &key)
      JSONText.append(quoting: key.bytes, to: &text)
      text.append(" : ")
      try writer.append(row, of: sorted.columns[1], shapes[1], to: &text)
      try Self.check(text.count)
    }
    text.append(" }")
  }

  /// - Throws: 54000 for more text than a value may have.
  private static func check(_ count: Int) throws(SQLError) {
    guard count < TextLoop.byteCountMax else {
      throw SQLError(
        .programLimitExceeded, "JSON aggregate result of more than 256 MB",
        hint: "Aggregate fewer rows into one value.")
    }
  }
}
