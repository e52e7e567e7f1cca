import Testing

@testable import Columnar

/// Random columns for the tests of keys: few distinct values, some NULLs, in each form of a vector.
struct RandomColumns {
  var generator: SplitMix
  /// The most bytes that a text of the column at hand has.
  private var textBytesMost = 40

  init(seed: UInt64) { generator = SplitMix(state: seed) }

  mutating func value(_ type: LogicalType) -> Value {
    if generator.next() % 7 == 0 { return .null }
    let small = Int64(generator.next() % 11) - 5
    switch type {
    case .boolean: return .boolean(small > 0)
    case .smallint: return .int16(Int16(small))
    case .integer, .date: return .int32(Int32(small) &* 1_000_003)
    case .bigint, .timestamp: return .int64(small &* 1_000_000_000_007)
    case .real: return .float(small == 5 ? .nan : Float(small) / 2)
    case .double: return .double(small == 5 ? .nan : small == 0 ? -0.0 : Double(small) / 2)
    case .numeric:
      let scale = Int16(generator.next() % 3)
      let ten: Int128 = scale == 0 ? 1 : scale == 1 ? 10 : 100
      return .numeric(Numeric(coefficient: Int128(small) * ten, scale: scale))
    case .interval:
      return .interval(
        Interval(months: Int32(small), days: Int32(-small &* 30), microseconds: small))
    case .uuid: return .uuid(UUIDValue(high: UInt64(bitPattern: small), low: 7))
    case .text, .bytea:
      // As long as what a key or a view holds inline, a little shorter or longer; beginnings are in common.
      let lengths = [0, 3, 6, 7, 8, 12, 13, 40].filter { $0 <= textBytesMost }
      let length = lengths[Int(generator.next() % UInt64(lengths.count))]
      if length == 0 { return .text([]) }
      return .text(Array(repeating: 97, count: length - 1) + [UInt8(97 + (small + 5) / 3)])
    case .array(let element): return .list((0..<Int(small + 5) / 3).map { _ in value(element) })
    default: return .null
    }
  }

  mutating func column(_ type: LogicalType, _ count: Int) -> Vector {
    textBytesMost = [3, 7, 8, 13, 40][Int(generator.next() % 5)]
    switch generator.next() % 4 {
    case 0 where count > 0: return Vector(constant: value(type), type: type, count: count)
    case 1:
      let base = Vector(type, (0..<max(1, count / 2)).map { _ in value(type) })
      let positions = Buffer<UInt32>(uninitialized: count)
      for row in 0..<count { positions[row] = UInt32(generator.next() % UInt64(base.count)) }
      return base.gathered(positions, count: count)
    default: return Vector(type, (0..<count).map { _ in value(type) })
    }
  }
}

/// A small generator whose sequence a seed decides.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

let keyTypes: [LogicalType] = [
  .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .interval, .uuid, .text, .bytea,
  .date, .array(.integer),
]
let chunkLengths = [0, 1, 63, 64, 65, 2048]

@Suite("Keys of rows")
struct KeysTests {
  @Test("equal values hash alike, as column and by themselves", arguments: keyTypes)
  func hashing(_ type: LogicalType) {
    var random = RandomColumns(seed: 1)
    for length in chunkLengths {
      let column = random.column(type, length)
      let hashes = Hashing.hash([column], count: length)
      let flat = column.flattened()
      var seen: [(row: Int, hash: UInt64)] = []
      for row in 0..<length {
        if let same = seen.first(where: {
          ValueOrder.compareNullable(flat, $0.row, flat, row) == 0
        }) {
          #expect(same.hash == hashes[row])
        } else {
          #expect(!seen.contains { $0.hash == hashes[row] })
          seen.append((row, hashes[row]))
        }
      }
    }
  }

  /// Rows that were never put in are found if and only if an equal one was.
  private func expectFound(
    _ columns: [Vector], _ length: Int, in table: GroupTable, _ keys: [Vector]
  ) throws {
    let found = try table.find(columns, count: length)
    let flat = columns.map { $0.flattened() }
    for row in 0..<min(length, 100) {
      let group = (0..<table.groupCount).first { group in
        columns.indices.allSatisfy {
          ValueOrder.compareNullable(flat[$0], row, keys[$0], group) == 0
        }
      }
      #expect(found[row] == group.map(UInt32.init) ?? .max)
    }
  }

