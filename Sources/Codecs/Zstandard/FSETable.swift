import Columnar

/// A table of finite state entropy: each state stands for a symbol, and leads to the next by some bits.
///
/// Source: RFC 8878, section 4.1.
///
/// - Invariant: states are below 2^`log`; every entry leads to one, whatever its bits are, and its symbol is at most the greatest that the
///   table was made for.
struct FSETable {
  /// The symbol (8 bits), how many bits are read (8), and the state for bits of zero (16).
  private(set) var entries: Buffer<UInt32>
  private(set) var log: Int

  @inline(__always)
  static func symbol(_ entry: UInt32) -> Int { Int(truncatingIfNeeded: entry & 0xFF) }
  @inline(__always)
  static func bitCount(_ entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 8 & 0xFF) }
  @inline(__always)
  static func base(_ entry: UInt32) -> Int { Int(truncatingIfNeeded: entry &>> 16) }

  /// A table of one symbol, which takes no bits.
  init(only symbol: UInt8) {
    entries = Buffer([UInt32(symbol)])
    log = 0
  }

  /// The table of symbols that come with these frequencies out of 2^`log`, -1 for less than one.
  ///
  /// - Precondition: the frequencies come to 2^`log`, -1 counted as 1.
  init(_ frequencies: [Int], log: Int) {
    self.log = log
    let size = 1 << log
    entries = Buffer(zeroed: size)
    var next = [Int](repeating: 0, count: frequencies.count)
    var high = size
    for (symbol, frequency) in frequencies.enumerated() {
      next[symbol] = abs(frequency)
      if frequency == -1 {
        high -= 1
        entries[high] = UInt32(symbol)
      }
    }
    // The others are spread evenly over the rest.
    let step = size >> 1 + size >> 3 + 3
    var place = 0
    for (symbol, frequency) in frequencies.enumerated() where frequency > 0 {
      for _ in 0..<frequency {
        entries[place] = UInt32(symbol)
        repeat { place = (place + step) & (size - 1) } while place >= high
      }
    }
    for state in 0..<size {
      let symbol = Int(entries[state])
      let number = next[symbol]
      next[symbol] += 1
      let bits = log - (Int.bitWidth - 1 - number.leadingZeroBitCount)
      entries[state] = UInt32(symbol | bits << 8 | (number << bits - size) << 16)
    }
  }

  /// Reads frequencies, and leaves `position` behind them; nil for what are none.
  init?(
    _ bytes: Buffer<UInt8>, _ position: inout Int, end: Int, logMax: Int, symbolMax: Int
  ) {
    guard position < end else { return nil }
    let source = PagePointer(bytes)
    let log = Int(bytes[position] & 15) + 5
    guard log <= logMax else { return nil }
    var bit = position * 8 + 4
    func bits(_ count: Int) -> Int {
      Int(source.word(at: bit >> 3) >> UInt64(bit & 7) & (1 << UInt64(count) - 1))
    }
    var left = 1 << log
    var frequencies: [Int] = []
    while left > 0 {
      guard frequencies.count <= symbolMax, bit <= end * 8 else { return nil }
      // Numbers up to left + 1 take a bit less where they are small.
      let width = Int.bitWidth - (left + 1).leadingZeroBitCount
      var value = bits(width)
      let lower = 1 << (width - 1) - 1
      let threshold = 1 << width - 1 - (left + 1)
      if value & lower < threshold {
        value &= lower
        bit += width - 1
      } else {
        if value > lower { value -= threshold }
        bit += width
      }
      let frequency = value - 1
      left -= abs(frequency)
      frequencies.append(frequency)
      guard frequency == 0 else { continue }
      while true {
        let zeros = bits(2)
        bit += 2
        guard frequencies.count + zeros <= symbolMax + 1, bit <= end * 8 else { return nil }
        frequencies += [Int](repeating: 0, count: zeros)
        if zeros < 3 { break }
      }
    }
    guard left == 0, frequencies.count <= symbolMax + 1, bit <= end * 8 else { return nil }
    position = (bit + 7) / 8
    self.init(frequencies, log: log)
  }
}
