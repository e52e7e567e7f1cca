/// Exact numbers, known as well as doubles tell them.
///
/// A row is ruled out by these in a few instructions, where its exact quotient takes divisions of 128 bits. What is not certain
/// is said to be anything: NULL, a division by what may be zero, a number so large or small that exact arithmetic may refuse it.
package struct EstimatedNumbers: Sendable {
  /// - Invariant: the exact number of a row, rounded as its expression rounds it, is `slack` away from its value at most. Where
  ///   that is not known one of the two is infinite or not a number.
  private let values: Buffer<Double>
  private let slack: Buffer<Double>
  private let count: Int

  /// How much a double may be wrong behind one step, relative to its value: several times what rounding makes of it, in doubles
  /// and in the 16 digits that a quotient has.
  private static let relative = 0x1p-48
  /// The same beside zero, where exact numbers are rounded to some 38 digits behind the point.
  private static let absolute = 1e-30
  /// Exact numbers of these magnitudes and below are never refused.
  private static let greatest = 1e18
  /// Products and quotients of these magnitudes and above never vanish, which is refused.
  private static let least = 1e-18

  private init(_ count: Int) {
    self.count = count
    values = Buffer(uninitialized: max(count, 1))
    slack = Buffer(uninitialized: max(count, 1))
  }

  /// The numbers of a column of whole numbers or `numeric`s; nil for others.
  package init?(_ column: Vector) {
    if column.form == .constant, column.count > 1 {
      guard let one = EstimatedNumbers(column.slice(from: 0, count: 1)) else { return nil }
      self.init(column.count)
      for row in 0..<count { (values[row], slack[row]) = (one.values[0], one.slack[0]) }
      return
    }
    let column = column.compactFlattened()
    let decimals = Int(column.decimals ?? 0)
    guard decimals < exactPowersOfTen.count else { return nil }
    self.init(column.count)
    let power = exactPowersOfTen[decimals]
    switch (column.digits?.width, column.type.physical) {
    case (.two?, _), (nil, .int16): fill(column.storage.buffer(of: Int16.self), power)
    case (.four?, _), (nil, .int32): fill(column.storage.buffer(of: Int32.self), power)
    case (.eight?, _), (nil, .int64): fill(column.storage.buffer(of: Int64.self), power)
    case (nil, .numeric): fill(column.values(Numeric.self))
    case (nil, _): return nil
    }
    if !column.validity.isAllValid {
      for row in 0..<count where !column.validity.isValid(row) { values[row] = .nan }
    }
  }

  private func fill<Number: FixedWidthInteger & BitwiseCopyable>(
    _ numbers: Buffer<Number>, _ power: Double
  ) {
    for row in 0..<count {
      set(row, Double(Int64(truncatingIfNeeded: numbers[row])) / power, 0)
    }
  }

  private func fill(_ numbers: Buffer<Numeric>) {
    for row in 0..<count { set(row, numbers[row].nearly, 0) }
  }

  /// Sets what a step has come to, and how far what it was made of may have led it astray.
  @inline(__always)
  private func set(_ row: Int, _ value: Double, _ inherited: Double) {
    values[row] = value
    // Nothing but zeros makes a zero without any slack.
    let own = value == 0 && inherited == 0 ? 0 : abs(value) * Self.relative + Self.absolute
    slack[row] = abs(value) > Self.greatest ? .infinity : inherited + own
  }

  // MARK: Steps

  package func adding(_ other: EstimatedNumbers) -> EstimatedNumbers {
    let result = EstimatedNumbers(count)
    for row in 0..<count {
      result.set(row, values[row] + other.values[row], slack[row] + other.slack[row])
    }
    return result
  }

  package func subtracting(_ other: EstimatedNumbers) -> EstimatedNumbers {
    let result = EstimatedNumbers(count)
    for row in 0..<count {
      result.set(row, values[row] - other.values[row], slack[row] + other.slack[row])
    }
    return result
  }

  package func multiplied(by other: EstimatedNumbers) -> EstimatedNumbers {
    let result = EstimatedNumbers(count)
    for row in 0..<count {
      let (a, b) = (values[row], other.values[row])
      let (aSlack, bSlack) = (slack[row], other.slack[row])
      let isZero = a == 0 && aSlack == 0 || b == 0 && bSlack == 0
      let isSafe = isZero || abs(a * b) > Self.least
      let inherited = abs(a) * bSlack + abs(b) * aSlack + aSlack * bSlack
      result.set(row, a * b, isSafe ? inherited : .infinity)
    }
    return result
  }

  package func divided(by other: EstimatedNumbers) -> EstimatedNumbers {
    let result = EstimatedNumbers(count)
    for row in 0..<count {
      let quotient = values[row] / other.values[row]
      // How far the divisor is from zero at least.
      let distance = abs(other.values[row]) - other.slack[row]
      let isZero = values[row] == 0 && slack[row] == 0
      let isSafe = distance > 0 && (isZero || abs(quotient) > Self.least)
      let inherited = (slack[row] + abs(quotient) * other.slack[row]) / distance
      result.set(row, quotient, isSafe ? inherited : .infinity)
    }
    return result
  }

  package var negated: EstimatedNumbers {
    let result = EstimatedNumbers(count)
    for row in 0..<count { result.set(row, -values[row], slack[row]) }
    return result
  }

  /// The numbers rounded to so many digits behind the point.
  package func rounded(toDigits digits: Int) -> EstimatedNumbers {
    let result = EstimatedNumbers(count)
    let half = 0.5 / exactPowersOfTen[min(max(digits, 0), exactPowersOfTen.count - 1)]
    for row in 0..<count { result.set(row, values[row], slack[row] + half) }
    return result
  }

  // MARK: Comparison

  /// The rows whose number may be `bound`, or come before it.
  package func rowsNotBehind(_ bound: Double, descending: Bool) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: max(1, count))
    var found = 0
    let own = abs(bound) * Self.relative + Self.absolute
    // What is not a number is behind nothing.
    if descending {
      let limit = bound - own
      for row in 0..<count {
        kept[found] = UInt32(truncatingIfNeeded: row)
        found &+= bit(!(values[row] + slack[row] < limit))
      }
    } else {
      let limit = bound + own
      for row in 0..<count {
        kept[found] = UInt32(truncatingIfNeeded: row)
        found &+= bit(!(values[row] - slack[row] > limit))
      }
    }
    return SelectionVector(kept, count: found)
  }
}

extension Numeric {
  /// The number, wrong by a few units of a double's last place at most; not a number where that is not quickly found.
  @inline(__always)
  fileprivate var nearly: Double {
    guard kind == .finite, scale >= 0, Int(scale) < 2 * exactPowersOfTen.count - 1 else {
      return .nan
    }
    let most = exactPowersOfTen.count - 1
    // Of small negative numbers the halves would be far greater than their difference.
    let whole = high == -1 ? -Double(0 &- low) : Double(high) * 0x1p64 + Double(low)
    let digits = whole / exactPowersOfTen[min(Int(scale), most)]
    return Int(scale) > most ? digits / exactPowersOfTen[Int(scale) - most] : digits
  }
}
