import Columnar
import Diagnostics

/// Makes the JSON text of rows that are groups, maps, lists of lists and the like.
///
/// Each leaf has one entry for every value, NULL and empty list below it, so that walking the schema and taking entries as it goes gives
/// the rows back (Melnik et al., "Dremel: Interactive Analysis of Web-Scale Datasets", VLDB 2010).
struct JSONAssembler {
  private let root: SchemaNode
  private let formatter = TextFormatter()

  init(_ root: SchemaNode) { self.root = root }

  /// The entries of a leaf, and how far they are used.
  private struct Cursor {
    let entries: LeafEntries
    let values: Vector
    var entry = 0
    var value = 0

    init(_ entries: LeafEntries) {
      self.entries = entries
      values = entries.values.flattened()
    }

    /// The definition level of the next entry; -1 behind the last.
    var level: Int { entry < entries.count ? Int(entries.definition[entry]) : -1 }
    var repetition: Int { entry < entries.count ? Int(entries.repetition[entry]) : 0 }

    mutating func advance() {
      value += bit(level == entries.leaf.definitionLevel)
      entry += 1
    }
  }

  /// The texts of `rows` rows.
  ///
  /// - Throws: for leaves that contradict each other, texts of more than a gigabyte.
  func vector(_ entries: [LeafEntries], rows: Int) throws(Damage) -> Vector {
    var cursors = entries.map { Cursor($0) }
    let views = Buffer<TextView>(uninitialized: max(rows, 1))
    var validity = ValidityMask.allValid
    let heap = TextHeap()
    var text = ByteBuilder()
    for row in 0..<rows {
      try RunningStatement.look(heap.byteCount)
      text.removeAll()
      if isMissing(root, cursors) {
        skip(root, &cursors)
        validity.setNull(row, count: rows)
        views[row] = TextView()
        continue
      }
      if root.repetition == .repeated {
        try appendRepeated(root, &cursors, &text)
      } else {
        try append(root, &cursors, &text)
      }
      guard text.count <= 1 << 30 else {
        throw Damage(
          unsupported: "a nested value whose text has more than a gigabyte",
          hint: "Write the parts that are wanted as columns of their own.")
      }
      views[row] = heap.append(text.bytes)
    }
    for cursor in cursors where cursor.entry != cursor.entries.count {
      throw Damage("its leaves \"\(cursor.entries.leaf.name)\" and others contradict each other")
    }
    return Vector(.json, views, count: rows, validity: validity, heaps: [heap])
  }

  /// The cursor of the first leaf of a field.
  private func first(_ node: SchemaNode) -> Int { node.leaves.lowerBound - root.leaves.lowerBound }

  private func isMissing(_ node: SchemaNode, _ cursors: [Cursor]) -> Bool {
    node.repetition == .optional && cursors[first(node)].level < node.definitionLevel
  }

  /// Takes the one entry that each leaf has for a field that is not there.
  private func skip(_ node: SchemaNode, _ cursors: inout [Cursor]) {
    for leaf in node.leaves { cursors[leaf - root.leaves.lowerBound].advance() }
  }

  /// Adds a field that may be missing or repeat.
  private func appendAny(
    _ node: SchemaNode, _ cursors: inout [Cursor], _ text: inout ByteBuilder
  ) throws(Damage) {
    if node.repetition == .repeated {
      try appendRepeated(node, &cursors, &text)
    } else if isMissing(node, cursors) {
      skip(node, &cursors)
      text.append("null")
    } else {
      try append(node, &cursors, &text)
    }
  }

  /// Adds a field that is there once.
  private func append(
    _ node: SchemaNode, _ cursors: inout [Cursor], _ text: inout ByteBuilder
  ) throws(Damage) {
    if node.stored != nil {
      try appendValue(&cursors[first(node)], &text)
    } else if let element = node.listElement {
      try appendElements(of: node.children[0], element, &cursors, &text)
    } else if let entry = node.mapEntry {
      try appendEntries(of: entry, &cursors, &text)
    } else {
      try appendMembers(node, &cursors, &text)
    }
  }

