/// Writes structures in Thrift's compact protocol.
struct CompactWriter {
  private(set) var bytes: [UInt8] = []
  /// The field written last, of each structure that is not ended yet.
  private var last: [Int] = []

  init() {}

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private mutating func zigzag(_ value: Int64) {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  private mutating func head(_ id: Int, _ type: CompactType) {
    let before = last.popLast() ?? 0
    last.append(id)
    let step = id - before
    if step > 0 && step < 16 {
      bytes.append(UInt8(step) << 4 | type.rawValue)
    } else {
      bytes.append(type.rawValue)
      zigzag(Int64(id))
    }
  }

  /// Writes a structure that stands by itself or in a list.
  mutating func structure(_ body: (inout CompactWriter) -> Void) {
    last.append(0)
    body(&self)
    last.removeLast()
    bytes.append(CompactType.stop.rawValue)
  }

  mutating func structure(_ id: Int, _ body: (inout CompactWriter) -> Void) {
    head(id, .structure)
    structure(body)
  }

  mutating func int32(_ id: Int, _ value: some BinaryInteger) {
    head(id, .int32)
    zigzag(Int64(value))
  }

  mutating func int64(_ id: Int, _ value: some BinaryInteger) {
    head(id, .int64)
    zigzag(Int64(value))
  }

  mutating func int8(_ id: Int, _ value: Int8) {
    head(id, .byte)
    bytes.append(UInt8(bitPattern: value))
  }

  mutating func bool(_ id: Int, _ value: Bool) { head(id, value ? .yes : .no) }

  mutating func binary(_ id: Int, _ value: [UInt8]) {
    head(id, .binary)
    varint(UInt64(value.count))
    bytes += value
  }

  mutating func text(_ id: Int, _ value: String) { binary(id, Array(value.utf8)) }

  private mutating func list(_ id: Int, _ type: CompactType, count: Int) {
    head(id, .list)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | type.rawValue)
    } else {
      bytes.append(0xF0 | type.rawValue)
      varint(UInt64(count))
    }
  }

  mutating func list<Element>(
    _ id: Int, _ elements: [Element], _ body: (inout CompactWriter, Element) -> Void
  ) {
    list(id, .structure, count: elements.count)
    for element in elements { structure { body(&$0, element) } }
  }

  mutating func numbers(_ id: Int, _ elements: [Int32]) {
    list(id, .int32, count: elements.count)
    for element in elements { zigzag(Int64(element)) }
  }

  mutating func texts(_ id: Int, _ elements: [String]) {
    list(id, .binary, count: elements.count)
    for element in elements {
      varint(UInt64(element.utf8.count))
      bytes += element.utf8
    }
  }
}
