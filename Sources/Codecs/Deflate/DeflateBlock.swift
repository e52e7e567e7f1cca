import Columnar

/// Symbols with the code that suits them best.
struct DeflateBlock {
  private let packed: DeflateSymbols
  private let literals: HuffmanCode
  private let distances: HuffmanCode
  /// The lengths of both codes, runs of equal ones put together: a symbol of the code of code lengths, what more tells of it, and
  /// how many bits that is.
  private var runs: [(symbol: Int, extra: Int, extraBits: Int)] = []
  private let runCode: HuffmanCode
  private let literalCount: Int
  private let distanceCount: Int
  private let runLengthCount: Int
  /// How many bits the block takes.
  let bitCount: Int

  init(_ packed: DeflateSymbols) {
    self.packed = packed
    literals = HuffmanCode(counts: packed.literalCounts, limit: DecodingTable.lengthMax)
    distances = HuffmanCode(counts: packed.distanceCounts, limit: DecodingTable.lengthMax)
    literalCount = max(257, (literals.lengths.lastIndex { $0 > 0 } ?? 0) + 1)
    distanceCount = max(1, (distances.lengths.lastIndex { $0 > 0 } ?? 0) + 1)
    runs = Self.runs(
      Array(literals.lengths[..<literalCount] + distances.lengths[..<distanceCount]))
    var counts = [Int](repeating: 0, count: 19)
    for run in runs { counts[run.symbol] += 1 }
    let runCode = HuffmanCode(counts: counts, limit: 7)
    self.runCode = runCode
    runLengthCount = max(
      4, (Deflate.codeLengthOrder.lastIndex { runCode.lengths[$0] > 0 } ?? 0) + 1)
    var total = 3 + 14 + 3 * runLengthCount
    for run in runs { total += Int(runCode.lengths[run.symbol]) + run.extraBits }
    for (symbol, count) in packed.literalCounts.enumerated() where count > 0 {
      let extra = symbol > 256 ? Deflate.lengths[symbol - 257].extraBits : 0
      total += count * (Int(literals.lengths[symbol]) + extra)
    }
    for (symbol, count) in packed.distanceCounts.enumerated() where count > 0 {
      total += count * (Int(distances.lengths[symbol]) + Deflate.distances[symbol].extraBits)
    }
    bitCount = total
  }

  private static func runs(_ lengths: [UInt8]) -> [(symbol: Int, extra: Int, extraBits: Int)] {
    var runs: [(symbol: Int, extra: Int, extraBits: Int)] = []
    var start = 0
    while start < lengths.count {
      let value = lengths[start]
      var end = start + 1
      while end < lengths.count && lengths[end] == value { end += 1 }
      var rest = end - start
      start = end
      if value == 0 {
        while rest >= 3 {
          let length = min(rest, 138)
          runs.append(length < 11 ? (17, length - 3, 3) : (18, length - 11, 7))
          rest -= length
        }
      } else {
        runs.append((Int(value), 0, 0))
        rest -= 1
        while rest >= 3 {
          let length = min(rest, 6)
          runs.append((16, length - 3, 2))
          rest -= length
        }
      }
      for _ in 0..<rest { runs.append((Int(value), 0, 0)) }
    }
    return runs
  }

  func write(isLast: Bool, to bits: inout BitWriter) {
    bits.add(isLast ? 0b101 : 0b100, 3)
    bits.add(UInt64(literalCount - 257), 5)
    bits.add(UInt64(distanceCount - 1), 5)
    bits.add(UInt64(runLengthCount - 4), 4)
    for place in 0..<runLengthCount {
      bits.add(UInt64(runCode.lengths[Deflate.codeLengthOrder[place]]), 3)
    }
    for run in runs {
      bits.add(UInt64(runCode.codes[run.symbol]), UInt64(runCode.lengths[run.symbol]))
      bits.add(UInt64(run.extra), UInt64(run.extraBits))
    }
    let literals = Self.table(literals)
    let distances = Self.table(distances)
    let lengthTable = Self.table(Deflate.lengths)
    let distanceTable = Self.table(Deflate.distances)
    let (lengthSymbols, distanceSymbols) = (
      DeflateSymbols.lengthSymbols, DeflateSymbols.distanceSymbols
    )
    for index in 0..<packed.count {
      let symbol = packed.symbols[index]
      if symbol & DeflateSymbols.match == 0 {
        let code = literals[Int(truncatingIfNeeded: symbol)]
        bits.add(code & 0xFFFF, code &>> 16)
        continue
      }
      let length = Int(truncatingIfNeeded: symbol &>> 16 & 0x7FFF)
      let distance = Int(truncatingIfNeeded: symbol & 0xFFFF) &+ 1
      let lengthSymbol = Int(lengthSymbols[length])
      let code = literals[257 &+ lengthSymbol]
      // A length takes 15 bits and 5 more at most, and a distance 15 and 13.
      let own = lengthTable[lengthSymbol]
      let more = UInt64(truncatingIfNeeded: length) &- (own & 0xFFFF)
      bits.add(code & 0xFFFF | more &<< (code &>> 16), code &>> 16 &+ own &>> 16)
      let distanceSymbol = DeflateSymbols.distanceSymbol(distance, distanceSymbols)
      let far = distances[distanceSymbol]
      let base = distanceTable[distanceSymbol]
      let rest = UInt64(truncatingIfNeeded: distance) &- (base & 0xFFFF)
      bits.add(far & 0xFFFF | rest &<< (far &>> 16), far &>> 16 &+ base &>> 16)
    }
    bits.add(UInt64(self.literals.codes[256]), UInt64(self.literals.lengths[256]))
  }

  /// Each symbol's code, and how many bits it has above 16.
  private static func table(_ code: HuffmanCode) -> Buffer<UInt64> {
    Buffer(zip(code.codes, code.lengths).map { UInt64($0) | UInt64($1) << 16 })
  }

  /// Each symbol's base, and how many bits follow it above 16.
  private static func table(_ ranges: [Deflate.Range]) -> Buffer<UInt64> {
    Buffer(ranges.map { UInt64($0.base) | UInt64($0.extraBits) << 16 })
  }
}
