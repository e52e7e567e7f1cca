import Diagnostics

/// Set-returning functions of json and jsonb.
package enum JSONRows {
  /// What the rows show.
  package enum Content: Sendable { case keys, members, elements }

  /// `json_object_keys`, `json_each`, `json_array_elements`, as JSON or as text; `type` is json or jsonb.
  ///
  /// - Throws: 22023 for another kind of value.
  package static func rows(
    _ content: Content, _ type: LogicalType, asText: Bool, name: String
  ) -> SetReturningKernel {
    .rows {
      (
        arguments: [Vector], context: EvaluationContext,
        emit: (DataChunk) throws(SQLError) -> Bool
      ) throws(SQLError) in
      guard arguments[0].isValid(0) else { return }
      let vector = arguments[0].normalized()
      let text = JSONPath.trimmed(vector.values(TextView.self).bytes(at: 0))
      let kind = text.count > 0 ? JSONKind(text[0]) : .null
      guard (content == .elements) == (kind == .array), kind == .array || kind == .object else {
        throw refused(content, kind, type, name)
      }
      let parts = kind == .array ? JSONOrder.elements(text) : JSONOrder.members(text)
      let step = kind == .array ? 1 : 2
      var start = 0
      while start < parts.count {
        try context.checkCancellation()
        let end = min(start + Vector.chunkCapacity * step, parts.count)
        var columns: [Vector] = []
        if kind == .object { columns.append(keys(parts, start, end)) }
        if content != .keys {
          columns.append(try values(parts, start + step - 1, end, step, asText ? .text : type))
        }
        guard try emit(DataChunk(columns, count: (end - start) / step)) else { return }
        start = end
      }
    }
  }

  private static func keys(_ parts: [TextBytes], _ start: Int, _ end: Int) -> Vector {
    var builder = VectorBuilder(.text, capacity: (end - start) / 2)
    for index in stride(from: start, to: end, by: 2) {
      builder.append(.text(JSONPath.decoded(parts[index])))
    }
    return builder.finish()
  }

  private static func values(
    _ parts: [TextBytes], _ start: Int, _ end: Int, _ step: Int, _ type: LogicalType
  ) throws(SQLError) -> Vector {
    var builder = VectorBuilder(type, capacity: (end - start) / step + 1)
    var output = ByteBuilder()
    for index in stride(from: start, to: end, by: step) {
      if type != .text {
        builder.append(parts[index])
        continue
      }
      output.removeAll()
      if try JSONPath.appendText(parts[index], to: &output) {
        builder.append(output.bytes)
      } else {
        builder.appendNull()
      }
    }
    return builder.finish()
  }

  /// PostgreSQL words the same refusal differently for json and jsonb.
  private static func refused(
    _ content: Content, _ kind: JSONKind, _ type: LogicalType, _ name: String
  ) -> SQLError {
    let message =
      switch (content, type) {
      case (.elements, .json): "cannot call \(name) on a \(kind.isScalar ? "scalar" : "non-array")"
      case (.elements, _):
        "cannot extract elements from \(kind.isScalar ? "a scalar" : "an object")"
      case (.keys, _): "cannot call \(name) on \(kind.isScalar ? "a scalar" : "an array")"
      case (.members, .json):
        "cannot deconstruct \(kind.isScalar ? "a scalar" : "an array as an object")"
      case (.members, _): "cannot call \(name) on a non-object"
      }
    return SQLError(.invalidParameterValue, message)
  }
}
