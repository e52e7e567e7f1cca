/// The names among `candidates` that `name` may have been meant to be, the nearest first.
///
/// A candidate counts if no more than a third of the characters, and at least one, differ; letters'
/// case does not count, and two neighbours swapped are one difference.
///
/// - Complexity: O(*k* · *n* · *m*) for *k* candidates of length *m* and a name of length *n*.
public func nearestNames(
  to name: String, among candidates: some Sequence<String>, limit: Int = 3
) -> [String] {
  let wanted = Array(name.lowercased().unicodeScalars)
  if wanted.isEmpty || wanted.count > 128 || limit < 1 { return [] }
  let allowance = max(1, wanted.count / 3)
  var found: [(distance: Int, name: String)] = []
  for candidate in candidates where candidate != name {
    let other = Array(candidate.lowercased().unicodeScalars)
    if abs(other.count - wanted.count) > allowance { continue }
    let distance = editDistance(wanted, other)
    if distance <= allowance, distance < max(wanted.count, other.count) {
      found.append((distance, candidate))
    }
  }
  found.sort { ($0.distance, $0.name) < ($1.distance, $1.name) }
  return found.prefix(limit).map(\.name)
}

/// The least number of insertions, deletions, replacements and swaps of neighbours between two texts.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for row in 1...max(left.count, 1) where row <= left.count {
    var current = [row]
    for column in 0..<right.count {
      let isSame = left[row - 1] == right[column]
      var cost = min(last[column + 1], current[column]) + 1
      cost = min(cost, last[column] + (isSame ? 0 : 1))
      if row > 1, column > 0, left[row - 1] == right[column - 1], left[row - 2] == right[column] {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last[right.count]
}
