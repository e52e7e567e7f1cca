package import Diagnostics

/// Operators and functions of jsonb alone.
package enum JSONBFunctions {
  private static let true1: UInt8 = 1

  /// `@>`, and `<@` with the sides exchanged.
  package static func contains(isSwapped: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let whole = Operand(arguments[isSwapped ? 1 : 0])
      let part = Operand(arguments[isSwapped ? 0 : 1])
      return try TextLoop.compute(arguments, count, .boolean) { row -> UInt8 in
        UInt8(
          truncatingIfNeeded: bit(JSONOrder.contains(whole.bytes(row), part.bytes(row))))
      }
    }
  }

  /// Whether an object has a key, an array a string.
  private static func has(_ text: TextBytes, _ key: TextBytes) -> Bool {
    guard text.count > 0 else { return false }
    switch JSONKind(text[0]) {
    case .object: return JSONPath.member(text, key) != nil
    case .array:
      return JSONOrder.elements(text).contains {
        JSONKind($0[0]) == .string && JSONPath.isKey($0, key)
      }
    case .string: return JSONPath.isKey(text, key)
    case .number, .boolean, .null: return false
    }
  }

  /// `?`: whether a key is there.
  package static func hasKey(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let keys = Operand(arguments[1])
    return try TextLoop.compute(arguments, count, .boolean) { row -> UInt8 in
      UInt8(truncatingIfNeeded: bit(has(texts.bytes(row), keys.bytes(row))))
    }
  }

  /// `?|` and `?&`: whether any, or all, of the keys are there.
  package static func hasKeys(all: Bool) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(.boolean, count: count) }
      let texts = Operand(arguments[0])
      let lists = arguments[1].flattened()
      return try TextLoop.compute([arguments[0], lists], count, .boolean) { row -> UInt8 in
        let text = texts.bytes(row)
        for position in positions(lists, row) {
          let found = has(text, lists.children[0].values(TextView.self).bytes(at: position))
          if found != all { return found ? 1 : 0 }
        }
        return all ? true1 : 0
      }
    }
  }

  /// The positions of the elements of a row's array that are not NULL.
  private static func positions(_ lists: Vector, _ row: Int) -> [Int] {
    let slice = lists.values(ListSlice.self)[row]
    return (0..<Int(slice.count)).map { Int(slice.offset) + $0 }
      .filter { lists.children[0].validity.isValid($0) }
  }

  /// `||`: objects joined (the right one's members win), else arrays, scalars counting as arrays of one.
  ///
  /// - Throws: 54000.
  package static func concatenate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let left = Operand(arguments[0])
    let right = Operand(arguments[1])
    return try JSONFunctions.finished(arguments, count, .jsonb) { row, output in
      let a = left.bytes(row)
      let b = right.bytes(row)
      let isObject = JSONKind(a[0]) == .object && JSONKind(b[0]) == .object
      output.append(isObject ? 0x7B : 0x5B)
      let first = body(a, isObject)
      let second = body(b, isObject)
      output.append(first)
      if first.count > 0 && second.count > 0 { output.append(0x2C) }
      output.append(second)
      output.append(isObject ? 0x7D : 0x5D)
    }
  }

  /// What stands between the brackets, or a value by itself as an array's one element.
  private static func body(_ text: TextBytes, _ isObject: Bool) -> TextBytes {
    let kind = JSONKind(text[0])
    if isObject || kind == .array { return text.slice(1..<(text.count - 1)) }
    return text
  }

  /// `jsonb - text`, `jsonb - text[]` and `jsonb - integer`.
  ///
  /// - Throws: 22023.
  package static func remove(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let other = arguments[1].flattened()
    return try JSONFunctions.finished([arguments[0], other], count, .jsonb) {
      (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let kind = JSONKind(text[0])
      guard kind == .object || kind == .array else {
        throw SQLError(.invalidParameterValue, "cannot delete from scalar")
      }
      if other.type == .integer {
        if kind == .object {
          throw SQLError(
            .invalidParameterValue, "cannot delete from object using integer index")
        }
        var index = Int(other.values(Int32.self)[row])
        let elements = JSONOrder.elements(text)
        if index < 0 { index += elements.count }
        append(elements.enumerated().filter { $0.offset != index }.map(\.element), &output)
        return
      }
      let names = other.type.element == nil ? other : other.children[0]
      let places = other.type.element == nil ? [row] : positions(other, row)
      let keys = names.values(TextView.self)
      func isRemoved(_ quoted: TextBytes) -> Bool {
        places.contains { JSONPath.isKey(quoted, keys.bytes(at: $0)) }
      }
      if kind == .array {
        append(
          JSONOrder.elements(text).filter { JSONKind($0[0]) != .string || !isRemoved($0) }, &output)
        return
      }
      var isFirst = true
      output.append(0x7B)
      _ = JSONCursor.forEachMember(text) { key, value in
        if isRemoved(key) { return true }
        if !isFirst { output.append(0x2C) }
        isFirst = false
        output.append(key)
        output.append(0x3A)
        output.append(value)
        return true
      }
      output.append(0x7D)
    }
  }

  private static func append(_ elements: [TextBytes], _ output: inout ByteBuilder) {
    output.append(0x5B)
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(0x2C) }
      output.append(element)
    }
    output.append(0x5D)
  }

  /// What is done at the end of a path.
  package enum Edit: Sendable { case set, insert, delete }

  /// `jsonb_set(target, path, value [, create])`, `jsonb_insert(target, path, value [, after])` and `#-`.
  ///
  /// - Throws: 22023, 22P02, 22004 for a step that is NULL, once the value leads as far as that.
  package static func edit(_ edit: Edit) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(.jsonb, count: count) }
      let texts = Operand(arguments[0])
      let paths = arguments[1].flattened()
      let values = arguments.count > 2 ? Operand(arguments[2]) : nil
      let flags = arguments.count > 3 ? Operand(arguments[3], UInt8.self) : nil
      var sides = arguments
      sides[1] = paths
      return try JSONFunctions.finished(sides, count, .jsonb) { (row, output) throws(SQLError) in
        let text = texts.bytes(row)
        let kind = JSONKind(text[0])
        guard kind == .object || kind == .array else {
          let verb = edit == .delete ? "delete path" : "set path"
          throw SQLError(.invalidParameterValue, "cannot \(verb) in scalar")
        }
        // An empty value has nothing to delete or replace, whatever the path says.
        let adds = edit == .insert || (edit == .set && flags.map { $0[row] != 0 } ?? true)
        if text.count == 2 && !adds {
          output.append(text)
          return
        }
        let steps = paths.children[0].values(TextView.self)
        let slice = paths.values(ListSlice.self)[row]
        let path = (0..<Int(slice.count)).map { index -> TextBytes? in
          let place = Int(slice.offset) + index
          return paths.children[0].validity.isValid(place) ? steps.bytes(at: place) : nil
        }
        let change: JSONEditing.Change
        if edit == .set, let values {
          change = .set(values.bytes(row), creates: flags.map { $0[row] != 0 } ?? true)
        } else if edit == .insert, let values {
          change = .insert(values.bytes(row), after: flags.map { $0[row] != 0 } ?? false)
        } else {
          change = .delete
        }
        try JSONEditing.append(text, path: path, step: 0, change, to: &output)
      }
    }
  }
}
