import Diagnostics
import Synchronization

/// Turns a parsed regular expression into steps.
struct RegexCompiler {
  private var steps: [RegexStep] = []
  private var classes: [RegexClass] = []
  private var lookAheads: [RegexProgram] = []
  /// Repetitions with bounds copy what they repeat; past this many steps the expression is refused.
  private static let stepCountMax = 20_000

  /// The program of a pattern.
  ///
  /// - Throws: 2201B, 54001, 0A000 for back references and looking behind.
  static func compile(_ pattern: TextBytes, _ options: RegexOptions) throws(SQLError)
    -> RegexProgram
  {
    let source = Source(pattern: pattern.string, options: options)
    if let known = Self.known.withLock({ $0[source] }) { return known }
    var parser = RegexParser(pattern, options)
    let node = try parser.parse()
    let made = try program(node, groupCount: parser.groupCount)
    if pattern.count <= 1_000 && made.stepCount <= 1_000 {
      known.withLock { (known) in
        if known.count >= knownMax { known = [:] }
        known[source] = made
      }
    }
    return made
  }

  private struct Source: Hashable {
    var pattern: String
    var options: RegexOptions
  }

  /// Programs in use, so that each chunk of rows need not make its own.
  private static let known = Mutex<[Source: RegexProgram]>([:])
  private static let knownMax = 64

  private static func program(_ node: RegexNode, groupCount: Int) throws(SQLError) -> RegexProgram {
    var compiler = RegexCompiler()
    try compiler.add(.group(0, node))
    compiler.steps.append(RegexStep(operation: .match))
    return RegexProgram(
      steps: compiler.steps, classes: compiler.classes, lookAheads: compiler.lookAheads,
      groupCount: groupCount, prefersLongest: isGreedy(node) ?? true)
  }

  /// Whether an expression prefers the longest match; nil where nothing in it says so.
  ///
  /// Alternatives always do; a sequence does as its first repetition does.
  private static func isGreedy(_ node: RegexNode) -> Bool? {
    switch node {
    case .empty, .literal, .set, .assertion, .lookAhead: return nil
    case .alternatives: return true
    case .group(_, let inner): return isGreedy(inner)
    case .sequence(let parts):
      for part in parts {
        if let greedy = isGreedy(part) { return greedy }
      }
      return nil
    case .repetition(_, _, 0, _, _): return nil
    case .repetition(let inner, _, _, let isLazy, let isFixed):
      return isFixed ? isGreedy(inner) : !isLazy
    }
  }

  private mutating func append(
    _ operation: RegexStep.Operation, _ a: Int = 0, _ b: Int = 0
  ) throws(SQLError) {
    if steps.count >= Self.stepCountMax {
      throw SQLError(
        .invalidRegularExpression, "invalid regular expression: regular expression is too complex")
    }
    steps.append(
      RegexStep(
        operation: operation, a: UInt32(truncatingIfNeeded: a), b: UInt32(truncatingIfNeeded: b)))
  }

  /// With `isShortest` all that repeats in it does so as seldom as it can, as a lazy repetition around it asks.
  private mutating func add(_ node: RegexNode, isShortest: Bool = false) throws(SQLError) {
    switch node {
    case .empty: break
    case .literal(let value): try append(.literal, Int(value))
    case .set(let set):
      classes.append(set)
      try append(.take, classes.count - 1)
    case .assertion(let assertion): try append(.assertion, Int(assertion.rawValue))
    case .sequence(let parts):
      for part in parts { try add(part, isShortest: isShortest) }
    case .group(let number, let inner):
      try append(.save, number * 2)
      try add(inner, isShortest: isShortest)
      try append(.save, number * 2 + 1)
    case .lookAhead(let inner, let negated):
      lookAheads.append(try Self.program(inner, groupCount: 0))
      try append(.lookAhead, lookAheads.count - 1, negated ? 1 : 0)
    case .alternatives(let branches): try addAlternatives(branches, isShortest)
    case .repetition(let inner, let least, let most, let isLazy, let isFixed):
      let isLazy = isShortest || isLazy
      let part = RepeatedPart(node: inner, isShortest: isShortest || (isLazy && !isFixed))
      for _ in 0..<least { try add(inner, isShortest: part.isShortest) }
      if let most {
        try addOptional(part, count: most - least, isLazy)
      } else {
        try addLoop(part, isLazy)
      }
    }
  }

  /// What a repetition repeats.
  private struct RepeatedPart {
    var node: RegexNode
    var isShortest: Bool
  }

  private mutating func addAlternatives(
    _ branches: [RegexNode], _ isShortest: Bool
  ) throws(SQLError) {
    var jumps: [Int] = []
    for (index, branch) in branches.enumerated() {
      guard index + 1 < branches.count else {
        try add(branch, isShortest: isShortest)
        break
      }
      let split = steps.count
      try append(.split)
      try add(branch, isShortest: isShortest)
      jumps.append(steps.count)
      try append(.jump)
      aim(split, at: split + 1, steps.count)
    }
    for jump in jumps { steps[jump].a = UInt32(steps.count) }
  }

  private mutating func aim(_ split: Int, at first: Int, _ second: Int) {
    steps[split].a = UInt32(first)
    steps[split].b = UInt32(second)
  }

  private mutating func addLoop(_ part: RepeatedPart, _ isLazy: Bool) throws(SQLError) {
    let split = steps.count
    try append(.split)
    try add(part.node, isShortest: part.isShortest)
    try append(.jump, split)
    let end = steps.count
    aim(split, at: isLazy ? end : split + 1, isLazy ? split + 1 : end)
  }

  private mutating func addOptional(
    _ part: RepeatedPart, count: Int, _ isLazy: Bool
  ) throws(SQLError) {
    var splits: [Int] = []
    for _ in 0..<count {
      splits.append(steps.count)
      try append(.split)
      try add(part.node, isShortest: part.isShortest)
    }
    let end = steps.count
    for split in splits { aim(split, at: isLazy ? end : split + 1, isLazy ? split + 1 : end) }
  }
}
