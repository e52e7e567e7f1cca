import Junction
import SQLSyntax

/// Prompts, made from what `PROMPT1`, `PROMPT2` and `PROMPT3` are set to.
enum Prompt {
  /// What the session is in the middle of.
  struct State {
    var databaseName: String
    var transaction = Connection.TransactionStatus.idle
    var open = StatementSplitter.Continuation.nothing
    /// Whether lines are passed over, in a branch of `\if` that is not taken.
    var isSkipping = false
    /// The line of the statement that is asked for, counted from 1.
    var line = 1
  }

  /// The prompt of `shell` in a statement that leaves `open` open.
  static func text(
    _ shell: Shell, _ open: StatementSplitter.Continuation, line: Int = 1
  ) -> String {
    let state = State(
      databaseName: shell.databaseName, transaction: shell.connection.transactionStatus, open: open,
      isSkipping: !shell.conditions.isActive, line: line)
    let pattern = shell.variables[open == .nothing ? "PROMPT1" : "PROMPT2"] ?? ""
    return expanded(pattern, state, shell.variables)
  }

  /// A pattern of a prompt with its `%` parts filled in.
  static func expanded(_ pattern: String, _ state: State, _ variables: VariableTable) -> String {
    var result = ""
    var rest = pattern[...]
    while let character = rest.popFirst() {
      guard character == "%", let code = rest.popFirst() else {
        result.append(character)
        continue
      }
      switch code {
      case "/": result += state.databaseName
      case "~": result += state.databaseName
      case "n": result += ObjectLists.owner
      case "M", "m": result += "[local]"
      case "#": result += ">"
      case "R":
        result.append(state.isSkipping && state.open == .nothing ? "@" : state.open.rawValue)
      case "x": result += mark(of: state.transaction)
      case "l": result += String(state.line)
      case "%": result += "%"
      case ":":
        let name = rest.prefix { $0 != ":" }
        result += variables[String(name)] ?? ""
        rest = rest.dropFirst(name.count + 1)
      // The marks around what takes no room: widths are measured without them.
      case "[", "]": break
      default: break
      }
    }
    return result
  }

  private static func mark(of status: Connection.TransactionStatus) -> String {
    switch status {
    case .idle: ""
    case .active: "*"
    case .failed: "!"
    }
  }
}
