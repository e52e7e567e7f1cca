import Columnar

/// A prefix code for symbols that come so and so often, no code of which is longer than a limit.
struct HuffmanCode {
  /// The length of each symbol's code; 0 for one that does not come.
  let lengths: [UInt8]
  /// The codes, their first bit lowest, as deflate writes them.
  let codes: [UInt16]

  /// - Precondition: `limit` bits are enough for as many codes.
  /// - Complexity: O(*n* log *n*) in symbols.
  init(counts: [Int], limit: Int) {
    lengths = Self.lengths(counts, limit: limit)
    codes = Self.codes(lengths)
  }

  init(lengths: [UInt8]) {
    self.lengths = lengths
    codes = Self.codes(lengths)
  }

  /// Lengths by the depth of each symbol in Huffman's tree; those beyond the limit are cut, and others made longer until all have
  /// room (as zlib does).
  private static func lengths(_ counts: [Int], limit: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: counts.count)
    let symbols = counts.indices.filter { counts[$0] > 0 }.sorted { counts[$0] < counts[$1] }
    // A code has two symbols at least: readers differ in what they make of fewer.
    if symbols.count < 2 {
      let only = symbols.first ?? 0
      result[only] = 1
      result[only == 0 ? 1 : 0] = 1
      return result
    }
    // Two queues: symbols by rising count, and pairs in the order they are made, which is by rising count too.
    let leafCount = symbols.count
    var weights = symbols.map { counts[$0] }
    var parents = [Int](repeating: 0, count: 2 * leafCount - 1)
    var (leaf, pair) = (0, leafCount)
    func least() -> Int {
      if leaf < leafCount, pair >= weights.count || weights[leaf] <= weights[pair] {
        leaf += 1
        return leaf - 1
      }
      pair += 1
      return pair - 1
    }
    for _ in 1..<leafCount {
      let (one, two) = (least(), least())
      parents[one] = weights.count
      parents[two] = weights.count
      weights.append(weights[one] + weights[two])
    }
    var depths = [Int](repeating: 0, count: weights.count)
    for node in (0..<(weights.count - 1)).reversed() { depths[node] = depths[parents[node]] + 1 }
    // How many codes there are of each length, made to fit.
    var numbers = [Int](repeating: 0, count: limit + 1)
    for leaf in 0..<leafCount { numbers[min(depths[leaf], limit)] += 1 }
    var used = (1...limit).reduce(0) { $0 + numbers[$1] << (limit - $1) }
    while used > 1 << limit {
      // A code of the limit takes the place beside another, which becomes longer by one bit.
      var length = limit - 1
      while numbers[length] == 0 { length -= 1 }
      numbers[length] -= 1
      numbers[length + 1] += 2
      numbers[limit] -= 1
      used -= 1
    }
    // The rarest symbols get the longest codes.
    var place = 0
    for length in stride(from: limit, through: 1, by: -1) {
      for _ in 0..<numbers[length] {
        result[symbols[place]] = UInt8(length)
        place += 1
      }
    }
    return result
  }

  private static func codes(_ lengths: [UInt8]) -> [UInt16] {
    var counts = [Int](repeating: 0, count: 17)
    for length in lengths where length > 0 { counts[Int(length)] += 1 }
    var next = [Int](repeating: 0, count: 17)
    for length in 1...16 {
      next[length] = (next[length - 1] + (length > 1 ? counts[length - 1] : 0)) << 1
    }
    return lengths.map { length in
      if length == 0 { return 0 }
      let code = next[Int(length)]
      next[Int(length)] += 1
      var reversed: UInt16 = 0
      for bit in 0..<Int(length) where code >> bit & 1 == 1 {
        reversed |= 1 << UInt16(Int(length) - 1 - bit)
      }
      return reversed
    }
  }
}
