package import Diagnostics
package import Durability

extension CatalogSnapshot {
  /// Appends the catalog, without what is temporary; equal catalogs give equal bytes.
  ///
  /// - Complexity: O(*n*) in the bytes.
  package func encode(into bytes: inout ByteWriter) {
    let durable = withoutTemporaries
    var writer = CatalogWriter()
    durable.write(to: &writer)
    bytes.append(half: CatalogFormat.number)
    bytes.append(count: Int(nextNumber))
    writer.writeTypes(into: &bytes)
    bytes.append(raw: writer.bytes.bytes.span)
  }

  /// Makes sure that the catalog is found again from its bytes, so that nothing is committed that would keep the
  /// database from being opened.
  ///
  /// - Throws: XX000 if it is not.
  /// - Complexity: O(*n* log *n*) in the bytes.
  package func checkReadable() throws(SQLError) {
    var writer = ByteWriter()
    encode(into: &writer)
    var reader = ByteReader(writer.bytes)
    var again = ByteWriter()
    do throws(SQLError) {
      try CatalogSnapshot(decoding: &reader).encode(into: &again)
    } catch {
      throw SQLError(
        .internalError, "the change cannot be kept, as it could not be read again",
        detail: error.detail ?? error.message)
    }
    if again.bytes != writer.bytes {
      throw SQLError(
        .internalError, "the change cannot be kept, as it would not be the same when read again")
    }
  }

  private func write(to writer: inout CatalogWriter) {
    writer.write(list: schemas.sorted()) { $0.write($1) }
    writer.write(list: types.values.sorted { $0.id < $1.id }) { $0.write($1) }
    writer.write(list: sequences.values.sorted { $0.id < $1.id }) { $0.write($1) }
    writer.write(list: tables.values.sorted { $0.id < $1.id }) { $0.write($1) }
    writer.write(list: views.values.sorted { $0.id < $1.id }) { $0.write($1) }
    writer.write(list: graphs.values.sorted { $0.id < $1.id }) { $0.write($1) }
    writer.write(list: functions.values.sorted { $0.id < $1.id }) { $0.write($1) }
    let overloads = functionNames.filter { $0.value != $0.value.sorted() }
    writer.write(list: overloads.sorted { $0.key < $1.key }) { writer, entry in
      writer.write(entry.key)
      writer.write(list: entry.value) { $0.write($1) }
    }
    let orders = referencing.filter { !$0.value.elementsEqual(Self.inOrder($0.value), by: ==) }
    writer.write(list: orders.sorted { $0.key < $1.key }) { writer, entry in
      writer.write(entry.key)
      writer.write(list: entry.value) { writer, reference in
        writer.write(reference.child)
        writer.write(place: reference.constraint)
      }
    }
    writer.write(list: comments.sorted { $0.key < $1.key }) { writer, entry in
      writer.write(entry.key.kind)
      writer.write(entry.key.name)
      writer.write(optional: entry.key.part) { $0.write($1) }
      writer.write(entry.value)
    }
    writer.write(defaultCollation)
  }

  private static func inOrder(
    _ references: [(child: ObjectID, constraint: Int)]
  ) -> [(child: ObjectID, constraint: Int)] {
    references.sorted { ($0.child, $0.constraint) < ($1.child, $1.constraint) }
  }

  /// Takes a catalog out of what `encode` has written, and checks it.
  ///
  /// - Throws: 0A000 for the layout of a newer version, XX001 for bytes that are no catalog's.
  /// - Complexity: O(*n* log *n*) in the bytes.
  package init(decoding bytes: inout ByteReader) throws(SQLError) {
    let number = try bytes.half()
    guard number <= CatalogFormat.number else {
      throw SQLError(
        .featureNotSupported, "the database's catalog was written by a newer version of Junction",
        detail: "It has format \(number); this program reads formats up to"
          + " \(CatalogFormat.number).",
        hint: "Open the database with that version or a later one.")
    }
    guard number > 0 else { throw bytes.damage("there is no format 0 of catalogs") }
    guard let nextNumber = UInt32(exactly: try bytes.count()) else {
      throw bytes.damage("an object's number is too great")
    }
    var reader = CatalogReader(bytes, format: number)
    self.init()
    self.nextNumber = nextNumber
    try reader.readTypes()
    try read(from: &reader)
    version = Self.nextVersion()
    bytes = reader.bytes
    try checkConsistency()
  }

