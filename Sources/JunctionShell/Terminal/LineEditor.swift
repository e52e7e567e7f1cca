/// Reads one statement or command from a person, with history, search, completion and colours.
final class LineEditor {
  /// What came of reading.
  enum Outcome: Equatable {
    case text(String)
    /// Ctrl-C: what was typed is dropped.
    case interrupted
    /// Ctrl-D on an empty line, or the end of input.
    case end
  }

  /// Words that may stand at the cursor.
  struct Completion: Equatable {
    /// The number of characters before the cursor that the words replace.
    var replaced: Int
    var words: [String]
  }

  private let terminal: Terminal
  private(set) var history: History
  /// Words for the text before the cursor.
  var complete: (String) -> Completion = { _ in Completion(replaced: 0, words: []) }
  /// Whether Enter ends the input rather than starting a new line.
  var isComplete: (String) -> Bool = { _ in true }
  /// The prompt of each line after the first, for the text of the lines before it.
  var continuationPrompt: (String) -> String = { _ in "-> " }
  /// The text with colours that take no room.
  var colour: (String) -> String = { $0 }

  private var buffer = LineBuffer()
  private var decoder = KeyDecoder()
  private var prompt = ""
  /// The entry of the history that is shown; its count means the text being written.
  private var historyIndex = 0
  private var draft = ""
  private var search: (pattern: String, index: Int)?
  /// The row of the cursor below the first row of the prompt, as last drawn.
  private var drawnRow = 0

  init(terminal: Terminal, history: History) {
    self.terminal = terminal
    self.history = history
  }

  /// Reads one input.
  func read(prompt: String) -> Outcome {
    self.prompt = prompt
    buffer = LineBuffer()
    historyIndex = history.entries.count
    draft = ""
    search = nil
    drawnRow = 0
    terminal.enterRawMode()
    defer { terminal.leaveRawMode() }
    draw()
    while true {
      guard let key = nextKey() else {
        terminal.write("\r\n")
        return .end
      }
      if let outcome = handle(key) {
        finish()
        if case .text(let text) = outcome { history.add(text) }
        return outcome
      }
      draw()
    }
  }

  private func nextKey() -> Key? {
    while true {
      switch terminal.readByte(within: decoder.isWaiting ? 50 : nil) {
      case .byte(let byte): if let key = decoder.feed(byte) { return key }
      case .timeout: if let key = decoder.flush() { return key }
      case .interrupted: draw()
      case .end: return nil
      }
    }
  }

  /// Moves below what was drawn.
  private func finish() {
    buffer.moveToEnd()
    search = nil
    draw()
    terminal.write("\r\n")
  }

  // Keys.

  private func handle(_ key: Key) -> Outcome? {
    if search != nil, let outcome = handleSearch(key) { return outcome.value }
    switch key {
    case .enter: return handleEnter()
    case .control("c"):
      buffer.moveToEnd()
      return .interrupted
    case .control("d"):
      if buffer.isEmpty { return .end }
      buffer.deleteForward()
    case .tab: handleTab()
    case .up, .control("p"): if !buffer.moveUp() { showHistory(historyIndex - 1) }
    case .down, .control("n"): if !buffer.moveDown() { showHistory(historyIndex + 1) }
    case .pageUp, .alt("<"): showHistory(0)
    case .pageDown, .alt(">"): showHistory(history.entries.count)
    case .control("r"): search = ("", history.entries.count)
    case .control("l"):
      terminal.write("\u{1B}[H\u{1B}[2J")
      drawnRow = 0
    default: edit(key)
    }
    return nil
  }

  private func handleEnter() -> Outcome? {
    if isComplete(buffer.text) {
      return .text(buffer.text)
    }
    buffer.moveToEnd()
    buffer.insert("\n")
    return nil
  }

  private func edit(_ key: Key) {
    switch key {
    case .text(let text), .paste(let text): buffer.insert(text)
    case .newline: buffer.insert("\n")
    case .backspace: buffer.deleteBackward()
    case .delete: buffer.deleteForward()
    case .left, .control("b"): buffer.moveLeft()
    case .right, .control("f"): buffer.moveRight()
    case .home, .control("a"): buffer.moveToLineStart()
    case .end, .control("e"): buffer.moveToLineEnd()
    case .wordLeft, .alt("b"): buffer.moveWordLeft()
    case .wordRight, .alt("f"): buffer.moveWordRight()
    case .control("k"): buffer.cutToLineEnd()
    case .control("u"): buffer.cutToLineStart()
    case .control("w"), .alt("\u{7F}"): buffer.cutWordBackward()
    case .alt("d"): buffer.cutWordForward()
    case .control("y"): buffer.yank()
    case .control("t"): buffer.transpose()
    default: break
    }
  }

  private func showHistory(_ index: Int) {
    let target = min(max(index, 0), history.entries.count)
    guard target != historyIndex else { return }
    if historyIndex == history.entries.count { draft = buffer.text }
    historyIndex = target
    buffer = LineBuffer(target == history.entries.count ? draft : history.entries[target])
  }

