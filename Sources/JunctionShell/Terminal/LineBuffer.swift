/// The text being edited: characters as a person sees them, and the place of the cursor among them.
///
/// The text may have several lines; movements up and down keep to its lines.
struct LineBuffer {
  private(set) var characters: [Character] = []
  /// The number of characters before the cursor.
  private(set) var cursor = 0
  /// What was cut last, for `yank()`.
  private var cut: [Character] = []

  init(_ text: String = "") {
    characters = Self.split(text)
    cursor = characters.count
  }

  /// Characters, with CRLF and CR made LF.
  private static func split(_ text: String) -> [Character] {
    text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 }
  }

  var text: String { String(characters) }
  var isEmpty: Bool { characters.isEmpty }
  var textBeforeCursor: String { String(characters[..<cursor]) }
  var textAfterCursor: String { String(characters[cursor...]) }

  // Changing.

  mutating func insert(_ text: String) {
    let added = Self.split(text)
    characters.insert(contentsOf: added, at: cursor)
    cursor += added.count
    if added.allSatisfy(\.isASCII), cursor == characters.count || characters[cursor].isASCII {
      return
    }
    // A combining mark typed by itself joins the character before it.
    let joined = Self.split(String(characters))
    if joined.count != characters.count {
      cursor = Self.split(String(characters[..<cursor])).count
      characters = joined
    }
  }

  mutating func replace(_ range: Range<Int>, with text: String) {
    characters.replaceSubrange(range, with: Self.split(text))
    cursor = range.lowerBound + Self.split(text).count
  }

  mutating func deleteBackward() {
    guard cursor > 0 else { return }
    cursor -= 1
    characters.remove(at: cursor)
  }

  mutating func deleteForward() {
    guard cursor < characters.count else { return }
    characters.remove(at: cursor)
  }

  mutating func cutToLineEnd() {
    let end = max(lineEnd, min(cursor + 1, characters.count))
    take(cursor..<(lineEnd == cursor ? end : lineEnd))
  }

  mutating func cutToLineStart() { take(lineStart..<cursor) }

  mutating func cutWordBackward() { take(wordStart..<cursor) }

  mutating func cutWordForward() { take(cursor..<wordEnd) }

  private mutating func take(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    cut = Array(characters[range])
    characters.removeSubrange(range)
    cursor = range.lowerBound
  }

  mutating func yank() {
    characters.insert(contentsOf: cut, at: cursor)
    cursor += cut.count
  }

  /// Exchanges the characters around the cursor.
  mutating func transpose() {
    guard cursor > 0, characters.count > 1 else { return }
    let right = cursor == characters.count ? cursor - 1 : cursor
    guard right > 0 else { return }
    characters.swapAt(right - 1, right)
    cursor = right + 1
  }

  /// Puts something else in the place of the rest of the word at or after the cursor.
  mutating func changeWord(_ change: (String) -> String) {
    let end = wordEnd
    let changed = change(String(characters[cursor..<end].drop { !Self.isWord($0) }))
    let start = characters[cursor..<end].firstIndex(where: Self.isWord) ?? end
    replace(start..<end, with: changed)
  }

  // Moving.

  /// The character under the cursor; nil at the end.
  var characterAtCursor: Character? { cursor < characters.count ? characters[cursor] : nil }

  mutating func move(to place: Int) { cursor = min(max(0, place), characters.count) }

  /// Moves to where `text` first stands, if it does.
  mutating func moveTo(_ text: String) {
    if let found = self.text.firstRange(of: text) {
      cursor = self.text.distance(from: self.text.startIndex, to: found.lowerBound)
    }
  }

  mutating func moveLeft() { cursor = max(0, cursor - 1) }
  mutating func moveRight() { cursor = min(characters.count, cursor + 1) }
  mutating func moveToLineStart() { cursor = lineStart }
  mutating func moveToLineEnd() { cursor = lineEnd }
  mutating func moveToEnd() { cursor = characters.count }
  mutating func moveWordLeft() { cursor = wordStart }
  mutating func moveWordRight() { cursor = wordEnd }

  /// Moves to the line above; false on the first line.
  mutating func moveUp() -> Bool {
    let start = lineStart
    guard start > 0 else { return false }
    let column = cursor - start
    let above = Self.lineStart(characters, before: start - 1)
    cursor = min(above + column, start - 1)
    return true
  }

  /// Moves to the line below; false on the last line.
  mutating func moveDown() -> Bool {
    let end = lineEnd
    guard end < characters.count else { return false }
    let column = cursor - lineStart
    let start = end + 1
    let next = characters[start...].firstIndex(of: "\n") ?? characters.count
    cursor = min(start + column, next)
    return true
  }

  private static func lineStart(_ characters: [Character], before index: Int) -> Int {
    (characters[..<index].lastIndex(of: "\n") ?? -1) + 1
  }

  private var lineStart: Int { Self.lineStart(characters, before: cursor) }
  private var lineEnd: Int { characters[cursor...].firstIndex(of: "\n") ?? characters.count }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private var wordStart: Int {
    var index = cursor
    while index > 0 && !Self.isWord(characters[index - 1]) { index -= 1 }
    while index > 0 && Self.isWord(characters[index - 1]) { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < characters.count && !Self.isWord(characters[index]) { index += 1 }
    while index < characters.count && Self.isWord(characters[index]) { index += 1 }
    return index
  }
}