  private mutating func read(from reader: inout CatalogReader) throws(SQLError) {
    let names = try reader.list { reader throws(SQLError) in try reader.text() }
    schemas = Set(names)
    guard schemas.count == names.count else { throw reader.damage("a schema is there twice") }
    for type in try reader.list({ reader throws(SQLError) in try reader.typeDefinition() }) {
      try Self.add(type, type.id, to: &types, reader)
      try Self.add(type.id, type.name, to: &typeNames, reader)
    }
    for sequence in try reader.list({ reader throws(SQLError) in try reader.sequence() }) {
      try Self.add(sequence, sequence.id, to: &sequences, reader)
      try Self.add(sequence.id, sequence.name, to: &relations, reader)
    }
    for table in try reader.list({ reader throws(SQLError) in try reader.table() }) {
      try Self.add(table, table.id, to: &tables, reader)
      try Self.add(table.id, table.name, to: &relations, reader)
      for name in table.indexNames {
        try Self.add(
          table.id, ObjectName(schema: table.name.schema, name), to: &indexTables, reader)
      }
      for (index, key) in table.foreignKeys.enumerated() {
        referencing[key.parent, default: []].append((child: table.id, constraint: index))
      }
      noteInheritance(table)
      noteCardinalities(table)
    }
    for view in try reader.list({ reader throws(SQLError) in try reader.view() }) {
      try Self.add(view, view.id, to: &views, reader)
      try Self.add(view.id, view.name, to: &relations, reader)
    }
    for graph in try reader.list({ reader throws(SQLError) in try reader.graph() }) {
      try Self.add(graph, graph.id, to: &graphs, reader)
      try Self.add(graph.id, graph.name, to: &relations, reader)
    }
    for function in try reader.list({ reader throws(SQLError) in try reader.function() }) {
      try Self.add(function, function.id, to: &functions, reader)
      functionNames[function.name, default: []].append(function.id)
    }
    try readOrders(from: &reader)
    try readComments(from: &reader)
    if let collation = try reader.collation() { setDefaultCollation(collation) }
  }

  private static func add<Key: Hashable, Value>(
    _ value: Value, _ key: Key, to values: inout [Key: Value], _ reader: CatalogReader
  ) throws(SQLError) {
    guard values.updateValue(value, forKey: key) == nil else {
      throw reader.damage("two objects have one number or name")
    }
  }

  /// Puts overloads and foreign keys into the order in which they are looked at.
  private mutating func readOrders(from reader: inout CatalogReader) throws(SQLError) {
    let overloads = try reader.list { reader throws(SQLError) in
      let name = try reader.name()
      return (name, try reader.list { reader throws(SQLError) in try reader.id() })
    }
    for (name, ids) in overloads {
      guard let known = functionNames[name], known.sorted() == ids.sorted() else {
        throw reader.damage("an order is not that of the functions of a name")
      }
      functionNames[name] = ids
    }
    let orders = try reader.list { reader throws(SQLError) in
      let parent = try reader.id()
      let references = try reader.list { reader throws(SQLError) in
        let child = try reader.id()
        return (child: child, constraint: try reader.place())
      }
      return (parent, references)
    }
    for (parent, references) in orders {
      guard let known = referencing[parent],
        Self.inOrder(known).elementsEqual(Self.inOrder(references), by: ==)
      else { throw reader.damage("an order is not that of the foreign keys to a table") }
      referencing[parent] = references
    }
  }

  private mutating func readComments(from reader: inout CatalogReader) throws(SQLError) {
    let list = try reader.list { reader throws(SQLError) in
      let kind = try reader.text()
      let name = try reader.name()
      let part = try reader.optional { reader throws(SQLError) in try reader.text() }
      return (CommentKey(kind: kind, name: name, part: part), try reader.text())
    }
    for (key, text) in list { try Self.add(text, key, to: &comments, reader) }
  }
}

extension ObjectName: Comparable {
  package static func < (left: ObjectName, right: ObjectName) -> Bool {
    (left.schema, left.name) < (right.schema, right.name)
  }
}

extension CommentKey: Comparable {
  package static func < (left: CommentKey, right: CommentKey) -> Bool {
    (left.kind, left.name, left.part ?? "", left.part == nil ? 0 : 1)
      < (right.kind, right.name, right.part ?? "", right.part == nil ? 0 : 1)
  }
}
