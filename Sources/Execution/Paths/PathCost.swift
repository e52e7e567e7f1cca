import Columnar
import Diagnostics

/// What a path costs while its edges are added up: whole numbers and decimals exactly, all else in floating point.
protocol PathCost: BitwiseCopyable, Comparable, Sendable {
  static var nothing: Self { get }
  /// What an edge has that must not be walked; no sum of costs.
  static var unpayable: Self { get }
  /// The cost in a form that all kinds have in common.
  var bits: Int128 { get }
  init(bits: Int128)

  /// - Throws: 22003.
  func adding(_ cost: Self) throws(SQLError) -> Self
}

extension PathCost {
  /// The cost with that of an edge, which stands under its row in an entry of `costs`, or is nothing where that is -1; nil for an
  /// edge that must not be walked.
  ///
  /// - Throws: 22003.
  @inline(__always)
  func adding(_ entry: Int, of row: UInt32, _ costs: [Buffer<Self>]) throws(SQLError) -> Self? {
    if entry < 0 { return self }
    let own = costs[entry][row]
    return own == .unpayable ? nil : try adding(own)
  }
}

extension Int64: PathCost {
  static var nothing: Int64 { 0 }
  static var unpayable: Int64 { .min }
  var bits: Int128 { Int128(self) }
  init(bits: Int128) { self.init(truncatingIfNeeded: bits) }

  @inline(__always)
  func adding(_ cost: Int64) throws(SQLError) -> Int64 {
    let (sum, isOver) = addingReportingOverflow(cost)
    if isOver { throw SQLError(.numericOutOfRange, "bigint out of range") }
    return sum
  }
}

/// A decimal as a whole number of the least unit that any edge has.
extension Int128: PathCost {
  static var nothing: Int128 { 0 }
  static var unpayable: Int128 { .min }
  var bits: Int128 { self }
  init(bits: Int128) { self = bits }

  @inline(__always)
  func adding(_ cost: Int128) throws(SQLError) -> Int128 {
    let (sum, isOver) = addingReportingOverflow(cost)
    if isOver { throw Numeric.overflow }
    return sum
  }
}

extension Double: PathCost {
  static var nothing: Double { 0 }
  static var unpayable: Double { .infinity }
  var bits: Int128 { Int128(bitPattern) }
  init(bits: Int128) { self.init(bitPattern: UInt64(truncatingIfNeeded: bits)) }

  @inline(__always)
  func adding(_ cost: Double) throws(SQLError) -> Double {
    let sum = self + cost
    if sum == .infinity {
      throw SQLError(.numericOutOfRange, "value out of range: overflow")
    }
    return sum
  }
}

/// What edges cost by the position of their row, for each entry of `PathPlan.costs`; those without are not walked.
enum PathCosts: Sendable {
  case whole([Buffer<Int64>])
  case exact([Buffer<Int128>], scale: Int)
  case real([Buffer<Double>])
}

/// Adds up what the edges of paths cost that have been found.
struct PathCostSums {
  let costs: PathCosts
  let graph: PathGraph
  /// Whether paths were walked from what the statement calls their end.
  let isReversed: Bool

  /// The cost of some steps of each path.
  ///
  /// - Throws: 22003.
  func vector(of ranges: [Range<Int>], in paths: PathBatch) throws(SQLError) -> Vector {
    switch costs {
    case .whole(let costs):
      return Vector(.bigint, try sums(costs, ranges, paths), count: ranges.count)
    case .real(let costs):
      return Vector(.double, try sums(costs, ranges, paths), count: ranges.count)
    case .exact(let costs, let scale):
      let sums = try sums(costs, ranges, paths)
      return Self.numerics(sums, scale, count: ranges.count)
    }
  }

  /// The cost of each path as the search had it.
  func vector(ofWhole paths: PathBatch) -> Vector {
    switch costs {
    case .whole: Vector(.bigint, read(Int64.self, paths), count: paths.count)
    case .real: Vector(.double, read(Double.self, paths), count: paths.count)
    case .exact(_, let scale): Self.numerics(read(Int128.self, paths), scale, count: paths.count)
    }
  }

  private func read<Cost: PathCost>(_ type: Cost.Type, _ paths: PathBatch) -> Buffer<Cost> {
    let read = Buffer<Cost>(uninitialized: max(1, paths.count))
    for path in 0..<paths.count { read[path] = Cost(bits: paths.costs[path]) }
    return read
  }

  private static func numerics(_ sums: Buffer<Int128>, _ scale: Int, count: Int) -> Vector {
    let numbers = Buffer<Numeric>(uninitialized: max(1, count))
    for path in 0..<count {
      numbers[path] = Numeric(coefficient: sums[path], scale: Int16(truncatingIfNeeded: scale))
    }
    return Vector(.numeric, numbers, count: count)
  }

  private func sums<Cost: PathCost>(
    _ costs: [Buffer<Cost>], _ ranges: [Range<Int>], _ paths: PathBatch
  ) throws(SQLError) -> Buffer<Cost> {
    let sums = Buffer<Cost>(uninitialized: max(1, ranges.count))
    for (path, range) in ranges.enumerated() {
      var sum = Cost.nothing
      for place in range {
        let index = isReversed ? range.upperBound - 1 - (place - range.lowerBound) : place
        let step = paths.steps[index]
        let cost = graph.cost(of: step)
        if cost >= 0 { sum = try sum.adding(costs[cost][step.row]) }
      }
      sums[path] = sum
    }
    return sums
  }
}