  @Test("a group table numbers rows as a naive table does", arguments: chunkLengths)
  func grouping(_ length: Int) throws {
    var random = RandomColumns(seed: UInt64(length) + 2)
    let shapes: [[LogicalType]] =
      keyTypes.map { [$0] } + [
        [.integer, .integer], [.bigint, .integer], [.text, .integer], [.smallint, .boolean],
        [.bigint, .bigint], [.double, .numeric, .text], [.integer, .text], [.text, .text],
        [.text, .smallint], [.smallint, .text, .boolean],
      ]
    for types in shapes {
      let table = GroupTable(types: types)
      var known: [[Vector]] = []
      for _ in 0..<3 {
        let columns = types.map { random.column($0, length) }
        let before = table.groupCount
        let groups = try table.findOrInsert(columns, count: length)
        let flat = columns.map { $0.flattened() }
        for row in 0..<length {
          let keys = table.keys(Int(groups[row])..<(Int(groups[row]) + 1))
          for column in types.indices {
            #expect(ValueOrder.compareNullable(flat[column], row, keys[column], 0) == 0)
          }
        }
        known.append(flat)
        #expect(table.groupCount >= before)
        #expect(try table.find(columns, count: length).array(length) == groups.array(length))
      }
      let keys = table.keys(0..<table.groupCount)
      try expectFound(types.map { random.column($0, length) }, length, in: table, keys)
      let orders = types.map { _ in SortOrder() }
      let sorted = try Sorting.permutation(columns: keys, orders: orders, count: table.groupCount)
      for place in 1..<max(1, table.groupCount) {
        let order = RowComparison.compare(
          keys, Int(sorted[place - 1]), keys, Int(sorted[place]), orders: orders)
        #expect(order < 0, "groups are distinct")
      }
      let copy = GroupTable(types: types)
      let mapping = try copy.merge(table)
      #expect(mapping.array(table.groupCount) == (0..<UInt32(table.groupCount)).map { $0 })
    }
  }

  /// What is looked up has longer texts than what is known, beside columns before and behind.
  @Test(
    "keys are found beside texts that are longer than all known",
    arguments: [
      [LogicalType.text, .integer], [.integer, .text], [.text, .smallint, .boolean],
      [.text, .text],
    ])
  func longerTexts(_ types: [LogicalType]) throws {
    var random = RandomColumns(seed: 12)
    func value(_ type: LogicalType, longest: UInt64) -> Value {
      guard type == .text else { return random.value(type) }
      let length = Int(random.generator.next() % (longest + 1))
      return random.generator.next() % 9 == 0 ? .null : .text(Array(repeating: 98, count: length))
    }
    func columns(_ rows: [[Value]]) -> [Vector] {
      types.indices.map { place in Vector(types[place], rows.map { $0[place] }) }
    }
    let known = (0..<40).map { _ in types.map { value($0, longest: 7) } }
    let asked = (0..<400).map { _ in types.map { value($0, longest: 40) } }
    let table = GroupTable(types: types)
    let (keys, wanted) = (columns(known), columns(asked))
    let groups = try table.findOrInsert(keys, count: known.count).array(known.count)
    let found = try table.find(wanted, count: asked.count)
    var foundCount = 0
    for row in asked.indices {
      let same = known.indices.first { other in
        types.indices.allSatisfy {
          ValueOrder.compareNullable(wanted[$0], row, keys[$0], other) == 0
        }
      }
      #expect(found[row] == same.map { groups[$0] } ?? .max)
      foundCount += same == nil ? 0 : 1
    }
    #expect(foundCount > 10)
  }