  private func appendMembers(
    _ node: SchemaNode, _ cursors: inout [Cursor], _ text: inout ByteBuilder
  ) throws(Damage) {
    text.append(UInt8(ascii: "{"))
    for (index, child) in node.children.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text.append(JSONText.quoted(child.name))
      text.append(UInt8(ascii: ":"))
      try appendAny(child, &cursors, &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Adds a field that repeats without being marked as a list, as an array.
  private func appendRepeated(
    _ node: SchemaNode, _ cursors: inout [Cursor], _ text: inout ByteBuilder
  ) throws(Damage) {
    try appendElements(of: node, node, &cursors, &text)
  }

  private func appendElements(
    of repeated: SchemaNode, _ element: SchemaNode, _ cursors: inout [Cursor],
    _ text: inout ByteBuilder
  ) throws(Damage) {
    text.append(UInt8(ascii: "["))
    try forEachElement(of: repeated, &cursors) { (index, cursors) throws(Damage) in
      if index > 0 { text.append(UInt8(ascii: ",")) }
      if element === repeated {
        try append(element, &cursors, &text)
      } else {
        try appendAny(element, &cursors, &text)
      }
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Adds a map as an object, whose keys are texts whatever they were.
  private func appendEntries(
    of entry: SchemaNode, _ cursors: inout [Cursor], _ text: inout ByteBuilder
  ) throws(Damage) {
    text.append(UInt8(ascii: "{"))
    try forEachElement(of: entry, &cursors) { (index, cursors) throws(Damage) in
      if index > 0 { text.append(UInt8(ascii: ",")) }
      var key = ByteBuilder(capacity: 32)
      try appendValue(&cursors[first(entry.children[0])], &key)
      if key.count > 0, key.buffer[0] == UInt8(ascii: "\"") {
        text.append(key.bytes)
      } else {
        JSONText.append(quoting: key.bytes, to: &text)
      }
      text.append(UInt8(ascii: ":"))
      if entry.children.count > 1 {
        try appendAny(entry.children[1], &cursors, &text)
      } else {
        text.append("null")
      }
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Hands over the elements of a list one after another; each takes an entry at least.
  private func forEachElement(
    of repeated: SchemaNode, _ cursors: inout [Cursor],
    _ body: (_ index: Int, inout [Cursor]) throws(Damage) -> Void
  ) throws(Damage) {
    let leaf = first(repeated)
    guard cursors[leaf].level >= repeated.definitionLevel else {
      skip(repeated, &cursors)
      return
    }
    var index = 0
    repeat {
      try body(index, &cursors)
      index += 1
    } while cursors[leaf].repetition == repeated.repetitionLevel
  }

  private func appendValue(_ cursor: inout Cursor, _ text: inout ByteBuilder) throws(Damage) {
    guard cursor.level == cursor.entries.leaf.definitionLevel else {
      throw Damage("its leaf \"\(cursor.entries.leaf.name)\" contradicts others")
    }
    let (values, row) = (cursor.values, cursor.value)
    switch values.type {
    case .boolean: text.append(values.values(UInt8.self)[row] != 0 ? "true" : "false")
    case .smallint, .integer, .bigint, .oid, .json, .jsonb:
      formatter.append(row, of: values, to: &text)
    case .real: appendNumber(row, of: values, values.values(Float.self)[row].isFinite, &text)
    case .double: appendNumber(row, of: values, values.values(Double.self)[row].isFinite, &text)
    case .numeric: appendNumber(row, of: values, values.numeric(at: row).isFinite, &text)
    case .text, .varchar, .character, .name, .unknown, .void:
      JSONText.append(quoting: values.values(TextView.self).bytes(at: row), to: &text)
    case .bytea, .date, .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid,
      .array, .record, .enumeration:
      var plain = ByteBuilder(capacity: 64)
      formatter.append(row, of: values, to: &plain)
      JSONText.append(quoting: plain.bytes, to: &text)
    }
    cursor.advance()
  }

  /// Adds a number; what is none goes between quotes.
  private func appendNumber(
    _ row: Int, of values: Vector, _ isFinite: Bool, _ text: inout ByteBuilder
  ) {
    if !isFinite { text.append(UInt8(ascii: "\"")) }
    formatter.append(row, of: values, to: &text)
    if !isFinite { text.append(UInt8(ascii: "\"")) }
  }
}
