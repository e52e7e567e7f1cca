/// How an input lies on a screen of some width: rows of text, and the place of the cursor among them.
struct LineDrawing {
  /// One row of the screen.
  struct Row: Equatable {
    /// What is printed, with escape sequences that take no room.
    var text = ""
    /// The cells it takes.
    var width = 0
    /// Whether the next row goes on with the same line.
    var isWrapped = false
  }

  private(set) var rows = [Row()]
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0
  private let columns: Int
  /// The escape sequence in force, for rows that begin within a coloured piece.
  private var colour = ""

  /// Lays out `characters`, whose coloured spelling is `coloured`, with a prompt before each line.
  ///
  /// - Complexity: O(characters).
  init(_ characters: [Character], coloured: String, cursor: Int, prompts: [String], columns: Int) {
    self.columns = max(2, columns)
    var scalars = coloured.unicodeScalars[...]
    var line = 0
    add(prompt: prompts.first ?? "")
    for (place, character) in characters.enumerated() {
      takeEscapes(&scalars)
      if place == cursor { placeCursor(before: character) }
      scalars = scalars.dropFirst(character.unicodeScalars.count)
      guard character == "\n" else {
        add(character)
        continue
      }
      line += 1
      rows.append(Row())
      add(prompt: line < prompts.count ? prompts[line] : "")
    }
    takeEscapes(&scalars)
    if cursor >= characters.count { placeCursor(before: "\n") }
  }

  /// The text with control characters as pictures of the same count, so that they cannot steer the terminal.
  static func shown(_ characters: [Character]) -> [Character] {
    characters.map { character in
      if let value = character.asciiValue, value >= 0x20, value < 0x7F { return character }
      guard let scalar = character.unicodeScalars.first, character != "\n", character != "\t"
      else { return character }
      if scalar.value < 0x20, let picture = Unicode.Scalar(0x2400 + scalar.value) {
        return Character(picture)
      }
      return DisplayWidth.isControl(scalar) ? "\u{2426}" : character
    }
  }

  private static func width(of character: Character) -> Int {
    character.isASCII ? 1 : DisplayWidth.of(String(character))
  }

  private mutating func add(prompt: String) {
    for character in prompt { add(character) }
  }

  private mutating func wrap() {
    rows[rows.count - 1].isWrapped = true
    rows.append(Row(text: colour))
  }

  private mutating func add(_ character: Character) {
    var text = String(character)
    var width = Self.width(of: character)
    let column = rows[rows.count - 1].width
    if character == "\t" {
      width = min(8 - column % 8, max(1, columns - column))
      text = blanks(width)
    }
    // A wide character that does not fit the rest of a row goes to the next.
    if column + width > columns { wrap() }
    rows[rows.count - 1].text += text
    rows[rows.count - 1].width += width
  }

  /// Keeps the escape sequences that stand before the next character.
  private mutating func takeEscapes(_ scalars: inout Substring.UnicodeScalarView) {
    while scalars.first == "\u{1B}" {
      let end = scalars.firstIndex(of: "m").map(scalars.index(after:)) ?? scalars.endIndex
      let sequence = String(String.UnicodeScalarView(scalars[..<end]))
      colour = sequence == SyntaxColouring.plain ? "" : sequence
      rows[rows.count - 1].text += sequence
      scalars = scalars[end...]
    }
  }

  /// The cursor stands where the next character will; past a full row that is the start of another.
  private mutating func placeCursor(before character: Character) {
    let width = character == "\n" || character == "\t" ? 1 : Self.width(of: character)
    if rows[rows.count - 1].width + width > columns { wrap() }
    cursorRow = rows.count - 1
    cursorColumn = rows[cursorRow].width
  }

  /// The rows as they are sent to the terminal, which wraps long lines itself.
  func text(of range: Range<Int>) -> String {
    var result = ""
    for row in range {
      result += rows[row].text
      guard row + 1 < range.upperBound else { break }
      if !rows[row].isWrapped {
        result += "\r\n"
      } else if rows[row + 1].width == 0 {
        // The terminal wraps only when something is printed behind the edge.
        result += " \r"
      }
    }
    return result
  }

  /// How far below row `top` the cursor is once a terminal of another width has wrapped the rows anew.
  func cursorOffset(from top: Int, columns: Int) -> Int {
    var offset = 0
    var cells = 0
    for row in rows[top..<cursorRow] {
      cells += row.width
      if !row.isWrapped {
        offset += max(1, (cells + columns - 1) / columns)
        cells = 0
      }
    }
    return offset + (cells + cursorColumn) / columns
  }
}
