// Candidates that stand in the order of the numbers that are compared need not be compared one by one.

extension PairTest {
  /// Leaves of the candidates of each row those for which the comparison holds.
  ///
  /// The candidates of a row are `order[starts[row]..<ends[row]]`, or these numbers themselves. A row without a number is left with none.
  ///
  /// - Precondition: each row's candidates rise by their numbers, and none is without one.
  /// - Complexity: O(rows × log candidates), and O(rows) where the rows' own numbers stand close to those of the rows before them.
  package func narrow(
    rowCount: Int, starts: Buffer<UInt32>, ends: Buffer<UInt32>, order: Buffer<UInt32>?
  ) {
    let ranges = Ranges(
      comparison: comparison, rowCount: rowCount, starts: starts, ends: ends, own: left)
    switch (right, order) {
    case (.whole(let numbers), nil):
      let others = numbers.values
      ranges.narrow {
        others[$0] < $1
      } isAtMost: {
        others[$0] <= $1
      }
    case (.whole(let numbers), let order?):
      let others = numbers.values
      ranges.narrow {
        others[order[$0]] < $1
      } isAtMost: {
        others[order[$0]] <= $1
      }
    case (.exact(let numbers), _):
      let decimals = left.decimals
      ranges.narrow { place, number in
        numbers.order(number, decimals, order?[place] ?? place) > 0
      } isAtMost: { place, number in
        numbers.order(number, decimals, order?[place] ?? place) >= 0
      }
    }
  }
}

private struct Ranges {
  let comparison: Comparison
  let rowCount: Int
  let starts: Buffer<UInt32>
  let ends: Buffer<UInt32>
  let own: WholeNumbers

  /// The tests say how the number at a place stands to one of a row.
  @inline(__always)
  func narrow(
    isLess: (UInt32, Int64) -> Bool, isAtMost: (UInt32, Int64) -> Bool
  ) {
    // The first place that is no longer less than the last row's number, and the first that is greater.
    var (lower, upper): (UInt32, UInt32) = (0, 0)
    let values = own.values
    let needsLower = [.equal, .lessOrEqual, .greater].contains(comparison)
    let needsUpper = [.equal, .less, .greaterOrEqual].contains(comparison)
    for row in 0..<rowCount {
      let (start, end) = (starts[row], ends[row])
      if start >= end { continue }
      if !own.validity.isValid(row) {
        ends[row] = start
        continue
      }
      let value = values[row]
      if needsLower { lower = Self.place(start, end, lower) { isLess($0, value) } }
      if needsUpper { upper = Self.place(start, end, upper) { isAtMost($0, value) } }
      switch comparison {
      case .equal: (starts[row], ends[row]) = (lower, upper)
      case .notEqual: break
      case .less: starts[row] = upper
      case .lessOrEqual: starts[row] = lower
      case .greater: ends[row] = lower
      case .greaterOrEqual: ends[row] = upper
      }
    }
  }

  /// The first place between `start` and `end` that is not before what is sought: looked for in growing steps from where the last one was.
  @inline(__always)
  private static func place(
    _ start: UInt32, _ end: UInt32, _ last: UInt32, _ isBefore: (UInt32) -> Bool
  ) -> UInt32 {
    var (low, high) = (start, end)
    if last >= start && last < end {
      var step: UInt32 = 1
      if isBefore(last) {
        low = last &+ 1
        while low < end {
          let next = end &- low > step ? low &+ step : end &- 1
          if !isBefore(next) {
            high = next
            break
          }
          low = next &+ 1
          step = step &<< 1
        }
      } else {
        high = last
        while high > start {
          let next = high &- start > step ? high &- step : start
          if isBefore(next) {
            low = next &+ 1
            break
          }
          high = next
          step = step &<< 1
        }
      }
    }
    while low < high {
      let middle = low &+ (high &- low) / 2
      if isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
