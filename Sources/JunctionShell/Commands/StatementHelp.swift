/// The texts of `\h` and of the word `help`.
enum StatementHelp {
  /// What the word `help` prints.
  static let introduction = """
    This is junction, a relational engine that speaks PostgreSQL's SQL.
    Type:  \\h for help with SQL statements
           \\? for help with the commands of the shell
           \\g or terminate with semicolon to execute a statement
           \\q to quit

    """

  /// The forms of all statements.
  static let forms: [(name: String, form: String)] = definitions + others

  /// What `\h NAME` prints; without a name, what there is help on.
  static func text(_ name: String) -> String {
    var words = name.split { $0.isWhitespace || $0 == ";" }.map { $0.uppercased() }
    if words.isEmpty { return "Available help:\n" + list }
    if words == ["*"] { return forms.map(Self.text).joined() }
    // What follows the name of a statement is dropped, until something fits.
    while !words.isEmpty {
      let wanted = words.joined(separator: " ")
      let exact = forms.filter { $0.name == wanted }
      let found = exact.isEmpty ? forms.filter { $0.name.hasPrefix(wanted) } : exact
      if !found.isEmpty { return found.map(Self.text).joined() }
      words.removeLast()
    }
    return
      "No help available for \"\(name)\".\nTry \\h with no arguments to see available help.\n"
  }

  private static func text(_ form: (name: String, form: String)) -> String {
    "Command: \(form.name)\nSyntax:\n\(form.form)\n\n"
  }

  /// The names in two columns, read downwards.
  private static var list: String {
    let half = (forms.count + 1) / 2
    return (0..<half).map { row in
      let left = forms[row].name
      guard row + half < forms.count else { return "  \(left)\n" }
      return "  " + left + blanks(32 - left.count) + forms[row + half].name + "\n"
    }.joined()
  }
}
