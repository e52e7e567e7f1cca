import Diagnostics
import Junction
import SQLSyntax
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The session of a person at a terminal.
final class InteractiveLoop {
  private let shell: Shell
  private let terminal = Terminal()
  private let editor: LineEditor
  private let runner: ScriptRunner
  /// The lines of the input at hand that were not read yet.
  private let lines: PendingLines
  /// Whether a person has been told how to end the data of a COPY.
  private var isReadingData = false

  init(_ shell: Shell) {
    self.shell = shell
    let lines = PendingLines()
    self.lines = lines
    runner = ScriptRunner(shell, LineReader { lines.next() })
    editor = LineEditor(terminal: terminal, history: History(path: History.defaultPath))
    runner.moreData = { [weak self] in self?.readData() }
    editor.isComplete = { [weak self] in self?.isComplete($0) ?? true }
    editor.continuationPrompts = { [weak self] in self?.continuationPrompts($0) ?? [] }
    if SyntaxColouring.isWanted {
      let colouring = SyntaxColouring(
        keywords: KeywordList.words.union(KeywordList.graphWords))
      editor.colour = { colouring.coloured($0) }
    }
    editor.complete = { [weak self] in
      self?.completion($0, before: $1) ?? LineEditor.Completion(replaced: 0, words: [])
    }
    shell.readHistory = { [editor] in editor.history.entries }
    shell.readAnswer = { [weak self] in self?.readAnswer(prompt: $0) }
  }

  /// Reads and runs until `\q` or Ctrl-D.
  func run() {
    Signals.install()
    if !shell.options.isQuiet {
      shell.output.writeLine("\(ShellMain.version)\nType \\? for help, \\q to quit.\n")
    }
    while shell.exitStatus == nil {
      shell.flushOutputs()
      switch read(prompt: prompt(runner.splitter)) {
      case .text(let text): runInput(text)
      case .interrupted: runner.abandon()
      case .end:
        if !shell.options.isQuiet { shell.standardOutput.writeLine("\\q") }
        runner.finish(runsRest: false)
        shell.exitStatus = 0
      }
    }
  }

  private func prompt(_ splitter: StatementSplitter) -> String {
    let isHolding = splitter.continuation == .nothing && runner.isHolding
    return Prompt.text(
      shell, isHolding ? .statement : splitter.continuation,
      line: splitter.buffer.count { $0 == 0x0A } + 1)
  }

  // Reading.

  private func read(prompt: String, isKept: Bool = true) -> LineEditor.Outcome {
    while Signals.keyboard.take() != nil {}
    guard Terminal.hasEscapes else { return readPlain(prompt: prompt) }
    return editor.read(prompt: prompt, isKept: isKept)
  }

