import Diagnostics

/// Functions that make JSON of other values.
package enum JSONBuilding {
  /// `to_json`, `to_jsonb`, and with a second argument `row_to_json` and `array_to_json`.
  package static func convert(_ type: LogicalType, _ style: JSONStyle) -> ScalarKernel {
    let shape = JSONShape(type)
    return { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) in
      let writer = JSONWriter(style, context)
      let source = arguments[0]
      let isPretty = arguments.count > 1 ? Operand(arguments[1], UInt8.self) : nil
      return try TextLoop.build(arguments, count, style.type) {
        row, output throws(SQLError) in
        try writer.append(
          row, of: source, shape, isPretty: isPretty.map { $0[row] != 0 } ?? false, to: &output)
        try finish(output)
      }
    }
  }

  /// `json_build_array` and `jsonb_build_array`.
  package static func array(_ types: [LogicalType], _ style: JSONStyle) -> ScalarKernel {
    let shapes = types.map { JSONShape($0) }
    return { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) in
      let writer = JSONWriter(style, context)
      return try TextLoop.build(count, style.type, .allValid) { row, output throws(SQLError) in
        output.append(UInt8(ascii: "["))
        for index in arguments.indices {
          if index > 0 { output.append(", ") }
          try writer.append(row, of: arguments[index], shapes[index], to: &output)
        }
        output.append(UInt8(ascii: "]"))
        try finish(output)
      }
    }
  }

  /// `json_build_object` and `jsonb_build_object`.
  ///
  /// - Throws: 22023 for an odd number of arguments, a NULL key or one that is no scalar.
  package static func object(_ types: [LogicalType], _ style: JSONStyle) -> ScalarKernel {
    let shapes = types.map { JSONShape($0) }
    return { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) in
      guard arguments.count.isMultiple(of: 2) else {
        throw SQLError(
          .invalidParameterValue, "argument list must have even number of elements",
          hint: "The arguments of \(style.type.name)_build_object() must consist of "
            + "alternating keys and values.")
      }
      let writer = JSONWriter(style, context)
      return style == .json
        ? try jsonObjects(arguments, count, shapes, writer)
        : try jsonbObjects(arguments, count, shapes, writer)
    }
  }

  private static func jsonObjects(
    _ arguments: [Vector], _ count: Int, _ shapes: [JSONShape], _ writer: JSONWriter
  ) throws(SQLError) -> Vector {
    var key = ByteBuilder()
    return try TextLoop.build(count, .json, .allValid) { row, output throws(SQLError) in
      output.append(UInt8(ascii: "{"))
      for index in stride(from: 0, to: arguments.count, by: 2) {
        if index > 0 { output.append(", ") }
        guard arguments[index].isValid(row) else {
          throw SQLError(
            .invalidParameterValue, "argument \(index + 1) cannot be null",
            hint: "Object keys should be text.")
        }
        key.removeAll()
        try writer.appendKey(row, of: arguments[index], shapes[index], to: &key)
        JSONText.append(quoting: key.bytes, to: &output)
        output.append(" : ")
        try writer.append(row, of: arguments[index + 1], shapes[index + 1], to: &output)
      }
      output.append(UInt8(ascii: "}"))
      try finish(output)
    }
  }

  private static func jsonbObjects(
    _ arguments: [Vector], _ count: Int, _ shapes: [JSONShape], _ writer: JSONWriter
  ) throws(SQLError) -> Vector {
    var members = JSONMembers()
    return try TextLoop.build(count, .jsonb, .allValid) { row, output throws(SQLError) in
      members.removeAll()
      for index in stride(from: 0, to: arguments.count, by: 2) {
        guard arguments[index].isValid(row) else {
          throw SQLError(
            .invalidParameterValue, "argument \(index + 1): key must not be null")
        }
        members.beginMember()
        try writer.appendKey(row, of: arguments[index], shapes[index], to: &members.bytes)
        members.endKey()
        try writer.append(
          row, of: arguments[index + 1], shapes[index + 1], to: &members.bytes)
        members.endMember()
      }
      members.append(to: &output)
      try finish(output)
    }
  }

  /// Checks the size and depth of what was built.
  ///
  /// - Throws: 54000, 54001.
  private static func finish(_ output: ByteBuilder) throws(SQLError) {
    if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
    try JSONText.checkDepth(output.bytes)
  }

  /// `json_object(text[])` and `json_object(text[], text[])`, and the same for jsonb.
  ///
  /// - Throws: 2202E for arrays of the wrong lengths, 22004 for a NULL key.
  package static func objectOfTexts(_ style: JSONStyle) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) in
      let isPaired = arguments.count > 1
      let keys = arguments[0]
      let values = arguments[isPaired ? 1 : 0]
      let keySlices = Operand(keys, ListSlice.self)
      let valueSlices = Operand(values, ListSlice.self)
      let texts = keys.children.first.map { Operand($0) }
      var members = JSONMembers()
      let writer = JSONWriter(style, context)
      let shape = JSONShape(.text)
      return try TextLoop.build(arguments, count, style.type) {
        row, output throws(SQLError) in
        let keySlice = keySlices[row]
        let valueSlice = valueSlices[row]
        let pairs = try pairCount(keySlice, isPaired ? valueSlice : nil)
        members.removeAll()
        if style == .json { output.append(UInt8(ascii: "{")) }
        for pair in 0..<pairs {
          let key = Int(keySlice.offset) &+ (isPaired ? pair : 2 &* pair)
          let value = Int(valueSlice.offset) &+ (isPaired ? pair : 2 &* pair &+ 1)
          guard let texts, keys.children[0].isValid(key) else {
            throw SQLError(.nullNotAllowed, "null value not allowed for object key")
          }
          if style == .json {
            if pair > 0 { output.append(", ") }
            JSONText.append(quoting: texts.bytes(key), to: &output)
            output.append(" : ")
            try writer.append(value, of: values.children[0], shape, to: &output)
          } else {
            members.beginMember()
            members.bytes.append(texts.bytes(key))
            members.endKey()
            try writer.append(value, of: values.children[0], shape, to: &members.bytes)
            members.endMember()
          }
        }
        if style == .json { output.append(UInt8(ascii: "}")) } else { members.append(to: &output) }
      }
    }
  }

  private static func pairCount(
    _ keys: ListSlice, _ values: ListSlice?
  ) throws(SQLError) -> Int {
    if let values {
      guard keys.count == values.count else {
        throw SQLError(.arraySubscriptError, "mismatched array dimensions")
      }
      return Int(keys.count)
    }
    guard keys.count.isMultiple(of: 2) else {
      throw SQLError(.arraySubscriptError, "array must have even number of elements")
    }
    return Int(keys.count) / 2
  }
}
