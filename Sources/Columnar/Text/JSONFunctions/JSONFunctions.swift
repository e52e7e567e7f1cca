package import Diagnostics

/// Functions that look into json and jsonb values.
package enum JSONFunctions {
  /// One text or nothing for each row of which every argument is present.
  @inline(__always)
  static func optional(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ body: (_ row: Int, _ output: inout ByteBuilder) throws(SQLError) -> Bool
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(type, count: count) }
    var validity = RowLoop.validity(arguments, count).copy(count: count)
    let views = Buffer<TextView>(zeroed: count)
    let heap = TextHeap()
    var output = ByteBuilder()
    for row in 0..<count where validity.isValid(row) {
      output.removeAll()
      if try body(row, &output) {
        views[row] = heap.append(output.bytes)
      } else {
        validity.setNull(row, count: count)
      }
    }
    return Vector(type, views, count: count, validity: validity, heaps: [heap])
  }

  /// `->` and `->>` by key or index; `type` is json or jsonb.
  ///
  /// - Throws: 22P05.
  package static func arrow(_ type: LogicalType, byIndex: Bool, asText: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let keys = byIndex ? nil : Operand(arguments[1])
      let indices = byIndex ? Operand(arguments[1], Int32.self) : nil
      return try optional(arguments, count, asText ? .text : type) {
        (row, output) throws(SQLError) -> Bool in
        var found: TextBytes?
        if let keys { found = JSONPath.member(texts.bytes(row), keys.bytes(row)) }
        if let indices { found = JSONPath.element(texts.bytes(row), Int(indices[row])) }
        guard let found else { return false }
        if asText { return try JSONPath.appendText(found, to: &output) }
        output.append(JSONPath.trimmed(found))
        return true
      }
    }
  }

  /// `#>` and `#>>`, also `json_extract_path` with its path spread over arguments.
  ///
  /// - Throws: 22P05.
  package static func path(_ type: LogicalType, asText: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let lists =
        arguments.count == 2 && arguments[1].type.element != nil ? arguments[1].flattened() : nil
      let names = lists == nil ? arguments.dropFirst().map { Operand($0) } : []
      return try optional(arguments, count, asText ? .text : type) {
        (row, output) throws(SQLError) -> Bool in
        var value: TextBytes? = texts.bytes(row)
        for name in names {
          value = value.flatMap { JSONPath.step($0, name.bytes(row)) }
        }
        if let lists {
          let slice = lists.values(ListSlice.self)[row]
          let elements = lists.children[0]
          let steps = elements.values(TextView.self)
          for index in 0..<Int(slice.count) {
            let position = Int(slice.offset) + index
            guard elements.validity.isValid(position) else { return false }
            value = value.flatMap { JSONPath.step($0, steps.bytes(at: position)) }
          }
        }
        guard let value else { return false }
        if asText { return try JSONPath.appendText(value, to: &output) }
        output.append(JSONPath.trimmed(value))
        return true
      }
    }
  }

  /// `json_typeof`, `jsonb_typeof`.
  package static func typeName(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.build(arguments, count) { row, output in
      let value = JSONPath.trimmed(texts.bytes(row))
      output.append(value.count > 0 ? JSONKind(value[0]).name : "null")
    }
  }

  /// `json_array_length`, `jsonb_array_length`.
  ///
  /// - Throws: 22023.
  package static func arrayLength(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let text = JSONPath.trimmed(texts.bytes(row))
      guard let length = JSONPath.length(text) else {
        let isObject = text.count > 0 && JSONKind(text[0]) == .object
        throw SQLError(
          .invalidParameterValue,
          "cannot get array length of a \(isObject ? "non-array" : "scalar")")
      }
      return Int32(truncatingIfNeeded: length)
    }
  }

  /// `to_json(any)`, `to_jsonb(any)`, `row_to_json`, `array_to_json`.
  ///
  /// - Throws: 22P05.
  package static func convert(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      var writer = JSONWriter(context)
      return try finished([arguments[0]], count, type) { row, output in
        writer.append(row, of: arguments[0], to: &output)
      }
    }
  }

  /// Builds JSON, and brings it into jsonb's form where that is the type.
  @inline(__always)
  static func finished(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType,
    _ body: (_ row: Int, _ output: inout ByteBuilder) throws(SQLError) -> Void
  ) throws(SQLError) -> Vector {
    var raw = ByteBuilder()
    return try TextLoop.build(arguments, count, type) { (row, output) throws(SQLError) in
      if type == .json {
        try body(row, &output)
      } else {
        raw.removeAll()
        try body(row, &raw)
        try JSONText.appendCanonical(raw.bytes, to: &output)
      }
      if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
    }
  }

  /// `json_build_object(key, value, …)`.
  ///
  /// - Throws: 22023 for an odd number of arguments or a NULL key.
  package static func buildObject(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      if arguments.count % 2 != 0 {
        let name = type == .json ? "json_build_object" : "jsonb_build_object"
        throw SQLError(
          .invalidParameterValue, "argument list must have even number of elements",
          hint: "The arguments of \(name)() must consist of alternating keys and values.")
      }
      var writer = JSONWriter(context)
      return try finished([], count, type) { (row, output) throws(SQLError) in
        output.append(0x7B)
        for place in stride(from: 0, to: arguments.count, by: 2) {
          if place > 0 { output.append(", ") }
          let message =
            type == .json
            ? "null value not allowed for object key"
            : "argument \(place + 1): key must not be null"
          try writer.append(key: row, of: arguments[place], nullMessage: message, to: &output)
          output.append(" : ")
          writer.append(row, of: arguments[place + 1], to: &output)
        }
        output.append(0x7D)
      }
    }
  }

  /// `json_build_array(…)`.
  ///
  /// - Throws: 22P05.
  package static func buildArray(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      var writer = JSONWriter(context)
      return try finished([], count, type) { row, output in
        output.append(0x5B)
        for (place, argument) in arguments.enumerated() {
          if place > 0 { output.append(", ") }
          writer.append(row, of: argument, to: &output)
        }
        output.append(0x5D)
      }
    }
  }

  /// `json_object(text[])` of alternating keys and values, or of keys and values apart.
  ///
  /// - Throws: 2202E, 22004.
  package static func objectFromLists(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let lists = arguments.map { $0.flattened() }
      return try finished(lists, count, type) { (row, output) throws(SQLError) in
        let slices = lists.map { $0.values(ListSlice.self)[row] }
        let isPaired = lists.count == 2
        if isPaired && slices[0].count != slices[1].count {
          throw SQLError(.arraySubscriptError, "mismatched array dimensions")
        }
        if !isPaired && slices[0].count % 2 != 0 {
          throw SQLError(.arraySubscriptError, "array must have even number of elements")
        }
        let values = lists[isPaired ? 1 : 0].children[0]
        let keys = lists[0].children[0]
        output.append(0x7B)
        for index in 0..<Int(isPaired ? slices[0].count : slices[0].count / 2) {
          if index > 0 { output.append(", ") }
          let key = Int(slices[0].offset) + (isPaired ? index : index * 2)
          let value = isPaired ? Int(slices[1].offset) + index : key + 1
          guard keys.isValid(key) else {
            throw SQLError(.nullNotAllowed, "null value not allowed for object key")
          }
          JSONText.append(quoting: keys.values(TextView.self).bytes(at: key), to: &output)
          output.append(" : ")
          if values.isValid(value) {
            JSONText.append(quoting: values.values(TextView.self).bytes(at: value), to: &output)
          } else {
            output.append("null")
          }
        }
        output.append(0x7D)
      }
    }
  }

  /// `json_strip_nulls`: without members whose value is null.
  ///
  /// - Throws: 22P05.
  package static func stripNulls(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      return try finished(arguments, count, type) { row, output in
        JSONEditing.appendStripped(texts.bytes(row), to: &output)
      }
    }
  }

  /// `jsonb_pretty`.
  package static func pretty(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.build(arguments, count) { row, output in
      JSONEditing.appendPretty(texts.bytes(row), indent: 0, to: &output)
    }
  }
}
