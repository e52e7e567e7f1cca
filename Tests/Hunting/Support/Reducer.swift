/// Makes a case smaller as long as it still shows what it was found for.
package struct Reducer {
  private let clock = ContinuousClock()
  private let deadline: ContinuousClock.Instant
  private var checksLeft: Int

  /// - Parameters:
  ///   - seconds: How long it may take.
  ///   - checks: How often the case may be tried.
  package init(seconds: Double = 20, checks: Int = 6000) {
    deadline = clock.now + .seconds(seconds)
    checksLeft = checks
  }

  private mutating func isOver() -> Bool {
    checksLeft -= 1
    return checksLeft < 0 || clock.now > deadline
  }

  /// Drops members of a list, many at once at first.
  package mutating func reduce<T>(_ list: [T], _ shows: ([T]) -> Bool) -> [T] {
    var list = list
    var size = max(list.count / 2, 1)
    while !list.isEmpty {
      var start = 0
      var hasChanged = false
      while start < list.count {
        if isOver() { return list }
        var fewer = list
        fewer.removeSubrange(start..<min(start + size, list.count))
        if shows(fewer) {
          list = fewer
          hasChanged = true
        } else {
          start += size
        }
      }
      if size == 1 && !hasChanged { break }
      size = max(size / 2, 1)
    }
    return list
  }

  /// Leaves out parts of a statement.
  package mutating func reduce(sql: String, _ shows: (String) -> Bool) -> String {
    var best = TokenText(sql)
    let order = best.order
    func isFit(_ candidate: TokenText) -> Bool {
      guard candidate.isBalanced(0..<candidate.tokens.count) else { return false }
      let left = candidate.order
      return left == nil || left == order
    }
    guard shows(best.text) else { return sql }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      // A parenthesis without what is around it, and what is around without it.
      for (start, end) in best.partners.sorted(by: { $0.key < $1.key }) {
        for candidate in Self.simplified(best, start, end) where isFit(candidate) {
          if isOver() { return best.text }
          if shows(candidate.text) {
            best = candidate
            hasChanged = true
            break
          }
        }
        if hasChanged { break }
      }
      if hasChanged { continue }
      var size = min(best.tokens.count - 1, 40)
      while size > 0 {
        var start = 0
        while start + size <= best.tokens.count {
          let range = start..<(start + size)
          var candidate = best
          if best.isBalanced(range) {
            candidate.tokens.removeSubrange(range)
            if isFit(candidate) {
              if isOver() { return best.text }
              if shows(candidate.text) {
                best = candidate
                hasChanged = true
                continue
              }
            }
          }
          start += 1
        }
        size -= 1
      }
    }
    return best.text
  }

  private static func simplified(_ text: TokenText, _ start: Int, _ end: Int) -> [TokenText] {
    let tokens = text.tokens
    var found: [TokenText] = []
    let inside = Array(tokens[(start + 1)..<end])
    if let first = inside.first?.lowercased(), ["select", "with"].contains(first) {
      found.append(TokenText(inside))
    }
    found.append(TokenText(Array(tokens[..<start]) + inside + Array(tokens[(end + 1)...])))
    for word in ["NULL", "1", "true"] where inside != [] {
      found.append(TokenText(Array(tokens[..<start]) + [word] + Array(tokens[(end + 1)...])))
    }
    return found.filter { $0.tokens.count < tokens.count }
  }
}