  @Test("one integer key leaves the direct array when its range grows")
  func wideningKeys() throws {
    let table = GroupTable(types: [.bigint])
    let batches: [[Int64]] = [
      [5, 6, 5], [-100, 5, 60_000], [1 << 40, 6, -100], [.max, .min, 5, 1 << 40],
    ]
    var numbers: [Int64: UInt32] = [:]
    for batch in batches {
      let keys = Vector(.bigint, batch.map { Value.int64($0) })
      let groups = try table.findOrInsert([keys], count: batch.count)
      for (row, key) in batch.enumerated() {
        if numbers[key] == nil { numbers[key] = UInt32(numbers.count) }
        #expect(groups[row] == numbers[key])
      }
    }
    #expect(
      try table.find([Vector(.bigint, [.int64(77), .null])], count: 2).array(2) == [.max, .max])
  }

  /// The ranges of the keys at first, how fast they grow, and how many keys there are.
  @Test(
    "several integer keys keep their numbers when their ranges grow",
    arguments: [
      (3, 1, 2), (200, 3, 2), (9, 40, 3), (2, 9000, 2), (4, 2, 5), (70_000, 1, 2), (1 << 17, 5, 3),
      (1 << 20, 9, 5),
    ])
  func growingRanges(_ range: Int64, _ growth: Int64, _ keyCount: Int) throws {
    var generator = SplitMix(state: UInt64(range))
    let types = Array(
      [LogicalType.integer, .bigint, .smallint, .boolean, .integer].prefix(keyCount))
    let table = GroupTable(types: types)
    var numbers: [[Int64?]: UInt32] = [:]
    var span = range
    for _ in 0..<8 {
      var rows: [[Int64?]] = []
      for _ in 0..<500 {
        rows.append(
          types.map { type in
            if generator.next() % 11 == 0 { return nil }
            let number = Int64(generator.next() % UInt64(2 * span + 1)) - span
            return type == .boolean ? number & 1 : type == .smallint ? number % 30_000 : number
          })
      }
      let keys = types.indices.map { key in
        Vector(types[key], rows.map { Self.value($0[key], types[key]) })
      }
      let known = try table.find(keys, count: rows.count).array(rows.count)
      for (row, group) in zip(rows, known) { #expect(group == numbers[row] ?? .max) }
      let groups = try table.findOrInsert(keys, count: rows.count).array(rows.count)
      for (row, group) in zip(rows, groups) {
        if numbers[row] == nil { numbers[row] = UInt32(numbers.count) }
        #expect(group == numbers[row])
      }
      span = min(span * growth, 1 << 30)
    }
    let ends = Vector(.bigint, [.int64(.min), .int64(.max), .null, .int64(.min)])
    let pairs = GroupTable(types: [.bigint, .bigint])
    let reversed = Vector(.bigint, [.int64(.max), .int64(.min), .int64(.max), .int64(.max)])
    #expect(try pairs.findOrInsert([ends, reversed], count: 4).array(4) == [0, 1, 2, 0])
  }

  @Test("keys that fit 64 bits together are found, and those beside their ranges are not")
  func fittedKeys() throws {
    let table = GroupTable(types: [.bigint, .integer, .bigint])
    func columns(_ rows: [[Int64?]]) -> [Vector] {
      table.types.enumerated().map { key, type in
        Vector(type, rows.map { Self.value($0[key], type) })
      }
    }
    var rows: [[Int64?]] = []
    for number in Int64(0)..<2000 {
      rows.append([1 << 40 + number * 977, number * 31 - 9000, 0 - number * number])
    }
    rows += [[nil, 0, 0], [1 << 40, nil, 0], [nil, nil, nil]]
    let all = UInt32(rows.count)
    #expect(
      try table.findOrInsert(columns(rows), count: rows.count).array(rows.count)
        == Array(0..<all))
    // Neither what wraps round to a known key nor what is just behind a range is one.
    let others: [[Int64?]] = [
      [0, 0, 0], [.max, 0, 0], [.min, 0, 0], [1 << 40, Int64(Int32.max), 0], [nil, nil, 1],
      [nil, nil, nil], [1 << 40, -9000, 1 << 62], [1 << 40, -9000, 0],
    ]
    let found = try table.find(columns(others), count: others.count)
    #expect(
      found.array(others.count)
        == [.max, .max, .max, .max, .max, all - 1, .max, 0])
    // They are as good as any once they come, and known ones keep their numbers.
    let added = try table.findOrInsert(columns(others), count: others.count).array(others.count)
    #expect(added == [all, all + 1, all + 2, all + 3, all + 4, all - 1, all + 5, 0])
    #expect(
      try table.find(columns(rows), count: rows.count).array(rows.count) == Array(0..<all))
  }

  private static func value(_ number: Int64?, _ type: LogicalType) -> Value {
    guard let number else { return .null }
    return switch type {
    case .boolean: .boolean(number > 0)
    case .smallint: .int16(Int16(number))
    case .integer: .int32(Int32(number))
    default: .int64(number)
    }
  }

  @Test("DISTINCT lets the first row of each group through")
  func insertNew() throws {
    let table = GroupTable(types: [.text])
    let first = Vector(.text, [.string("a"), .string("b"), .string("a"), .null, .null])
    #expect(try table.insertNew([first], count: 5).positions.array(3) == [0, 1, 3])
    let second = Vector(.text, [.string("c"), .string("b"), .string("c")])
    let kept = try table.insertNew([second], count: 3)
    #expect(kept.count == 1 && kept.positions[0] == 0)
  }

  @Test("sorting is stable and follows the columns' orders", arguments: chunkLengths)
  func sorting(_ length: Int) throws {
    var random = RandomColumns(seed: UInt64(length) + 9)
    let shapes: [[LogicalType]] =
      keyTypes.map { [$0] } + [
        [.integer, .text], [.text, .text], [.bigint, .bigint, .bigint], [.numeric, .double],
        [.uuid, .boolean], [.boolean, .smallint, .date],
      ]
    for types in shapes {
      let columns = types.map { random.column($0, length) }
      let orders = types.map { _ in
        SortOrder(
          descending: random.generator.next() % 2 == 0,
          nullsFirst: random.generator.next() % 2 == 0)
      }
      let flat = columns.map { $0.flattened() }
      let expected = (0..<length).sorted { a, b in
        let order = RowComparison.compare(flat, a, flat, b, orders: orders)
        return order < 0 || (order == 0 && a < b)
      }
      let sorted = try Sorting.permutation(columns: columns, orders: orders, count: length)
      #expect(sorted.array(length).map { Int($0) } == expected, "\(types) \(orders)")
      for limit in [0, 1, length / 3, length] {
        let top = try Sorting.topPermutation(
          columns: columns, orders: orders, count: length, limit: limit)
        #expect(top.rows.array(top.count).map { Int($0) } == Array(expected.prefix(limit)))
      }
      let half = length / 2
      let left = expected.filter { $0 < half }.map { UInt32($0) }
      let right = expected.filter { $0 >= half }.map { UInt32($0) }
      let merged = try Sorting.merge(
        Buffer(left), left.count, Buffer(right), right.count, columns: columns, orders: orders)
      #expect(merged.array(length).map { Int($0) } == expected)
    }
  }

  @Test("few rows are sorted as many are, with those that are equal to the last", arguments: 1...64)
  func sortingOfFew(_ length: Int) throws {
    var random = RandomColumns(seed: UInt64(length) &* 77)
    for type in keyTypes {
      for second in [LogicalType.text, .numeric, .bigint] {
        // Of a few values, so that many rows are equal.
        let picks = Buffer<UInt32>(uninitialized: length)
        for row in 0..<length { picks[row] = UInt32(random.generator.next() % UInt64(length)) }
        let columns = [random.column(type, length), random.column(second, length)].map {
          $0.flattened().gathered(picks, count: length)
        }
        let orders = columns.map { _ in
          SortOrder(
            descending: random.generator.next() % 2 == 0,
            nullsFirst: random.generator.next() % 2 == 0)
        }
        let flat = columns.map { $0.flattened() }
        let compact = flat.map { $0.type == .numeric ? $0.narrowed(count: length) ?? $0 : $0 }
        let expected = (0..<length).sorted { a, b in
          let order = RowComparison.compare(flat, a, flat, b, orders: orders)
          return order < 0 || (order == 0 && a < b)
        }
        for keys in [columns, compact] {
          let sorted = try Sorting.permutation(columns: keys, orders: orders, count: length)
          #expect(sorted.array(length).map { Int($0) } == expected, "\(type) \(orders)")
          let limit = 1 + length / 4
          let ties = expected.prefix { row in
            RowComparison.compare(flat, row, flat, expected[limit - 1], orders: orders) <= 0
          }
          let top = try Sorting.topPermutation(
            columns: keys, orders: orders, count: length, limit: limit, withTies: true)
          #expect(top.rows.array(top.count).map { Int($0) } == Array(ties), "\(type) \(orders)")
        }
      }
    }
  }

  @Test("pairs match as the order of their values says", arguments: keyTypes)
  func matching(_ type: LogicalType) {
    var random = RandomColumns(seed: 4)
    for length in chunkLengths where length > 0 {
      let left = random.column(type, length)
      let right = random.column(type, length)
      let a = Buffer<UInt32>(uninitialized: length)
      let b = Buffer<UInt32>(uninitialized: length)
      for pair in 0..<length {
        a[pair] = UInt32(random.generator.next() % UInt64(length))
        b[pair] = UInt32(random.generator.next() % UInt64(length))
      }
      let x = left.flattened()
      let y = right.flattened()
      for nulls in [NullEquality.equal, .unequal] {
        let kept = RowComparison.matching([left], a, [right], b, count: length, nulls: nulls)
        let expected = (0..<UInt32(length)).filter { pair in
          let i = Int(a[pair])
          let j = Int(b[pair])
          if nulls == .unequal && !(x.validity.isValid(i) && y.validity.isValid(j)) { return false }
          return ValueOrder.compareNullable(x, i, y, j) == 0
        }
        #expect(kept.positions.array(kept.count) == expected)
      }
    }
  }

  @Test("gathering and concatenation keep rows and NULLs", arguments: keyTypes)
  func gathering(_ type: LogicalType) {
    var random = RandomColumns(seed: 6)
    let parts = chunkLengths.map { random.column(type, $0) }
    let whole = Vector.concatenate(parts, type: type)
    var row = 0
    for part in parts {
      let flat = part.flattened()
      for index in 0..<part.count {
        #expect(ValueOrder.compareNullable(flat, index, whole, row) == 0)
        row += 1
      }
    }
    let positions = Buffer<UInt32>([3, .max, 0, .max, 70])
    let fetched = whole.gatheredOptional(positions, count: 5)
    for (index, position) in positions.array(5).enumerated() {
      if position == .max {
        #expect(!fetched.isValid(index))
      } else {
        #expect(ValueOrder.compareNullable(fetched, index, whole, Int(position)) == 0)
      }
    }
  }
}
