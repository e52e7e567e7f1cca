extension Value {
  /// The number that a value of some physical type is kept as, in the lower bytes of a word; nil for NULL and longer values.
  fileprivate func word(of type: PhysicalType) -> Int64? {
    switch (self, type) {
    case (.int16(let number), .int16): Int64(number)
    case (.int32(let number), .int32): Int64(number)
    case (.int64(let number), .int64): number
    case (.double(let number), .double): Int64(bitPattern: number.bitPattern)
    case (.null, _), (.boolean, _), (.int16, _), (.int32, _), (.int64, _), (.float, _),
      (.double, _), (.numeric, _), (.text, _), (.interval, _), (.uuid, _), (.list, _), (.record, _):
      nil
    }
  }
}

extension Vector {
  /// A vector whose every row is `value`.
  package init(constant value: Value, type: LogicalType, count: Int) {
    if let word = value.word(of: type.physical) {
      let storage = MemoryBlock(byteCount: MemoryLayout<Int64>.stride)
      // The lower bytes of a word come first.
      storage.buffer(of: Int64.self)[0] = word.littleEndian
      self.init(type: type, count: count, form: .constant, storage: storage)
      return
    }
    var builder = VectorBuilder(type, capacity: 1)
    builder.append(value)
    let one = builder.finish()
    self.init(
      type: type, count: count, form: .constant, storage: one.storage, validity: one.validity,
      children: one.children, heaps: one.heaps)
  }

  /// A vector whose every row is NULL.
  package static func null(_ type: LogicalType, count: Int) -> Vector {
    Vector(constant: .null, type: type, count: count)
  }

  /// The values of `rows`, one after another.
  package init(_ type: LogicalType, _ rows: [Value]) {
    var builder = VectorBuilder(type, capacity: rows.count)
    for row in rows { builder.append(row) }
    self = builder.finish()
  }

  /// Row `row` of a vector of whole numbers; nil for NULL, and for other values.
  package func wholeNumber(at row: Int) -> Int64? {
    let position = position(row)
    guard validity.isValid(position) else { return nil }
    switch type.physical {
    case .int16: return Int64(values(Int16.self)[position])
    case .int32: return Int64(values(Int32.self)[position])
    case .int64: return values(Int64.self)[position]
    case .bool, .float, .double, .numeric, .interval, .uuid, .text, .list, .record: return nil
    }
  }

  /// Row `row` by itself; for the edges of a query, never for data in bulk.
  package func value(at row: Int) -> Value {
    let position = position(row)
    guard validity.isValid(position) else { return .null }
    switch type.physical {
    case .bool: return .boolean(values(UInt8.self)[position] != 0)
    case .int16: return .int16(values(Int16.self)[position])
    case .int32: return .int32(values(Int32.self)[position])
    case .int64: return .int64(values(Int64.self)[position])
    case .float: return .float(values(Float.self)[position])
    case .double: return .double(values(Double.self)[position])
    case .numeric: return .numeric(numeric(at: position))
    case .interval: return .interval(values(Interval.self)[position])
    case .uuid: return .uuid(values(UUIDValue.self)[position])
    case .text: return .text(values(TextView.self)[position].bytes)
    case .list:
      let slice = values(ListSlice.self)[position]
      let elements = children[0]
      return .list((0..<Int(slice.count)).map { elements.value(at: Int(slice.offset) + $0) })
    case .record: return .record(children.map { $0.value(at: position) })
    }
  }
}
