package import Columnar
package import Diagnostics

/// A ring of three or four steps between rows, and how its corners have to follow one another.
///
/// Corner *i* is where step *i* leaves; the last step leads back to corner 0.
package struct CycleRing {
  /// The edges in the direction of a step and against it; none may come twice between the same rows.
  package struct Step {
    package var forth: AdjacencyIndex
    package var back: AdjacencyIndex
    /// Which of the edges are kept, by their places in `forth`.
    var kept = AdjacencyIndex.Kept()
    /// About how many of all edges those are.
    var share = 1.0

    package init(
      forth: AdjacencyIndex, back: AdjacencyIndex, kept: AdjacencyIndex.Kept = .init(),
      share: Double = 1
    ) {
      self.forth = forth
      self.back = back
      self.kept = kept
      self.share = share
    }

    fileprivate var reversed: Step {
      Step(forth: back, back: forth, kept: kept.reversed, share: share)
    }
  }

  /// That the key of a corner compares so with that of another.
  package struct Condition {
    package var corner: Int
    package var comparison: Comparison
    package var other: Int

    package init(_ corner: Int, _ comparison: Comparison, _ other: Int) {
      self.corner = corner
      self.comparison = comparison
      self.other = other
    }
  }

  package private(set) var steps: [Step]
  /// For each corner the positions of its rows are below this.
  private(set) var limits: [Int]
  /// No two of one pair of corners.
  private(set) var conditions: [Condition]
  /// The conditions, and what follows from two of them.
  private var implied: [Condition]
  /// The keys of the rows that conditions are on; nil where they rise with the positions.
  let keys: Buffer<Int64>?

  /// - Precondition: corners with conditions are rows of one table.
  package init(
    _ steps: [Step], limits: [Int], conditions: [Condition] = [], keys: Buffer<Int64>? = nil
  ) {
    self.steps = steps
    self.limits = limits
    self.conditions = conditions
    self.keys = keys
    implied = Self.implied(conditions, corners: steps.count)
  }

  /// The conditions with those that follow from them: what comes before something comes before all that comes after it.
  private static func implied(_ conditions: [Condition], corners: Int) -> [Condition] {
    // 1 where a corner is not after another, 2 where it is before it.
    var before = Array(repeating: Array(repeating: 0, count: corners), count: corners)
    for condition in conditions {
      let (one, two) = (condition.corner, condition.other)
      switch condition.comparison {
      case .less: before[one][two] = 2
      case .lessOrEqual: before[one][two] = 1
      case .greater: before[two][one] = 2
      case .greaterOrEqual: before[two][one] = 1
      case .equal, .notEqual: break
      }
    }
    for middle in 0..<corners {
      for one in 0..<corners where before[one][middle] > 0 {
        for two in 0..<corners where before[middle][two] > 0 {
          before[one][two] = max(
            before[one][two], max(before[one][middle], before[middle][two]))
        }
      }
    }
    var result = conditions
    for one in 0..<corners {
      for two in 0..<corners where one != two && before[one][two] > 0 {
        let pair = Set([one, two])
        if conditions.contains(where: { Set([$0.corner, $0.other]) == pair }) { continue }
        result.append(Condition(one, before[one][two] == 2 ? .less : .lessOrEqual, two))
      }
    }
    return result
  }

  /// The rows at corner 0.
  package var sourceCount: Int { limits[0] }

  /// The same ring from another corner on, and in the other direction if so wanted.
  func turned(to first: Int, isReversed: Bool) -> CycleRing {
    let count = steps.count
    let corners = (0..<count).map { (isReversed ? first + count - $0 : first + $0) % count }
    var result = self
    result.limits = corners.map { limits[$0] }
    result.steps = corners.map { corner in
      if !isReversed { return steps[corner] }
      return steps[(corner + count - 1) % count].reversed
    }
    func renumbered(_ condition: Condition) -> Condition {
      var turned = condition
      for (place, corner) in corners.enumerated() {
        if corner == condition.corner { turned.corner = place }
        if corner == condition.other { turned.other = place }
      }
      return turned
    }
    result.conditions = conditions.map(renumbered)
    result.implied = implied.map(renumbered)
    return result
  }

  /// The same ring with indices of only those edges that are kept, in the directions that a counter goes.
  ///
  /// - Throws: 57014, 53200.
  /// - Complexity: O(edges) of the steps that leave some out.
  package func keeping() throws(SQLError) -> CycleRing {
    var result = self
    for (number, step) in steps.enumerated() {
      // The second half of the ring is gone through from its end.
      if number < 2 {
        result.steps[number].forth = try step.forth.keeping(step.kept)
      } else {
        result.steps[number].back = try step.back.keeping(step.kept.reversed)
      }
      result.steps[number].kept = .init()
    }
    return result
  }

  /// The bytes that `keeping` takes at most.
  package var keptByteCount: Int {
    steps.reduce(0) { $0 + ($1.kept.isAll ? 0 : $1.forth.keptByteCount) }
  }

  /// How a corner compares with another, if a condition says so.
  func order(of corner: Int, to other: Int) -> Comparison? {
    Self.cuts(conditions, of: corner, knowing: [other]).first?.comparison
  }

  /// What is asked of a corner where others are known.
  func cuts(of corner: Int, knowing known: [Int]) -> [CycleCut] {
    Self.cuts(implied, of: corner, knowing: known)
  }

  private static func cuts(
    _ conditions: [Condition], of corner: Int, knowing known: [Int]
  ) -> [CycleCut] {
    conditions.compactMap { condition in
      if condition.corner == corner, known.contains(condition.other) {
        return CycleCut(comparison: condition.comparison, other: condition.other)
      }
      if condition.other == corner, known.contains(condition.corner) {
        return CycleCut(comparison: condition.comparison.commuted, other: condition.corner)
      }
      return nil
    }
  }
}

/// That a row compares so with the row at a corner that is known.
struct CycleCut {
  var comparison: Comparison
  var other: Int
}

/// The rows at the corners of a cycle that are known.
typealias CycleCorners = InlineArray<4, UInt32>
