import Columnar

/// Goes over pairs of probe row and candidate, a chunk of them at a time, in the order of probe rows.
struct PairCursor {
  private let ranges: CandidateRanges
  private let rowCount: Int
  private var position = PairPosition()

  /// The row whose candidates come next.
  var row: Int { position.row }

  init(_ ranges: CandidateRanges, rowCount: Int) {
    self.ranges = ranges
    self.rowCount = rowCount
  }

  /// Whether all pairs have been.
  var isAtEnd: Bool { position.row >= rowCount }

  /// Writes the next pairs that pass the tests among conditions, at most `capacity`, and says how many; there may be none
  /// before the end.
  ///
  /// Rows whose mark in `skipping` is set are passed over.
  mutating func fill(
    _ probeRows: Buffer<UInt32>, _ buildRows: Buffer<UInt32>, capacity: Int,
    _ conditions: PairConditions.Resolved, skipping: Buffer<UInt8>? = nil
  ) -> Int {
    conditions.tests.isEmpty
      ? fill(probeRows, buildRows, capacity: capacity, missing: nil, skipping: skipping)
      : fill(
        probeRows, buildRows, capacity: capacity, passing: conditions.tests, skipping: skipping)
  }

  /// - Precondition: there are tests.
  private mutating func fill(
    _ probeRows: Buffer<UInt32>, _ buildRows: Buffer<UInt32>, capacity: Int,
    passing tests: [PairTest], skipping: Buffer<UInt8>? = nil
  ) -> Int {
    var found = 0
    tests[0].find(
      from: &position, rowCount: rowCount, starts: ranges.starts, ends: ranges.ends,
      order: ranges.order, areSingle: ranges.areSingle, skipping: skipping, into: probeRows,
      buildRows, &found, capacity: capacity)
    for test in tests.dropFirst() {
      found = test.keep(probeRows, buildRows, from: 0, to: found)
    }
    return found
  }

  /// Writes the next pairs, at most `capacity`, and says how many; none at the end.
  ///
  /// A row without candidates gives one pair with `missing`, unless that is nil. Rows whose mark in `skipping` is set are passed over.
  mutating func fill(
    _ probeRows: Buffer<UInt32>, _ buildRows: Buffer<UInt32>, capacity: Int, missing: UInt32?,
    skipping: Buffer<UInt8>? = nil
  ) -> Int {
    let starts = ranges.starts
    let ends = ranges.ends
    let order = ranges.order
    var found = 0
    var (row, taken) = (position.row, position.taken)
    defer { position = PairPosition(row: row, taken: taken) }
    while row < rowCount && found < capacity {
      let start = starts[row] &+ taken
      let end = ends[row]
      if taken == 0, let skipping, skipping[row] != 0 {
        row &+= 1
        continue
      }
      if starts[row] == end {
        if let missing {
          probeRows[found] = UInt32(truncatingIfNeeded: row)
          buildRows[found] = missing
          found &+= 1
        }
        row &+= 1
        continue
      }
      let length = min(Int(end &- start), capacity &- found)
      let number = UInt32(truncatingIfNeeded: row)
      if let order {
        for index in 0..<length {
          probeRows[found &+ index] = number
          buildRows[found &+ index] = order[Int(start) &+ index]
        }
      } else {
        for index in 0..<length {
          probeRows[found &+ index] = number
          buildRows[found &+ index] = start &+ UInt32(truncatingIfNeeded: index)
        }
      }
      found &+= length
      taken &+= UInt32(truncatingIfNeeded: length)
      if start &+ UInt32(truncatingIfNeeded: length) == end {
        row &+= 1
        taken = 0
      }
    }
    return found
  }
}
