/// A regular expression as a table that says from a place on how far a match goes.
///
/// Made as `RegexAutomaton` is, but of threads that begin at one place alone, and with a state for what may stand before it.
/// An entry says which state follows, and by its highest bit whether there is a match that ends before the character.
final class RegexSpanAutomaton: Sendable {
  static let matchesHere: UInt16 = 0x8000

  private let kinds: CharacterKinds
  /// Entries of a state: a kind each, and the end of the text.
  private let width: Int
  private let transitions: Buffer<UInt16>
  /// The states in which a match begins, by what stands before it.
  private let starts: Buffer<UInt16>
  private let prefersLongest: Bool
  private let firstByte: UInt8?
  private let isAnchored: Bool
  private let asksForWords: Bool
  private let asksForLines: Bool

  init(
    _ kinds: CharacterKinds, _ transitions: [UInt16], starts: [UInt16], prefersLongest: Bool,
    firstByte: UInt8?, isAnchored: Bool, asksForWords: Bool, asksForLines: Bool
  ) {
    self.kinds = kinds
    width = kinds.count + 1
    self.transitions = Buffer(transitions)
    self.starts = Buffer(starts)
    self.prefersLongest = prefersLongest
    self.firstByte = firstByte
    self.isAnchored = isAnchored
    self.asksForWords = asksForWords
    self.asksForLines = asksForLines
  }

  private init(copying other: RegexSpanAutomaton) {
    kinds = CharacterKinds(copying: other.kinds)
    width = other.width
    transitions = Buffer(other.transitions.array(other.transitions.count))
    starts = Buffer(other.starts.array(other.starts.count))
    prefersLongest = other.prefersLongest
    firstByte = other.firstByte
    isAnchored = other.isAnchored
    asksForWords = other.asksForWords
    asksForLines = other.asksForLines
  }

  /// One that shares nothing with this one, as `RegexAutomaton.copy()` has it.
  func copy() -> RegexSpanAutomaton { RegexSpanAutomaton(copying: self) }

  /// What was found of a match.
  enum Search: Equatable {
    case found(Range<Int>)
    case none
    /// Too much was looked at for nothing; no match begins before the place.
    case givenUp(Int)
  }

  /// The first match that begins at byte `start` or later.
  ///
  /// From each place on that a match may begin at, it is looked how far one goes. Where that takes much longer than
  /// reading the text up to the place, the search is given up, so that all searches in a text together never take the square of
  /// its length.
  ///
  /// - Complexity: O(*n*) in the bytes from `start` to the end of the match.
  func find(_ text: TextBytes, from start: Int) -> Search {
    if isAnchored && start > 0 { return .none }
    var wasted = 0
    var place = start
    while true {
      if let firstByte {
        guard let hit = text.firstIndex(of: firstByte, from: place) else { return .none }
        place = hit
      }
      if wasted > Self.wastedShare &* (place &- start) &+ Self.wastedMax {
        return .givenUp(place)
      }
      let end = end(text, from: place, &wasted)
      if end >= 0 { return .found(place..<end) }
      if isAnchored || place >= text.count { return .none }
      place &+= TextBytes.sequenceLength(text[place])
    }
  }

  /// How many bytes may be looked at for nothing, for each byte that is done with and beside that.
  private static let wastedShare = 16
  private static let wastedMax = 256

  /// Where the match that begins at a place ends; -1 if there is none.
  @inline(__always)
  private func end(_ text: TextBytes, from start: Int, _ wasted: inout Int) -> Int {
    var place = start
    var found = -1
    var asked = start
    var state = starts[Int(before(start, text).rawValue)]
    while place < text.count {
      let byte = text[place]
      let kind: Int
      let next: Int
      if byte < 0x80 {
        kind = kinds.ofASCII(byte)
        next = place &+ 1
      } else {
        let (value, length) = text.codePoint(at: place)
        kind = kinds.of(value)
        next = place &+ length
      }
      let entry = transitions[Int(state) &* width &+ kind]
      if entry & Self.matchesHere != 0 {
        found = place
        if !prefersLongest { return found }
      }
      state = entry & ~Self.matchesHere
      if state == RegexAutomaton.rejecting {
        wasted &+= next &- start
        return found
      }
      place = next
      // A statement that has to end gets any answer.
      if place &- asked > 0xFFFF {
        if RunningStatement.isInterrupted { return found }
        asked = place
      }
    }
    wasted &+= place &- start
    let matches = transitions[Int(state) &* width &+ kinds.count] & Self.matchesHere != 0
    return matches ? place : found
  }

  @inline(__always)
  private func before(_ place: Int, _ text: TextBytes) -> RegexBefore {
    if place == 0 { return .nothing }
    if !asksForWords && !asksForLines { return .other }
    var start = place &- 1
    while start > 0 && text[start] & 0xC0 == 0x80 { start &-= 1 }
    return RegexBefore(
      text.codePoint(at: start).value, asksForWords: asksForWords, asksForLines: asksForLines)
  }
}
