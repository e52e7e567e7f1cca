import Columnar
import Diagnostics
import Planning
import Storage

/// What vertices are called: by the keys of their rows, or by the values of a query.
enum GraphNames {
  /// One table of vertices.
  struct Table {
    let vertices: GraphShape.Vertices
    let range: GraphTopology.Table
    let readers: ColumnReaders
    let search: KeySearch?
    /// Whether keys come out as texts, as those of other tables are of other types.
    var areTexts = false
    /// The columns of the key in the order of its index.
    let keyColumns: [Int]
  }
  case tables([Table])
  /// Values by the number of their vertex, twice.
  case values(GroupTable, Vector)

  static func tables(
    _ vertices: [GraphShape.Vertices], _ ranges: [GraphTopology.Table], _ context: ExecutionContext,
    only: Int?
  ) throws(SQLError) -> GraphNames {
    var tables: [Table] = []
    for (part, range) in zip(vertices, ranges) {
      guard let store = range.store else { throw SQLError.internal("vertices have no table") }
      let columns = part.key.map(\.index)
      var search: KeySearch?
      var ordered: [Int] = []
      if let index = store.layout.keys.firstIndex(where: { Set($0.columns) == Set(columns) }) {
        ordered = store.layout.keys[index].columns
        search = try KeySearch(index, of: part.table, in: store) { (id) throws(SQLError) in
          try context.tables.table(id)
        }
      }
      tables.append(
        Table(
          vertices: part, range: range,
          readers: try ColumnReaders(TableColumns(part.key), of: store),
          search: search, keyColumns: ordered))
    }
    let areAlike = only != nil || tables.allSatisfy { $0.keyTypes == tables[0].keyTypes }
    for index in tables.indices { tables[index].areTexts = !areAlike }
    return .tables(tables)
  }

  /// The number of columns of a key, of one of the tables if it is given.
  func width(_ number: Int?) -> Int {
    switch self {
    case .tables(let tables):
      tables.isEmpty || tables[0].areTexts ? 1 : tables[number ?? 0].vertices.key.count
    case .values: 1
    }
  }

  /// The vertices that keys name, as far as there are any: one for each row of an argument, or each element of an array.
  ///
  /// Where `number` is given, keys are those of that table.
  func vertices(_ argument: Vector, of number: Int? = nil) throws(SQLError) -> [UInt32] {
    var keys = argument
    if case .array = argument.type {
      guard argument.isValid(0) else { return [] }
      keys = argument.elements(ofRow: 0)
    }
    let valid = (0..<keys.count).filter { keys.isValid($0) }
    if valid.isEmpty { return [] }
    let rows = Buffer(valid.map { UInt32(truncatingIfNeeded: $0) })
    keys = keys.gathered(rows, count: valid.count).flattened()
    var found: [UInt32] = []
    switch self {
    case .values(let table, _):
      let groups = try table.find([keys], count: keys.count)
      found = (0..<keys.count).map { groups[$0] }
    case .tables(let tables):
      found = Array(repeating: .max, count: keys.count)
      for table in number.map({ tables[$0...$0] }) ?? tables[...] {
        let positions = try table.positions(of: keys)
        for index in found.indices where found[index] == .max && positions[index] != .max {
          found[index] = positions[index] &+ table.range.base
        }
      }
    }
    return found.filter { $0 != .max }
  }

  /// The keys of vertices as values of one type: rows where a key is of several columns.
  func elements(_ vertices: [UInt32]) throws(SQLError) -> Vector {
    let numbers = Buffer(vertices)
    switch self {
    case .values(_, let values): return values.gathered(numbers, count: vertices.count).flattened()
    case .tables(let tables):
      var parts: [Vector] = []
      var start = 0
      while start < vertices.count {
        guard let table = tables.last(where: { $0.range.base <= vertices[start] }) else {
          throw SQLError.internal("a vertex is of no table")
        }
        var end = start
        while end < vertices.count, table.range.vertices.contains(vertices[end]) { end += 1 }
        let positions = Buffer<UInt32>(uninitialized: end - start)
        for place in start..<end { positions[place - start] = vertices[place] &- table.range.base }
        let key = try table.output(
          table.readers.gather(positions, count: end - start), end - start)
        parts.append(table.element(key, end - start))
        start = end
      }
      guard let type = parts.first?.type ?? tables.first?.elementType else {
        throw SQLError.internal("a graph has no vertices")
      }
      return Vector.concatenate(parts, type: type).flattened()
    }
  }

  /// The columns that name some vertices, all of one table: the table, where there are several, and the key.
  func columns(_ vertices: Buffer<UInt32>, count: Int, hasKinds: Bool) throws(SQLError) -> [Vector]
  {
    switch self {
    case .values(_, let values):
      return [values.gathered(vertices, count: count).flattened()]
    case .tables(let tables):
      guard let table = tables.last(where: { $0.range.base <= vertices[0] }) else {
        throw SQLError.internal("a vertex is of no table")
      }
      let positions = Buffer<UInt32>(uninitialized: count)
      for row in 0..<count { positions[row] = vertices[row] &- table.range.base }
      let key = try table.output(table.readers.gather(positions, count: count), count)
      if !hasKinds { return key }
      return [Vector(constant: .string(table.vertices.name), type: .text, count: count)] + key
    }
  }
}

extension GraphNames.Table {
  fileprivate var keyTypes: [LogicalType] { vertices.key.map(\.column.type) }

  /// Keys as they come out.
  fileprivate func output(_ key: [Vector], _ count: Int) throws(SQLError) -> [Vector] {
    if !areTexts { return key }
    let formatter = TextFormatter(ValueStyle())
    if key.count == 1 { return [try formatter.texts(of: key[0].flattened())] }
    return [try formatter.texts(of: row(key, count))]
  }

  /// The type of a key as one value.
  fileprivate var elementType: LogicalType {
    if areTexts { return .text }
    if vertices.key.count == 1 { return vertices.key[0].column.type }
    let fields = vertices.key.map { RecordType.Field($0.column.name, $0.column.type) }
    return .record(RecordType(name: nil, fields: fields))
  }

  /// A key as one value.
  fileprivate func element(_ key: [Vector], _ count: Int) -> Vector {
    key.count == 1 ? key[0] : row(key, count)
  }

  private func row(_ key: [Vector], _ count: Int) -> Vector {
    let fields = vertices.key.map { RecordType.Field($0.column.name, $0.column.type) }
    return Vector(
      type: .record(RecordType(name: nil, fields: fields)), count: count,
      storage: MemoryBlock(byteCount: 0), children: key.map { $0.flattened() })
  }

  /// The positions of the rows with some keys.
  fileprivate func positions(of keys: Vector) throws(SQLError) -> Buffer<UInt32> {
    let none = Buffer<UInt32>(repeating: .max, count: keys.count)
    guard let search else { return none }
    let given = vertices.key.count > 1 ? keys.children : [keys]
    var columns: [Vector] = []
    for column in keyColumns {
      guard let place = vertices.key.firstIndex(where: { $0.index == column }), place < given.count,
        given[place].type.physical == vertices.key[place].column.type.physical,
        !areTexts || given[place].type == vertices.key[place].column.type
      else { return none }
      columns.append(given[place].flattened())
    }
    return try search.lookup(columns, count: keys.count)
  }
}

extension Vector {
  /// The elements of the array in a row.
  fileprivate func elements(ofRow row: Int) -> Vector {
    let flat = flattened()
    let slice = flat.values(ListSlice.self)[row]
    return flat.children[0].flattened().slice(from: Int(slice.offset), count: Int(slice.count))
      .flattened()
  }
}