  /// What a key means during a search: nothing more to do, an outcome, or (nil) the end of the search and the key's own meaning.
  private struct SearchStep { var value: Outcome? }

  private func handleSearch(_ key: Key) -> SearchStep? {
    guard var current = search else { return nil }
    switch key {
    case .text(let text): current.pattern += text
    case .backspace: current.pattern = String(current.pattern.dropLast())
    case .control("r"):
      if let found = history.search(current.pattern, before: current.index) {
        current.index = found
        buffer = LineBuffer(history.entries[found])
      }
      search = current
      return SearchStep(value: nil)
    case .control("c"), .control("g"), .escape:
      search = nil
      return SearchStep(value: nil)
    default:
      search = nil
      return nil
    }
    current.index = history.entries.count
    if let found = history.search(current.pattern, before: current.index) {
      current.index = found
      historyIndex = found
      buffer = LineBuffer(history.entries[found])
    }
    search = current
    return SearchStep(value: nil)
  }

  private func handleTab() {
    let completion = complete(buffer.textBeforeCursor)
    guard let first = completion.words.first else {
      if buffer.textBeforeCursor.allSatisfy(\.isWhitespace) { buffer.insert("  ") }
      return
    }
    let start = buffer.cursor - completion.replaced
    if completion.words.count == 1 {
      buffer.replace(start..<buffer.cursor, with: first)
      return
    }
    let common = completion.words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if common.count > completion.replaced {
      buffer.replace(start..<buffer.cursor, with: common)
    } else {
      list(completion.words)
    }
  }

  /// Prints the words that are possible below the input.
  private func list(_ words: [String]) {
    let cursor = buffer.cursor
    finish()
    let width = (words.map(DisplayWidth.of).max() ?? 1) + 2
    let perRow = max(1, terminal.size.columns / width)
    var text = ""
    for (index, word) in words.prefix(200).enumerated() {
      text += word + String(repeating: " ", count: width - DisplayWidth.of(word))
      if index % perRow == perRow - 1 { text += "\r\n" }
    }
    terminal.write(text + "\r\n")
    drawnRow = 0
    buffer.moveToStart()
    for _ in 0..<cursor { buffer.moveRight() }
  }

  // Drawing.

  private func draw() {
    if let search {
      let shown = "(reverse-i-search)`\(search.pattern)': "
      paint(prompts: [shown])
    } else {
      paint(prompts: [prompt])
    }
  }

  private func paint(prompts: [String]) {
    let drawing = LineDrawing(
      text: buffer.text, cursor: buffer.cursor, prompt: prompts[0],
      continuationPrompt: continuationPrompt, columns: terminal.size.columns)
    var output = "\u{1B}[?25l\r"
    if drawnRow > 0 { output += "\u{1B}[\(drawnRow)A" }
    output += "\u{1B}[J"
    let lines = colour(buffer.text).split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index > 0 { output += "\r\n" }
      output += drawing.prompts[index] + line
    }
    // A line that fills its row leaves the cursor there: an empty step makes the terminal wrap.
    if drawing.endsAtEdge { output += " \u{1B}[D" }
    let up = drawing.lastRow - drawing.cursorRow
    if up > 0 { output += "\u{1B}[\(up)A" }
    output += "\r"
    if drawing.cursorColumn > 0 { output += "\u{1B}[\(drawing.cursorColumn)C" }
    output += "\u{1B}[?25h"
    terminal.write(output)
    drawnRow = drawing.cursorRow
  }
}

extension String {
  /// The longest beginning that both have.
  func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}

/// Where the parts of an input fall on a screen of some width.
struct LineDrawing {
  private(set) var prompts: [String] = []
  /// Rows are counted from the first row of the first prompt.
  private(set) var lastRow = 0
  private(set) var cursorRow = 0
  private(set) var cursorColumn = 0
  private(set) var endsAtEdge = false

  init(
    text: String, cursor: Int, prompt: String, continuationPrompt: (String) -> String, columns: Int
  ) {
    var row = 0
    var place = 0
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var before = ""
    for (index, line) in lines.enumerated() {
      let lead = index == 0 ? prompt : continuationPrompt(before)
      prompts.append(lead)
      if index > 0 { row += 1 }
      var column = DisplayWidth.of(lead)
      row += column / columns
      column %= columns
      for character in line {
        if place == cursor { (cursorRow, cursorColumn) = (row, column) }
        let width = DisplayWidth.of(String(character))
        // A wide character that does not fit the rest of a row goes to the next.
        if column + width > columns {
          row += 1
          column = 0
        }
        column += width
        if column >= columns {
          row += 1
          column = 0
        }
        place += 1
      }
      if place == cursor { (cursorRow, cursorColumn) = (row, column) }
      place += 1
      before += line + "\n"
      endsAtEdge = column == 0 && !(line.isEmpty && lead.isEmpty)
    }
    lastRow = row
  }
}
