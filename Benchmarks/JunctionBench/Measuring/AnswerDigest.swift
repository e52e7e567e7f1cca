import Foundation

/// CRC-32 as zlib computes it, so that scripts of peers can have it from their standard library.
struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 != 0 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
    }
  }

  var value: UInt32 { ~state }

  mutating func add(_ byte: UInt8) {
    state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    let table = Self.table
    var state = state
    for byte in bytes {
      state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state >> 8
    }
    self.state = state
  }
}

/// How many rows an answer has, and what they say: the same for every engine that is right.
struct Answer: Equatable, CustomStringConvertible {
  var rows: Int
  var digest: UInt64

  var description: String { "\(rows) rows \(hex)" }

  /// The digest as 16 hexadecimal digits.
  var hex: String {
    let digits = String(digest, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Boils the rows of an answer down to a number; `Benchmarks/Peers/PROTOCOL.md` defines it.
struct AnswerDigest {
  private let isOrdered: Bool
  private var rows = 0
  private var total: UInt64 = 0
  private var row = CRC32()
  private var isFirst = true

  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  var answer: Answer { Answer(rows: rows, digest: total) }

  private mutating func beginValue() {
    if !isFirst { row.add(0x1F) }
    isFirst = false
  }

  /// How a value is compared: to the byte, by six digits, or as a JSON array.
  enum Form { case text, number, json }

  mutating func add(_ bytes: some Sequence<UInt8>, _ form: Form) {
    switch form {
    case .text: add(bytes)
    case .number: addNumber(bytes)
    case .json: addJSON(bytes)
    }
  }

  mutating func add(_ number: Int64) { add(String(number).utf8) }

  /// Adds a number by its first six digits.
  private mutating func addNumber(_ bytes: some Sequence<UInt8>) {
    let text = String(decoding: Array(bytes), as: UTF8.self)
    add(Double(text).map { String(format: "%.6g", $0 == 0 ? 0 : $0) }.orEmpty.utf8)
  }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    beginValue()
    row.add(bytes)
  }

  mutating func addNull() {
    beginValue()
    row.add(0)
  }

  /// Adds a JSON array whose elements count in any order and whose white space does not count.
  mutating func addJSON(_ bytes: some Sequence<UInt8>) {
    var elements = JSONElements()
    elements.read(bytes)
    add("\(elements.count):\(elements.sum)".utf8)
  }

  mutating func endRow() {
    let hash = UInt64(row.value)
    total = isOrdered ? total &* 1_099_511_628_211 &+ hash : total &+ hash
    rows += 1
    row = CRC32()
    isFirst = true
  }
}

/// The elements of a JSON array: how many, and the sum of their hashes.
private struct JSONElements {
  private(set) var count = 0
  private(set) var sum: UInt64 = 0

  mutating func read(_ bytes: some Sequence<UInt8>) {
    var depth = 0
    var isInString = false
    var isEscaped = false
    var element = CRC32()
    var isEmpty = true
    for byte in bytes {
      if isInString {
        element.add(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      switch byte {
      case 9, 10, 13, 32: continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        if depth == 1 { continue }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        if depth == 0 { continue }
      case UInt8(ascii: ","):
        if depth == 1 {
          end(&element)
          continue
        }
      case UInt8(ascii: "\""): isInString = true
      default: break
      }
      isEmpty = false
      element.add(byte)
    }
    if !isEmpty { end(&element) }
  }

  private mutating func end(_ element: inout CRC32) {
    count += 1
    sum &+= UInt64(element.value)
    element = CRC32()
  }
}