  /// Reads a line of a terminal that only prints: the system itself edits it.
  private func readPlain(prompt: String) -> LineEditor.Outcome {
    terminal.write(prompt)
    var bytes: [UInt8] = []
    while true {
      switch terminal.readByte() {
      case .byte(0x0A): return .text(String(decoding: bytes, as: UTF8.self))
      case .byte(let byte): bytes.append(byte)
      case .signal(SIGINT):
        terminal.write("\n")
        return .interrupted
      case .signal, .timeout: continue
      case .end: return bytes.isEmpty ? .end : .text(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// A line of the data of COPY; nil at its end.
  private func readData() -> [UInt8]? {
    if !isReadingData {
      shell.standardOutput.writeLine(
        "Enter data to be copied followed by a newline.\n"
          + "End with a backslash and a period on a line by itself, or an EOF signal.")
    }
    isReadingData = true
    shell.flushOutputs()
    let prompt = shell.variables["PROMPT3"] ?? ""
    editor.isComplete = { _ in true }
    defer { editor.isComplete = { [weak self] in self?.isComplete($0) ?? true } }
    switch read(prompt: prompt, isKept: false) {
    case .text(let text): return Array(text.utf8) + [0x0A]
    case .interrupted:
      Interrupts.note()
      shell.connection.cancel()
      return nil
    case .end: return nil
    }
  }

  /// A line that answers a question of the shell; nil for Ctrl-C or the end of input.
  private func readAnswer(prompt: String) -> String? {
    shell.flushOutputs()
    editor.isComplete = { _ in true }
    let complete = editor.complete
    editor.complete = { _, _ in LineEditor.Completion(replaced: 0, words: []) }
    defer {
      editor.isComplete = { [weak self] in self?.isComplete($0) ?? true }
      editor.complete = complete
    }
    guard case .text(let text) = read(prompt: prompt, isKept: false) else { return nil }
    return text
  }

  // Running.

  /// Runs one input: statements and commands, and perhaps the beginning of a statement.
  private func runInput(_ text: String) {
    let trimmed = text.split { $0.isWhitespace || $0 == ";" }
    if trimmed.count == 1, !runner.splitter.hasContent, runPlainWord(trimmed[0]) { return }
    Interrupts.begin()
    Interrupts.running.withLock { $0 = shell.connection }
    lines.add(text)
    isReadingData = false
    runner.run()
    lines.removeAll()
    shell.currentLine = 0
    Interrupts.running.withLock { $0 = nil }
  }

  /// The words that people try in a shell they do not know.
  private func runPlainWord(_ word: Substring) -> Bool {
    switch word.lowercased() {
    case "help":
      shell.output.write(StatementHelp.introduction)
      return true
    case "quit", "exit":
      shell.exitStatus = 0
      return true
    default: return false
    }
  }

  /// Whether Enter should run what was typed: a command, or a statement with its semicolon.
  private func isComplete(_ text: String) -> Bool {
    Self.isComplete(text, after: runner.splitter) || !Terminal.hasEscapes
      || shell.variables.isOn("SINGLELINE")
  }

  /// Whether a text that follows what was scanned leaves nothing open.
  static func isComplete(_ text: String, after splitter: StatementSplitter) -> Bool {
    if !splitter.hasContent, splitter.continuation == .nothing {
      let trimmed = text.drop { $0.isWhitespace }
      if trimmed.isEmpty || trimmed.first == "\\" || trimmed.first == "." { return true }
      let words = trimmed.split { $0.isWhitespace }
      if words.count == 1, ["help", "quit", "exit"].contains(words[0].lowercased()) { return true }
    }
    var scanner = splitter
    return scan(text[...], &scanner) || scanner.continuation == .nothing
  }

  /// Scans a text; true if it holds a command, which ends any input.
  private static func scan(_ text: Substring, _ splitter: inout StatementSplitter) -> Bool {
    let bytes = Array(text.utf8)
    var index = 0
    while true {
      switch splitter.scan(bytes, from: index) {
      case .endOfText: return false
      case .semicolon(let end):
        splitter.reset()
        index = end
      case .backslash: return true
      }
    }
  }

  /// The prompts of the second and later lines of a text.
  private func continuationPrompts(_ text: String) -> [String] {
    var splitter = runner.splitter
    var prompts: [String] = []
    // Most lines leave open what the one before left open.
    var made: [StatementSplitter.Continuation: String] = [:]
    let countsLines = shell.variables["PROMPT2"]?.contains("%l") ?? false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      _ = Self.scan(line + "\n", &splitter)
      let prompt = (countsLines ? nil : made[splitter.continuation]) ?? prompt(splitter)
      made[splitter.continuation] = prompt
      prompts.append(prompt)
    }
    return prompts
  }

  private func completion(_ text: String, before rest: String) -> LineEditor.Completion {
    let before = String(decoding: runner.splitter.buffer, as: UTF8.self)
    return Completer(
      catalog: shell.connection.catalog, variables: shell.variables.all.map(\.name),
      relationships: shell.relationshipNames,
      keywordCase: shell.variables["COMP_KEYWORD_CASE"] ?? ""
    ).complete(before + text, before: rest)
  }
}

/// Lines that were typed and wait to be run.
final class PendingLines {
  private var lines: ArraySlice<[UInt8]> = []

  /// Adds the lines of a text, each with its line end.
  func add(_ text: String) {
    lines += text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Array($0.utf8) + [0x0A] }
  }

  func next() -> [UInt8]? { lines.popFirst() }

  func removeAll() { lines = [] }
}
