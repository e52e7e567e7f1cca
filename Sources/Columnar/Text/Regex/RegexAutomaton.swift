/// A regular expression as a table of states and characters: whether there is a match is known after one step a character.
///
/// Each state stands for the steps of the program at which there is a thread (the subset construction; Thompson 1968, Cox 2007,
/// "Regular Expression Matching Can Be Simple And Fast"). Characters that no step tells apart are of one kind, and a
/// state has an entry for each kind and one for the end of the text. All states are made at once, so that any worker may copy them.
final class RegexAutomaton: Sendable {
  /// Where a text does not match, and where it does; a search ends at either.
  static let rejecting: UInt16 = 0
  static let accepting: UInt16 = 1
  /// The state in which a text begins.
  static let start: UInt16 = 2

  private let kinds: CharacterKinds
  /// Entries of a state: a kind each, and the end of the text.
  private let width: Int
  private let transitions: Buffer<UInt16>
  private let firstByte: UInt8?

  init(_ kinds: CharacterKinds, _ transitions: [UInt16], firstByte: UInt8?) {
    self.kinds = kinds
    width = kinds.count + 1
    self.transitions = Buffer(transitions)
    self.firstByte = firstByte
  }

  private init(copying other: RegexAutomaton) {
    kinds = CharacterKinds(copying: other.kinds)
    width = other.width
    transitions = Buffer(other.transitions.array(other.transitions.count))
    firstByte = other.firstByte
  }

  /// One that shares nothing with this one: workers that have one each do not wait for each other to count references.
  func copy() -> RegexAutomaton { RegexAutomaton(copying: self) }

  /// Whether the expression matches somewhere in the text.
  ///
  /// A statement that has to end gets any answer.
  ///
  /// - Complexity: O(*n*) in the bytes of the text.
  func matches(_ text: TextBytes) -> Bool {
    var place = 0
    if let firstByte {
      // The steps before the first character are none, so that what stands before it is of no matter.
      guard let hit = text.firstIndex(of: firstByte) else { return false }
      place = hit
    }
    var state = Self.start
    while place < text.count {
      let end = min(text.count, place &+ 0x1_0000)
      while place < end {
        let byte = text[place]
        let kind: Int
        if byte < 0x80 {
          kind = kinds.ofASCII(byte)
          place &+= 1
        } else {
          let (value, length) = text.codePoint(at: place)
          kind = kinds.of(value)
          place &+= length
        }
        state = transitions[Int(state) &* width &+ kind]
        if state <= Self.accepting { return state == Self.accepting }
      }
      if place < text.count && RunningStatement.isInterrupted { return false }
    }
    return transitions[Int(state) &* width &+ kinds.count] == Self.accepting
  }
}
