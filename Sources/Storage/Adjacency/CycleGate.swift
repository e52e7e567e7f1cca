import Columnar

/// How the position of a row compares with that of another, which is then a bound of it.
enum CycleBound: Sendable {
  case none, below, notAbove, above, notBelow

  init(_ comparison: Comparison) {
    switch comparison {
    case .less: self = .below
    case .lessOrEqual: self = .notAbove
    case .greater: self = .above
    case .greaterOrEqual: self = .notBelow
    case .equal, .notEqual: self = .none
    }
  }

  /// Whether positions begin at the bound rather than end there.
  var isLower: Bool { self == .above || self == .notBelow }

  /// Narrows the positions from `lower` on and below `upper`.
  @inline(__always)
  func narrow(_ lower: inout UInt32, _ upper: inout UInt32, _ other: UInt32) {
    switch self {
    case .below: upper = min(upper, other)
    case .notAbove: upper = min(upper, other &+ 1)
    case .above: lower = max(lower, other &+ 1)
    case .notBelow: lower = max(lower, other)
    case .none: break
    }
  }
}

/// Which targets of a list may stand at a corner.
///
/// Where keys rise with positions, orders are bounds of positions, and a list is cut before it is gone through.
/// An object, as it is asked for each list.
final class CycleGate {
  private let cuts: [CycleCut]
  private let keys: Buffer<Int64>?
  /// Whether any target may stand there.
  let isOpen: Bool
  /// What bounds of positions say, for each corner that is known.
  private let asked: InlineArray<4, CycleBound>

  /// The corners whose row may not stand there again; keys differ where positions do.
  private let excluded: InlineArray<4, Bool>
  /// Whether no more than bounds, and perhaps corners that are left out, has to be looked at.
  let isPlain: Bool
  /// Whether bounds are all.
  let isRange: Bool

  init(_ ring: CycleRing, _ corner: Int, knowing known: [Int]) {
    cuts = ring.cuts(of: corner, knowing: known)
    keys = ring.keys
    isOpen = cuts.isEmpty
    var asked = InlineArray<4, CycleBound>(repeating: .none)
    var excluded = InlineArray<4, Bool>(repeating: false)
    for cut in cuts {
      if ring.keys == nil { asked[cut.other] = CycleBound(cut.comparison) }
      if cut.comparison == .notEqual { excluded[cut.other] = true }
    }
    (self.asked, self.excluded) = (asked, excluded)
    isPlain = cuts.allSatisfy {
      $0.comparison == .notEqual || $0.comparison != .equal && ring.keys == nil
    }
    isRange = isPlain && cuts.allSatisfy { $0.comparison != .notEqual }
  }

  /// How a row has to compare with the one at a corner that is known.
  func bound(with corner: Int) -> CycleBound { asked[corner] }

  /// Positions from the first on and below the second.
  @inline(__always)
  func narrowed(_ corners: CycleCorners) -> (lower: UInt32, upper: UInt32) {
    var (lower, upper) = (UInt32(0), UInt32.max)
    if isOpen { return (lower, upper) }
    for corner in 0..<4 { asked[corner].narrow(&lower, &upper, corners[corner]) }
    return (lower, upper)
  }

  /// Whether a row within bounds may stand at the corner.
  @inline(__always)
  func passes(_ row: UInt32, _ corners: CycleCorners) -> Bool {
    if !isPlain { return admits(row, corners) }
    return !(excluded[0] && row == corners[0]) && !(excluded[1] && row == corners[1])
      && !(excluded[2] && row == corners[2]) && !(excluded[3] && row == corners[3])
  }

  /// Whether a row may stand at the corner.
  func admits(_ row: UInt32, _ corners: CycleCorners) -> Bool {
    for cut in cuts {
      let other = corners[cut.other]
      let order =
        if let keys { keys[row] < keys[other] ? -1 : keys[row] == keys[other] ? 0 : 1 } else {
          row < other ? -1 : row == other ? 0 : 1
        }
      if !cut.comparison.holds(order) { return false }
    }
    return true
  }

  /// Writes the targets of a source that may stand at the corner, from a place on, and says how many there are.
  ///
  /// - Precondition: there is room for one more than all of the source's targets.
  func collect(
    _ lists: AdjacencyLists, of source: UInt32, _ corners: CycleCorners, into rows: Buffer<UInt32>,
    at start: Int
  ) -> Int {
    if isOpen, let list = lists.reader.list(of: source) {
      for place in 0..<list.count { rows[start &+ place] = list.targets[place] }
      return list.count
    }
    var count = 0
    let (lower, upper) = narrowed(corners)
    var stretches = lists.stretches(of: source, from: lower, below: upper)
    while let stretch = stretches.pop() {
      for place in stretch.places {
        let target = stretch.targets[place]
        rows[start &+ count] = target
        count &+= bit(isRange || passes(target, corners))
      }
    }
    return count
  }

  /// About how many targets of a source are within bounds.
  func likelyCount(_ lists: AdjacencyLists, of source: UInt32, _ corners: CycleCorners) -> Int {
    if isOpen { return lists.degree(of: source) }
    let (lower, upper) = narrowed(corners)
    return lists.likelyCount(of: source, from: lower, below: upper)
  }

  /// The number of targets of a source that are within bounds.
  func count(_ lists: AdjacencyLists, of source: UInt32, _ corners: CycleCorners) -> Int {
    if isOpen { return lists.degree(of: source) }
    let (lower, upper) = narrowed(corners)
    var result = 0
    var stretches = lists.stretches(of: source, from: lower, below: upper)
    while let stretch = stretches.pop() { result &+= stretch.places.count }
    return result
  }
}
