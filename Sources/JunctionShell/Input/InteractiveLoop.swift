import Diagnostics
import Junction
import SQLSyntax

/// The session of a person at a terminal.
final class InteractiveLoop {
  private let shell: Shell
  private let editor: LineEditor

  init(_ shell: Shell) {
    self.shell = shell
    editor = LineEditor(terminal: Terminal(), history: History(path: History.defaultPath))
    editor.isComplete = { Self.isComplete($0) }
    editor.continuationPrompt = { [weak shell] text in
      guard let shell else { return "-> " }
      return Self.prompt(shell, Self.continuation(text))
    }
    if SyntaxColouring.isWanted {
      let colouring = SyntaxColouring(keywords: KeywordList.words)
      editor.colour = { colouring.coloured($0) }
    }
    editor.complete = { [weak shell] text in
      shell.map { shell in
        Completer(catalog: shell.connection.catalog, variables: shell.variables.all.map(\.name))
          .complete(text)
      }
        ?? LineEditor.Completion(replaced: 0, words: [])
    }
  }

  /// Reads and runs until `\q` or Ctrl-D.
  func run() {
    if !shell.options.isQuiet {
      shell.output.writeLine("\(ShellMain.version)\nType \\? for help, \\q to quit.\n")
    }
    while shell.exitStatus == nil {
      shell.flushOutputs()
      switch editor.read(prompt: Self.prompt(shell, .nothing)) {
      case .text(let text): runInput(text)
      case .interrupted: continue
      case .end: shell.exitStatus = 0
      }
    }
  }

  /// Runs one input: statements and commands, as a script of its own.
  private func runInput(_ text: String) {
    let watch = InterruptWatch(shell.connection)
    let lines = (text + "\n").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    var pending = lines.map { Array($0.utf8) + [0x0A] }[...]
    let reader = LineReader { pending.popFirst() }
    ScriptRunner(shell, reader).run()
    shell.currentLine = 0
    withExtendedLifetime(watch) {}
  }

  /// Whether Enter should run what was typed: a command, or a statement with its semicolon.
  static func isComplete(_ text: String) -> Bool {
    let trimmed = text.drop { $0.isWhitespace }
    if trimmed.isEmpty || trimmed.first == "\\" || trimmed.first == "." { return true }
    return continuation(text) == .nothing
  }

  /// What a text leaves open; a command at its end closes everything.
  static func continuation(_ text: String) -> StatementSplitter.Continuation {
    var splitter = StatementSplitter()
    let bytes = Array(text.utf8)
    var index = 0
    while true {
      switch splitter.scan(bytes, from: index) {
      case .endOfText: return splitter.continuation
      case .semicolon(let end):
        splitter.reset()
        index = end
      case .backslash: return .nothing
      }
    }
  }

  /// The prompt: the database, what is open, and the state of the transaction.
  static func prompt(_ shell: Shell, _ open: StatementSplitter.Continuation) -> String {
    let mark =
      switch shell.connection.transactionStatus {
      case .idle: ""
      case .active: "*"
      case .failed: "!"
      }
    return "\(shell.databaseName)\(open.rawValue)\(open == .nothing ? mark : "")> "
  }
}
