/// Fields of a part of a CSV file without quotes.
struct FieldReader {
  private let file: Cells<UInt8>
  private var place: Int
  private let end: Int

  init(_ file: Cells<UInt8>) { self.init(file, from: 0, to: file.count) }

  init(_ file: Cells<UInt8>, from start: Int, to end: Int) {
    self.file = file
    place = start
    self.end = end
  }

  var isAtEnd: Bool { place >= end }

  mutating func skipLine() { _ = text(endedBy: 10) }

  /// The digits up to `stop`, which is passed over; -1 where anything else stands there.
  @inline(__always)
  mutating func number(endedBy stop: UInt8) -> Int {
    var value = 0
    while place < end {
      let byte = file[place]
      place &+= 1
      if byte == stop { return value }
      guard byte &- 48 < 10, value < 1 << 40 else { return -1 }
      value = value &* 10 &+ Int(byte &- 48)
    }
    return value
  }

  /// The places up to `stop`, which is passed over: eight bytes at a time, the stop found by its zero after an exclusive or.
  @inline(__always)
  mutating func text(endedBy stop: UInt8) -> Range<Int> {
    let start = place
    let pattern = UInt64(stop) &* 0x0101_0101_0101_0101
    while place < end {
      let odd = file.word(at: place) ^ pattern
      let zeros = (odd &- 0x0101_0101_0101_0101) & ~odd & 0x8080_8080_8080_8080
      if zeros != 0 {
        let found = min(end, place &+ zeros.trailingZeroBitCount &>> 3)
        place = found &+ 1
        return start..<found
      }
      place &+= 8
    }
    place = end
    return start..<end
  }
}
