import Catalog
import Diagnostics
import Junction

/// `\explore` at a terminal: what may be chosen is numbered, and a line says which.
///
/// The way that was gone stays when it is left, for `\into` and its kin.
struct ExplorationDialogue {
  private let shell: Shell
  /// Reads a line behind a prompt; nil when there is none to come.
  private let read: (String) -> String?

  init(_ shell: Shell, _ read: @escaping (String) -> String?) {
    self.shell = shell
    self.read = read
  }

  /// What is on the screen to choose from.
  private enum Screen {
    case tables([TableDefinition])
    case rows(of: TableDefinition, ResultSet)
    case row
    case related(RelatedRows, of: Exploration.Step, ResultSet)
  }

  /// Shows and asks until it is left.
  ///
  /// - Throws: what is wrong with the words of the command itself; later errors are shown and asked over.
  func run(_ words: [String]) throws(SQLError) {
    var screen = try begin(words)
    shell.output.writeLine("A number or a name goes on, u goes back, q leaves.")
    while true {
      shell.flushOutputs()
      guard let line = read(prompt) else { return }
      let text = line.drop { $0.isWhitespace }
      let (command, _) = MetaCommand.parse("explore " + text, variables: shell.variables)
      guard let word = command.arguments.first else { continue }
      if ["q", "\\q", "quit", "exit"].contains(text.trimmed) { return }
      do throws(SQLError) {
        screen =
          ["u", "up", ".."].contains(word) && command.arguments.count == 1
          ? try goBack(from: screen) : try choose(command.arguments, on: screen)
      } catch {
        shell.reportMeta(error.message + (error.hint.map { "\nHINT:  \($0)" } ?? ""))
      }
    }
  }

  private var prompt: String {
    shell.exploration.current.map { "\($0.title)> " } ?? "explore> "
  }

  private func begin(_ words: [String]) throws(SQLError) -> Screen {
    guard let name = words.first else {
      guard shell.exploration.current != nil else { return showTables() }
      try shell.showStep()
      return .row
    }
    guard words.count == 1 else {
      try shell.navigate(words)
      return .row
    }
    return try showRows(of: Exploration.table(named: name, shell.connection.catalog))
  }

  private func showTables() -> Screen {
    let tables = Diagram.drawableTables(shell.connection.catalog)
    let width = String(tables.count).count
    shell.output.writeLine("Tables:")
    for (index, table) in tables.enumerated() {
      let number = String(index + 1)
      shell.output.writeLine(
        "  \(blanks(width - number.count))\(number)  \(displayName(table.name))")
    }
    return .tables(tables)
  }

  private func showRows(of table: TableDefinition) throws(SQLError) -> Screen {
    .rows(of: table, try shell.listRows(of: table, isNumbered: true))
  }

  /// Takes a number, a name or a key.
  private func choose(_ words: [String], on screen: Screen) throws(SQLError) -> Screen {
    let number = words.count == 1 ? Int(words[0]).map { $0 - 1 } : nil
    switch screen {
    case .tables(let tables):
      if let number, tables.indices.contains(number) { return try showRows(of: tables[number]) }
      return try begin(words)
    case .rows(let table, let rows):
      let key = try key(words, number, in: rows, of: table)
      try shell.navigate([displayName(table.name)] + key)
    case .row:
      let step = try shell.currentStep()
      let index = try step.choices.index(of: words[0], from: step.place.title)
      let related = step.choices.list[index]
      if words.count == 1 && !related.relationship.isToOne {
        return .related(
          related, of: step, try shell.listRelated(related, of: step, isNumbered: true))
      }
      try shell.go(along: related, from: step, key: Array(words.dropFirst()))
    case .related(let related, let step, let rows):
      let key = try key(words, number, in: rows, of: related.target)
      try shell.go(along: related, from: step, key: key)
    }
    return .row
  }

  /// The key of the row that a number or the words of a key mean.
  ///
  /// - Throws: 22023 for a number that no row has.
  private func key(
    _ words: [String], _ number: Int?, in rows: ResultSet, of table: TableDefinition
  ) throws(SQLError) -> [String] {
    if words.first == "key" { return Array(words.dropFirst()) }
    guard let number else { return words }
    guard number >= 0 && number < rows.count else {
      throw SQLError(
        .invalidParameterValue, "there is no row with the number \(words[0])",
        hint: "Give a number from the list, or the word key and a key.")
    }
    return Exploration.place(of: table, rows, row: number, way: nil).values.map { $0 ?? "" }
  }

  private func goBack(from screen: Screen) throws(SQLError) -> Screen {
    switch screen {
    case .related: break
    case .rows, .tables:
      guard shell.exploration.current != nil else { return showTables() }
    case .row:
      guard shell.exploration.stack.count > 1 else { return showTables() }
      try shell.exploration.pop(1)
    }
    try shell.showStep()
    return .row
  }
}

extension Substring {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
