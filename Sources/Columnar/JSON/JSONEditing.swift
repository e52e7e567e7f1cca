import Diagnostics

/// Changes to JSON text.
///
/// Values are nested no deeper than `JSONText.depthMax`, so that recursion is bounded.
enum JSONEditing {
  /// Adds a value without the members that are null.
  static func appendStripped(_ text: TextBytes, to output: inout ByteBuilder) {
    let value = JSONPath.trimmed(text)
    guard value.count > 0 else { return }
    var isFirst = true
    switch JSONKind(value[0]) {
    case .object:
      output.append(0x7B)
      _ = JSONCursor.forEachMember(value) { key, member in
        if JSONKind(member[0]) == .null { return true }
        if !isFirst { output.append(0x2C) }
        isFirst = false
        output.append(key)
        output.append(0x3A)
        appendStripped(member, to: &output)
        return true
      }
      output.append(0x7D)
    case .array:
      output.append(0x5B)
      _ = JSONCursor.forEachElement(value) { element in
        if !isFirst { output.append(0x2C) }
        isFirst = false
        appendStripped(element, to: &output)
        return true
      }
      output.append(0x5D)
    case .string, .number, .boolean, .null: output.append(value)
    }
  }

  /// Adds a value over several lines, four spaces a level.
  static func appendPretty(_ text: TextBytes, indent: Int, to output: inout ByteBuilder) {
    let value = JSONPath.trimmed(text)
    guard value.count > 0 else { return }
    let kind = JSONKind(value[0])
    guard kind == .object || kind == .array else {
      output.append(value)
      return
    }
    var isFirst = true
    output.append(kind == .object ? 0x7B : 0x5B)
    let startLine: (inout ByteBuilder) -> Void = { output in
      if !isFirst { output.append(0x2C) }
      isFirst = false
      output.append(0x0A)
      output.append(repeating: 0x20, count: (indent + 1) * 4)
    }
    if kind == .object {
      _ = JSONCursor.forEachMember(value) { key, member in
        startLine(&output)
        output.append(key)
        output.append(": ")
        appendPretty(member, indent: indent + 1, to: &output)
        return true
      }
    } else {
      _ = JSONCursor.forEachElement(value) { element in
        startLine(&output)
        appendPretty(element, indent: indent + 1, to: &output)
        return true
      }
    }
    output.append(0x0A)
    output.append(repeating: 0x20, count: indent * 4)
    output.append(kind == .object ? 0x7D : 0x5D)
  }

  /// What happens at the end of a path.
  enum Change {
    case set(TextBytes, creates: Bool)
    case insert(TextBytes, after: Bool)
    case delete
  }

  /// Adds a value with the change made at the end of the path.
  ///
  /// - Throws: 22P02 for a path step that is no index of an array; 22023 for a key that is there already;
  ///   22004 for a step that is NULL.
  static func append(
    _ text: TextBytes, path: [TextBytes?], step: Int, _ change: Change, to output: inout ByteBuilder
  ) throws(SQLError) {
    let value = JSONPath.trimmed(text)
    guard step < path.count, value.count > 0 else {
      output.append(value)
      return
    }
    guard let name = path[step] else {
      throw SQLError(.nullNotAllowed, "path element at position \(step + 1) is null")
    }
    switch JSONKind(value[0]) {
    case .object: try appendObject(value, path, step, name, change, &output)
    case .array: try appendArray(value, path, step, name, change, &output)
    case .string, .number, .boolean, .null: output.append(value)
    }
  }

  private static func appendObject(
    _ value: TextBytes, _ path: [TextBytes?], _ step: Int, _ name: TextBytes, _ change: Change,
    _ output: inout ByteBuilder
  ) throws(SQLError) {
    let isLast = step == path.count - 1
    var members: [(key: TextBytes, value: TextBytes)] = []
    _ = JSONCursor.forEachMember(value) { key, member in
      members.append((key, member))
      return true
    }
    var isFirst = true
    var isFound = false
    output.append(0x7B)
    for member in members {
      let isHit = JSONPath.isKey(member.key, name)
      isFound = isFound || isHit
      if isHit && isLast, case .delete = change { continue }
      if !isFirst { output.append(0x2C) }
      isFirst = false
      output.append(member.key)
      output.append(0x3A)
      if !isHit {
        output.append(member.value)
      } else if !isLast {
        try append(member.value, path: path, step: step + 1, change, to: &output)
      } else {
        switch change {
        case .set(let new, _): output.append(new)
        case .insert:
          throw SQLError(
            .invalidParameterValue, "cannot replace existing key",
            hint: "Try using the function jsonb_set to replace key value.")
        case .delete: break
        }
      }
    }
    if !isFound && isLast, let new = added(change) {
      if !isFirst { output.append(0x2C) }
      JSONText.append(quoting: name, to: &output)
      output.append(0x3A)
      output.append(new)
    }
    output.append(0x7D)
  }

  /// What is put where the path leads to nothing.
  private static func added(_ change: Change) -> TextBytes? {
    switch change {
    case .set(let new, let creates): creates ? new : nil
    case .insert(let new, _): new
    case .delete: nil
    }
  }

  private static func appendArray(
    _ value: TextBytes, _ path: [TextBytes?], _ step: Int, _ name: TextBytes, _ change: Change,
    _ output: inout ByteBuilder
  ) throws(SQLError) {
    guard var index = JSONPath.index(name) else {
      throw SQLError(
        .invalidTextRepresentation,
        "path element at position \(step + 1) is not an integer: \"\(name.string)\"")
    }
    let isLast = step == path.count - 1
    var elements: [TextBytes] = []
    _ = JSONCursor.forEachElement(value) { element in
      elements.append(element)
      return true
    }
    let isBefore = index < -elements.count
    if index < 0 { index += elements.count }
    var pieces = 0
    func separate(_ output: inout ByteBuilder) {
      if pieces > 0 { output.append(0x2C) }
      pieces += 1
    }
    output.append(0x5B)
    let new = isLast ? added(change) : nil
    if isBefore || (elements.isEmpty && index <= 0), let new {
      separate(&output)
      output.append(new)
    }
    for (place, element) in elements.enumerated() {
      guard place == index else {
        separate(&output)
        output.append(element)
        continue
      }
      if !isLast {
        separate(&output)
        try append(element, path: path, step: step + 1, change, to: &output)
        continue
      }
      switch change {
      case .delete: break
      case .set(let new, _):
        separate(&output)
        output.append(new)
      case .insert(let new, let after):
        for piece in after ? [element, new] : [new, element] {
          separate(&output)
          output.append(piece)
        }
      }
    }
    if !elements.isEmpty && index >= elements.count || elements.isEmpty && index > 0, let new {
      separate(&output)
      output.append(new)
    }
    output.append(0x5D)
  }
}
