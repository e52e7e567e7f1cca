#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
    /// What is shown where no word can be put in, such as the arguments of a function.
    var notes: [String] = []
  }

  /// A search through the history.
  struct Search {
    var pattern = ""
    /// The entry that is shown.
    var index: Int
    /// Whether nothing earlier (or later) holds the pattern.
    var hasFailed = false
    /// What was being written when the search began.
    let original: LineBuffer
  }

  let terminal: Terminal
  private(set) var history: History
  /// Words for the text before the cursor, given also what stands behind it.
  var complete: (String, String) -> Completion = { _, _ in Completion(replaced: 0, words: []) }
  /// Whether Enter ends the input rather than starting a new line.
  var isComplete: (String) -> Bool = { _ in true }
  /// The prompts of the lines after the first.
  var continuationPrompts: (String) -> [String] = { _ in [] }
  /// The text with colours that take no room.
  var colour: (String) -> String = { $0 }

  var buffer = LineBuffer()
  private var decoder = KeyDecoder()
  var prompt = ""
  /// The entry of the history that is shown; its count means the text being written.
  private var historyIndex = 0
  private var draft = ""
  var search: Search?
  /// What was drawn last, and its first row on the screen; nil where nothing is.
  var drawn: (drawing: LineDrawing, top: Int)?
  /// Earlier states of the buffer, for undo; typing letter by letter is one step.
  private var undone: [LineBuffer] = []
  private var isTyping = false
  /// Set by Ctrl-V: the next key is text, whatever it is.
  private var isQuoting = false

  private static let undoCountMax = 200

  init(terminal: Terminal, history: History) {
    self.terminal = terminal
    self.history = history
  }

  /// Reads one input, which becomes part of the history if it is to be kept.
  func read(prompt: String, isKept: Bool = true) -> Outcome {
    self.prompt = prompt
    buffer = LineBuffer()
    historyIndex = history.entries.count
    draft = ""
    search = nil
    drawn = nil
    undone = []
    terminal.enterRawMode()
    defer { terminal.leaveRawMode() }
    draw()
    while true {
      guard let key = nextKey() else {
        terminal.write("\r\n")
        return .end
      }
      if let outcome = handle(key) {
        finish(outcome == .interrupted ? "^C" : "")
        if isKept, case .text(let text) = outcome { history.add(text) }
        return outcome
      }
      if terminal.hasPendingInput && key != .enter { continue }
      draw()
    }
  }

  private func nextKey() -> Key? {
    while true {
      switch terminal.readByte(within: decoder.isWaiting ? 50 : nil) {
      case .byte(let byte): if let key = decoder.feed(byte) { return key }
      case .timeout: if let key = decoder.flush() { return key }
      case .signal(SIGINT): return .control("c")
      case .signal: redrawResized()
      case .end: return nil
      }
    }
  }

  // Keys.

  private func handle(_ key: Key) -> Outcome? {
    if search != nil, handleSearch(key) { return nil }
    if isQuoting {
      isQuoting = false
      if case .control(let letter) = key, let value = letter.asciiValue {
        remember(isTyping: false)
        buffer.insert(String(Unicode.Scalar(value & 0x1F)))
        return nil
      }
      if key == .tab {
        buffer.insert("\t")
        return nil
      }
    }
    switch key {
    case .enter: return handleEnter()
    case .control("c"): return .interrupted
    case .control("d"):
      if buffer.isEmpty { return .end }
      edit(.delete)
    case .control("z"):
      leaveDrawing()
      terminal.suspend()
    case .tab: handleTab()
    case .up, .control("p"): if !buffer.moveUp() { showHistory(historyIndex - 1) }
    case .down, .control("n"): if !buffer.moveDown() { showHistory(historyIndex + 1) }
    case .pageUp, .alt("<"): showHistory(0)
    case .pageDown, .alt(">"): showHistory(history.entries.count)
    case .control("r"), .control("s"):
      search = Search(index: history.entries.count, original: buffer)
    case .control("v"), .control("q"): isQuoting = true
    case .control("l"):
      terminal.write("\u{1B}[H\u{1B}[2J")
      drawn = nil
    case .control("_"): if let last = undone.popLast() { buffer = last }
    case .text, .paste, .backspace, .delete, .escape, .left, .right, .home, .end, .wordLeft,
      .wordRight, .newline, .control, .alt, .unknown:
      edit(key)
    }
    return nil
  }

  private func handleEnter() -> Outcome? {
    if isComplete(buffer.text) { return .text(buffer.text) }
    remember(isTyping: false)
    // Wherever the cursor is, the line is done.
    buffer.moveToEnd()
    buffer.insert("\n")
    return nil
  }

  /// Keeps the buffer as it is now for undo.
  private func remember(isTyping: Bool) {
    defer { self.isTyping = isTyping }
    guard !(isTyping && self.isTyping) else { return }
    undone.append(buffer)
    if undone.count > Self.undoCountMax { undone.removeFirst() }
  }

  private func edit(_ key: Key) {
    switch key {
    case .text(let text):
      remember(isTyping: true)
      buffer.insert(text)
    case .paste, .newline, .backspace, .delete, .control("h"), .control("k"), .control("u"),
      .control("w"), .control("y"), .control("t"), .alt:
      remember(isTyping: false)
      change(key)
    case .enter, .tab, .escape, .left, .right, .up, .down, .home, .end, .pageUp, .pageDown,
      .wordLeft, .wordRight, .control, .unknown:
      isTyping = false
      move(key)
    }
  }

  private func change(_ key: Key) {
    switch key {
    case .paste(let text): buffer.insert(text)
    case .newline: buffer.insert("\n")
    case .backspace: buffer.deleteBackward()
    case .delete: buffer.deleteForward()
    case .control("k"): buffer.cutToLineEnd()
    case .control("u"): buffer.cutToLineStart()
    case .control("w"), .alt("\u{7F}"): buffer.cutWordBackward()
    case .alt("d"): buffer.cutWordForward()
    case .control("y"): buffer.yank()
    case .control("t"): buffer.transpose()
    case .alt("u"): buffer.changeWord { $0.uppercased() }
    case .alt("l"): buffer.changeWord { $0.lowercased() }
    case .alt("c"): buffer.changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    case .text, .enter, .tab, .escape, .left, .right, .up, .down, .home, .end, .pageUp, .pageDown,
      .wordLeft, .wordRight, .control, .alt, .unknown:
      move(key)
    }
  }

  private func move(_ key: Key) {
    switch key {
    case .left, .control("b"): buffer.moveLeft()
    case .right, .control("f"): buffer.moveRight()
    case .home, .control("a"): buffer.moveToLineStart()
    case .end, .control("e"): buffer.moveToLineEnd()
    case .wordLeft, .alt("b"): buffer.moveWordLeft()
    case .wordRight, .alt("f"): buffer.moveWordRight()
    case .text, .paste, .enter, .tab, .backspace, .delete, .escape, .up, .down, .pageUp, .pageDown,
      .newline, .control, .alt, .unknown:
      break
    }
  }

  private func showHistory(_ index: Int) {
    let target = min(max(index, 0), history.entries.count)
    guard target != historyIndex else { return }
    if historyIndex == history.entries.count { draft = buffer.text }
    historyIndex = target
    undone = []
    buffer = LineBuffer(target == history.entries.count ? draft : history.entries[target])
  }

  // Search.

  /// Takes a key of a search; false if the key ended it and means what it always does.
  private func handleSearch(_ key: Key) -> Bool {
    guard var current = search else { return false }
    switch key {
    case .text(let text):
      current.pattern += text
      find(&current, from: min(current.index, history.entries.count - 1), isForward: false)
    case .backspace, .control("h"):
      current.pattern = String(current.pattern.dropLast())
      find(&current, from: history.entries.count - 1, isForward: false)
    case .control("r"): find(&current, from: current.index - 1, isForward: false)
    case .control("s"): find(&current, from: current.index + 1, isForward: true)
    case .control("g"):
      buffer = current.original
      search = nil
      return true
    case .paste, .enter, .tab, .delete, .escape, .left, .right, .up, .down, .home, .end, .pageUp,
      .pageDown, .wordLeft, .wordRight, .newline, .control, .alt, .unknown:
      // What was found stays; Escape does nothing but that.
      if current.index < history.entries.count, !current.pattern.isEmpty {
        historyIndex = current.index
      }
      search = nil
      return key == .escape
    }
    search = current
    return true
  }

  private func find(_ current: inout Search, from start: Int, isForward: Bool) {
    guard !current.pattern.isEmpty else { return }
    guard let found = history.search(current.pattern, from: start, isForward: isForward) else {
      current.hasFailed = true
      return
    }
    current.hasFailed = false
    current.index = found
    buffer = LineBuffer(history.entries[found])
    buffer.moveTo(current.pattern)
  }

  // Completion.

  private func handleTab() {
    let completion = complete(buffer.textBeforeCursor, buffer.textAfterCursor)
    guard let first = completion.words.first else {
      if !completion.notes.isEmpty { list(completion.notes) }
      if buffer.textBeforeCursor.allSatisfy(\.isWhitespace) { buffer.insert("  ") }
      return
    }
    let start = buffer.cursor - completion.replaced
    if completion.words.count == 1 {
      remember(isTyping: false)
      // A word that is whole is followed by a blank; a folder or a function goes on.
      let goesOn = first.hasSuffix("/") || first.hasSuffix("(") || buffer.characterAtCursor == " "
      buffer.replace(start..<buffer.cursor, with: goesOn ? first : first + " ")
      return
    }
    let common = completion.words.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if common.count > completion.replaced {
      remember(isTyping: false)
      buffer.replace(start..<buffer.cursor, with: common)
    } else {
      list(completion.words)
    }
  }
}

extension String {
  /// The longest beginning that both have.
  func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}
