/// Which characters a regular expression tells apart.
struct CharacterKinds: Sendable {
  /// The first characters of stretches of one kind, in order; the first is 0.
  private let bounds: Buffer<UInt32>
  private let kindOfStretch: Buffer<UInt8>
  private let ascii: Buffer<UInt8>
  /// A character of each kind.
  let samples: [UInt32]

  var count: Int { samples.count }

  private static let stretchMax = 2_000

  /// nil where there are too many.
  init?(of program: RegexProgram) {
    var starts: Set<UInt32> = [0]
    func add(_ range: ClosedRange<UInt32>) {
      starts.insert(range.lowerBound)
      starts.insert(range.upperBound &+ 1)
    }
    for set in program.classes { set.ranges.forEach(add) }
    var literals: Set<UInt32> = []
    for index in 0..<program.stepCount where program.steps[index].operation == .literal {
      literals.insert(program.steps[index].a)
    }
    for value in literals { add(value...value) }
    let asksForWords = program.assertions.contains { $0.isOfWords }
    let asksForLines = program.assertions.contains { $0.isOfLines }
    if asksForWords { RegexClass.words.forEach(add) }
    if asksForLines { add(0x0A...0x0A) }
    guard starts.count <= Self.stretchMax else { return nil }
    let bounds = starts.sorted()
    // What all steps and assertions say of a character.
    var known: [[UInt32]: UInt8] = [:]
    var samples: [UInt32] = []
    var kinds: [UInt8] = []
    for value in bounds {
      var answers: [UInt32] = [literals.contains(value) ? value : .max]
      for (number, set) in program.classes.enumerated() where set.contains(value) {
        answers.append(UInt32(truncatingIfNeeded: number))
      }
      if asksForWords && RegexClass.isWord(value) { answers.append(.max) }
      if asksForLines && value == 0x0A { answers.append(.max - 1) }
      if let kind = known[answers] {
        kinds.append(kind)
        continue
      }
      guard samples.count < 255 else { return nil }
      let kind = UInt8(samples.count)
      known[answers] = kind
      kinds.append(kind)
      samples.append(value)
    }
    self.samples = samples
    self.bounds = Buffer(bounds)
    kindOfStretch = Buffer(kinds)
    ascii = Buffer(zeroed: 128)
    for value in UInt32(0)..<128 { ascii[Int(value)] = kind(value) }
  }

  init(copying other: CharacterKinds) {
    bounds = Buffer(other.bounds.array(other.bounds.count))
    kindOfStretch = Buffer(other.kindOfStretch.array(other.bounds.count))
    ascii = Buffer(other.ascii.array(128))
    samples = other.samples
  }

  @inline(__always)
  func ofASCII(_ byte: UInt8) -> Int { Int(ascii[Int(byte)]) }

  func of(_ value: UInt32) -> Int { Int(kind(value)) }

  private func kind(_ value: UInt32) -> UInt8 {
    var lower = 0
    var upper = bounds.count
    // The last stretch that starts at the character or before.
    while upper &- lower > 1 {
      let middle = (lower &+ upper) / 2
      if bounds[middle] <= value { lower = middle } else { upper = middle }
    }
    return kindOfStretch[lower]
  }
}
