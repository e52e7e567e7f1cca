package import Diagnostics

/// How hashes of packed keys choose partitions, and buckets within them: by their first bits.
struct HashSplit: Sendable {
  private let seed = Hashing.seed
  private let partitionBits: UInt64
  private let bucketBits: UInt64

  /// A partition of so many rows, about, is in a cache while it is put in order.
  private static let partitionRowBits = 12
  private static let partitionBitsMax = 10

  /// As many buckets as rows, about.
  init(count: Int) {
    let bits = Int.bitWidth - max(0, count - 1).leadingZeroBitCount
    bucketBits = UInt64(bits)
    partitionBits = UInt64(min(max(0, bits - Self.partitionRowBits), Self.partitionBitsMax))
  }

  var bucketCount: Int { 1 << Int(bucketBits) }
  var partitionCount: Int { 1 << Int(partitionBits) }
  var bucketsPerPartition: Int { 1 << Int(bucketBits - partitionBits) }

  @inline(__always)
  func bucket(of key: UInt64) -> Int {
    // One bit first: none left is a shift by all bits, which is no shift.
    Int(truncatingIfNeeded: (Hashing.mix(key, seed) &>> 1) &>> (63 &- bucketBits))
  }

  @inline(__always)
  func partition(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: (Hashing.mix(key, seed) &>> 1) &>> (63 &- partitionBits))
  }

  @inline(__always)
  func bucketInPartition(of key: UInt64) -> Int {
    bucket(of: key) & (bucketsPerPartition &- 1)
  }
}

/// Different keys of whole numbers that are packed into one, found by their hash; each has a number.
///
/// A bucket has one key on average, and its keys stand one behind another, so that a look-up reads two places of memory.
package struct JointKeys: Sendable {
  let keys: FittedKeys
  /// How exact numbers among the keys are whole ones; nil where there are none.
  let decimals: DecimalKeys?
  let split: HashSplit
  /// For each bucket the number of its first key; one entry more than there are buckets.
  let firsts: Buffer<UInt32>
  /// The packed keys by number.
  let numbered: Buffer<UInt64>
  /// How many keys there are.
  package let count: Int

  /// The memory held.
  package var byteCount: Int { firsts.count * 4 + numbered.count * 8 }

  /// The number of the key of each row; `UInt32.max` where it is not among the keys.
  ///
  /// NULL is a key like any other.
  ///
  /// - Complexity: O(*n*) on average.
  /// - Throws: 57014, 53200.
  package func numbers(of columns: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    if count <= Vector.chunkCapacity { return chunkNumbers(of: columns, count: count) }
    let result = try Buffer<UInt32>(uninitializedInSlices: count)
    for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
      try RunningStatement.check()
      let length = min(Vector.chunkCapacity, count - start)
      let part = columns.map { $0.slice(from: start, count: length).compactFlattened() }
      result.copy(chunkNumbers(of: part, count: length), count: length, to: start)
    }
    return result
  }

  private func chunkNumbers(of columns: [Vector], count: Int) -> Buffer<UInt32> {
    guard let decimals else { return wholeNumbers(of: columns, count: count) }
    let (whole, strangers) = decimals.sought(columns, count: count)
    let numbers = wholeNumbers(of: whole, count: count)
    for row in strangers { numbers[row] = .max }
    return numbers
  }

  private func wholeNumbers(of columns: [Vector], count: Int) -> Buffer<UInt32> {
    let packed = Buffer<UInt64>(uninitialized: max(1, count))
    let areAllThere = keys.pack(columns, count, into: packed)
    let result = Buffer<UInt32>(uninitialized: max(1, count))
    for row in 0..<count {
      result[row] = UInt32(truncatingIfNeeded: split.bucket(of: packed[row]))
    }
    let (firsts, numbered) = (firsts, numbered)
    for row in 0..<count {
      let bucket = Int(result[row])
      let key = packed[row]
      var number = firsts[bucket]
      let end = firsts[bucket &+ 1]
      while number < end && numbered[number] != key { number &+= 1 }
      result[row] = number < end ? number : .max
    }
    if !areAllThere { keys.dropOutsiders(columns, count, result) }
    return result
  }
}
