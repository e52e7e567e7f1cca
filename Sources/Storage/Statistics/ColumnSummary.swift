import Columnar

/// Estimates how many different values there are, from their hashes.
///
/// HyperLogLog: Flajolet, Fusy, Gandouet and Meunier, 2007.
///
/// 512 registers of one byte: a standard error of 4.6 %.
struct DistinctSketch: Sendable {
  private static let indexBits: UInt64 = 9
  static let registerCount = 512
  /// Not the seed of the process: the same rows have the same plan in each, and a sketch may outlive one.
  private static let seed: UInt64 = 0x9E37_79B9_7F4A_7C15
  let registers: Buffer<UInt8>

  /// A sketch over registers that others may read.
  init(registers: Buffer<UInt8>) { self.registers = registers }

  init() { registers = Buffer(zeroed: Self.registerCount) }

  private init(copying other: DistinctSketch) {
    registers = Buffer(uninitialized: Self.registerCount)
    registers.copy(other.registers, count: Self.registerCount, to: 0)
  }

  /// A sketch of the same values that can be written to.
  func copy() -> DistinctSketch { DistinctSketch(copying: self) }

  /// Adds hashes, to this sketch and all that share its memory.
  private func insert(_ hashes: Buffer<UInt64>, count: Int) {
    let registers = registers
    for row in 0..<count {
      let hash = hashes[row]
      let index = Int(truncatingIfNeeded: hash &>> (64 &- Self.indexBits))
      let rank = UInt8(truncatingIfNeeded: (hash &<< Self.indexBits | 1).leadingZeroBitCount &+ 1)
      if rank > registers[index] { registers[index] = rank }
    }
  }

  /// Adds the values of a vector.
  func insert(_ vector: Vector, count: Int) {
    insert(Hashing.hash([vector], count: count, seed: Self.seed), count: count)
  }

  func merge(_ other: DistinctSketch) {
    for index in 0..<Self.registerCount {
      registers[index] = max(registers[index], other.registers[index])
    }
  }

  /// About how many different values were added.
  var estimate: Double {
    let count = Double(Self.registerCount)
    var sum = 0.0
    var empty = 0
    for index in 0..<Self.registerCount {
      sum += Double(sign: .plus, exponent: -Int(registers[index]), significand: 1)
      if registers[index] == 0 { empty += 1 }
    }
    // The constant of the paper for this many registers.
    let raw = 0.7213 / (1 + 1.079 / count) * count * count / sum
    if raw <= 2.5 * count && empty > 0 { return count * Self.logarithm(count / Double(empty)) }
    return raw
  }

  /// The natural logarithm of a number of at least 1, by its series; rare, and of one use.
  private static func logarithm(_ value: Double) -> Double {
    let exponent = value.exponent
    let fraction = value.significand
    let ratio = (fraction - 1) / (fraction + 1)
    var term = ratio
    var sum = 0.0
    var divisor = 1.0
    while divisor < 40 {
      sum += term / divisor
      term *= ratio * ratio
      divisor += 2
    }
    return 2 * sum + Double(exponent) * 0.693_147_180_559_945_3
  }
}

/// What is known of a column's values in the full pages of one row group.
final class ColumnSummary: @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`: only the owner changes it, before publishing.
  let owner: Epoch
  var zone: Zone?
  /// nil for tables that are soon forgotten.
  var sketch: DistinctSketch?

  init(owner: Epoch, zone: Zone? = nil, sketch: DistinctSketch? = DistinctSketch()) {
    self.owner = owner
    self.zone = zone
    self.sketch = sketch
  }

  func copy(owner: Epoch) -> ColumnSummary {
    ColumnSummary(owner: owner, zone: zone, sketch: sketch?.copy())
  }
}

extension ColumnStore {
  private mutating func summary(_ group: Int, _ epoch: Epoch) -> ColumnSummary {
    while summaries.count <= group { summaries.append(ColumnSummary(owner: epoch)) }
    if summaries[group].owner != epoch { summaries[group] = summaries[group].copy(owner: epoch) }
    return summaries[group]
  }

  /// Adds what is known of other pages to row group `group`.
  mutating func merge(_ other: ColumnSummary, into group: Int, epoch: Epoch) {
    let summary = summary(group, epoch)
    if let sketch = other.sketch { summary.sketch?.merge(sketch) } else { summary.sketch = nil }
    guard let zone = other.zone else { return }
    if summary.zone == nil { summary.zone = Zone() }
    summary.zone?.merge(zone)
  }

  /// Computes the bounds of page `index`, which has become full.
  mutating func seal(_ index: Int, epoch: Epoch) {
    seal(index, pages.writable(index, epoch: epoch), in: summary(index >> 6, epoch))
  }

  /// Makes the summaries of row groups anew, for columns whose pages were filled without sealing them; without sketches
  /// unless `sketching`.
  ///
  /// - Precondition: all pages were made under the epoch.
  /// - Complexity: O(*n*), on all cores.
  static func sealPages(
    _ columns: inout [ColumnStore], fullPages: Int, epoch: Epoch, sketching: Bool
  ) {
    let groups = (fullPages + 63) / 64
    for column in columns.indices {
      columns[column].summaries = (0..<groups).map { _ in
        ColumnSummary(owner: epoch, sketch: sketching ? DistinctSketch() : nil)
      }
    }
    let filled = columns
    parallelFor(tasks: filled.count * groups) { task in
      let column = filled[task / groups]
      let group = task % groups
      for page in (group * 64)..<min(fullPages, group * 64 + 64) {
        column.seal(page, column.pages[page], in: column.summaries[group])
      }
    }
  }

  /// Computes the bounds of a full page.
  private func seal(_ index: Int, _ page: ColumnPage, in summary: ColumnSummary) {
    let vector = vector(page: index, count: ColumnPage.capacity)
    if let zone = ZoneKey.zone(of: vector, 0..<ColumnPage.capacity) {
      page.zone = zone
      if summary.zone == nil { summary.zone = Zone() }
      summary.zone?.merge(zone)
    }
    summary.sketch?.insert(vector, count: ColumnPage.capacity)
  }

  /// Makes the bounds of a full page true for values written to it.
  mutating func widenZone(
    _ page: ColumnPage, _ index: Int, with flat: Vector, _ rows: Range<Int>, epoch: Epoch
  ) {
    guard page.zone != nil, let zone = ZoneKey.zone(of: flat, rows) else { return }
    page.zone?.merge(zone)
    summary(index >> 6, epoch).zone?.merge(zone)
  }
}
