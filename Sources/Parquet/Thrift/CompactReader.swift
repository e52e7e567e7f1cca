import Columnar

/// The type of a field in Thrift's compact protocol.
enum CompactType: UInt8 {
  case stop, yes, no, byte, int16, int32, int64, double, binary, list, set, map, structure, uuid
}

/// Reads structures in Thrift's compact protocol, those parts of it that the metadata of a file has.
///
/// Source: "Thrift compact protocol encoding", github.com/apache/thrift, doc/specs/thrift-compact-protocol.md.
///
/// - Invariant: `position` never passes `end`. Every value takes at least one byte, so that no list that is read has more elements
///   than there are bytes.
struct CompactReader {
  private let bytes: Buffer<UInt8>
  private(set) var position: Int
  let end: Int
  private var depth = 0

  /// Structures stand in each other no deeper; those of the format come to seven.
  private static let depthMax = 32

  /// A reader of the bytes in `range`.
  init(_ bytes: Buffer<UInt8>, _ range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range must lie inside")
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  private func damaged(_ reason: String) -> Damage { Damage(reason, at: position) }

  // MARK: Values

  mutating func byte() throws(Damage) -> UInt8 {
    guard position < end else { throw damaged("its metadata is cut off") }
    position += 1
    return bytes[position - 1]
  }

  mutating func varint() throws(Damage) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      guard shift < 63 || next < 2 else { throw damaged("a number of its metadata is too long") }
      value |= UInt64(next & 127) << shift
      if next < 128 { return value }
      shift += 7
      guard shift < 64 else { throw damaged("a number of its metadata is too long") }
    }
  }

  mutating func int64() throws(Damage) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(value & 1)
  }

  mutating func int32() throws(Damage) -> Int32 {
    guard let value = Int32(exactly: try int64()) else {
      throw damaged("a number of its metadata is too large")
    }
    return value
  }

  /// Where the bytes of a text stand.
  mutating func binary() throws(Damage) -> Range<Int> {
    let length = try varint()
    guard length <= UInt64(end - position) else {
      throw damaged("a text of its metadata is cut off")
    }
    let start = position
    position += Int(length)
    return start..<position
  }

  /// A text; bytes that are no UTF-8 are replaced.
  mutating func text() throws(Damage) -> String { bytes.bytes(try binary()).string }

  // MARK: Structures

  /// Reads a structure: `body` reads the field that it is told of and says true, or leaves it to be skipped.
  mutating func structure(
    _ body: (inout CompactReader, _ id: Int, _ type: CompactType) throws(Damage) -> Bool
  ) throws(Damage) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw damaged("its metadata is nested too deeply") }
    var id = 0
    while true {
      let head = try byte()
      guard let type = CompactType(rawValue: head & 15) else {
        throw damaged("its metadata has a field of unknown type")
      }
      if type == .stop { return }
      let step = Int(head >> 4)
      if step > 0 {
        id += step
      } else {
        id = Int(try int32())
      }
      if try !body(&self, id, type) { try skip(type, isElement: false) }
    }
  }

  /// The head of a list: what its elements are, and how many.
  mutating func listHead() throws(Damage) -> (type: CompactType, count: Int) {
    let head = try byte()
    // Some writers say nothing of what an empty list does not hold.
    if head == 0 { return (.binary, 0) }
    guard let type = CompactType(rawValue: head & 15), type != .stop else {
      throw damaged("its metadata has a list of unknown type")
    }
    let count = head >> 4 == 15 ? try varint() : UInt64(head >> 4)
    guard count <= UInt64(end - position) else {
      throw damaged("a list of its metadata is cut off")
    }
    return (type, Int(count))
  }

  /// Reads a list of structures, each by `body`.
  mutating func list<Element>(
    atMost countMax: Int, _ body: (inout CompactReader) throws(Damage) -> Element
  ) throws(Damage) -> [Element] {
    let (type, count) = try listHead()
    guard type == .structure || count == 0 else {
      throw damaged("a list of its metadata has other elements")
    }
    guard count <= countMax else {
      throw damaged("a list of its metadata has \(count) elements, more than \(countMax)")
    }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try body(&self)) }
    return elements
  }

  /// Passes over a value.
  mutating func skip(_ type: CompactType, isElement: Bool) throws(Damage) {
    switch type {
    case .stop: break
    // A field's head says which it is.
    case .yes, .no: if isElement { _ = try byte() }
    case .byte: _ = try byte()
    case .int16, .int32, .int64: _ = try varint()
    case .double: try pass(8)
    case .uuid: try pass(16)
    case .binary: _ = try binary()
    case .list, .set:
      let (element, count) = try listHead()
      try nested { (reader) throws(Damage) in
        for _ in 0..<count { try reader.skip(element, isElement: true) }
      }
    case .map: try skipMap()
    case .structure: try structure { (_, _, _) throws(Damage) in false }
    }
  }

  private mutating func skipMap() throws(Damage) {
    let count = try varint()
    if count == 0 { return }
    guard count <= UInt64(end - position) else {
      throw damaged("a map of its metadata is cut off")
    }
    let types = try byte()
    guard let key = CompactType(rawValue: types >> 4), let value = CompactType(rawValue: types & 15)
    else { throw damaged("its metadata has a map of unknown type") }
    try nested { (reader) throws(Damage) in
      for _ in 0..<count {
        try reader.skip(key, isElement: true)
        try reader.skip(value, isElement: true)
      }
    }
  }

  private mutating func nested(
    _ body: (inout CompactReader) throws(Damage) -> Void
  ) throws(Damage) {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthMax else { throw damaged("its metadata is nested too deeply") }
    try body(&self)
  }

  private mutating func pass(_ count: Int) throws(Damage) {
    guard count <= end - position else { throw damaged("its metadata is cut off") }
    position += count
  }
}
