import Catalog
import Junction

extension Completer {
  /// Meta-commands and their arguments.
  func completeCommand(_ text: String) -> Completion {
    let words = Self.words(of: text.drop(while: \.isWhitespace))
    let typed = words.last.map(String.init) ?? ""
    guard words.count > 1 else { return beginning(typed, CommandTable.listedNames) }
    guard let command = CommandTable.command(named: String(words[0].dropFirst())) else {
      return Completion(replaced: 0, words: [])
    }
    let before = words.dropFirst().dropLast()
    return complete(command.completion, typed, before)
  }

  /// The words of a line, of which those in quotes may hold blanks.
  private static func words(of line: Substring) -> [Substring] {
    var quote: Character?
    return line.split(omittingEmptySubsequences: false) { character in
      if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      }
      return quote == nil && character == " "
    }
  }

  func complete(
    _ kind: CommandCompletion, _ typed: String, _ before: ArraySlice<Substring>
  ) -> Completion {
    switch kind {
    case .nothing: Completion(replaced: 0, words: [])
    case .words(let words): beginning(typed, before.isEmpty ? words : [])
    case .files: completeFile(typed)
    case .relations: beginning(typed, relations { _ in true })
    case .tables: beginning(typed, relations { catalog.tables[$0] != nil })
    case .views:
      beginning(
        typed,
        relations {
          catalog.views[$0] != nil || catalog.graphs[$0] != nil
            || catalog.tables[$0]?.materialized != nil
        })
    case .indexes: beginning(typed, catalog.indexTables.keys.map(displayName).sorted())
    case .drawableTables:
      beginning(
        typed,
        before.isEmpty ? Diagram.drawableTables(catalog).map { displayName($0.name) } : [])
    case .functions: beginning(typed, catalog.functionNames.keys.map(displayName).sorted())
    case .types: beginning(typed, catalog.typeNames.keys.map(displayName).sorted())
    case .schemas: beginning(typed, catalog.schemas.sorted())
    case .graphs:
      beginning(typed, catalog.graphs.values.map { displayName($0.name) }.sorted())
    case .variables: beginning(typed, variables)
    case .assignment: completeAssignment(typed, before)
    case .printOption:
      before.isEmpty
        ? beginning(typed, PrintOption.all.map(\.name).sorted())
        : beginning(typed, PrintOption.named(String(before[before.startIndex]))?.values ?? [])
    case .settings: beginning(typed, Connection.settingNames)
    case .statements: completeStatementName(typed, before)
    case .drawing: completeDrawing(before, typed)
    case .copy: completeCopy(typed, before)
    case .plot: completePlot(typed, before)
    case .graph: completeGraph(typed, before)
    case .relationships: beginning(typed, before.isEmpty ? relationships : [])
    }
  }

  /// A file, in quotes where it was begun so or has blanks.
  private func completeFile(_ typed: String) -> Completion {
    let isQuoted = typed.hasPrefix("'")
    let names = FileNames.beginning(isQuoted ? String(typed.dropFirst()) : typed)
    return Completion(
      replaced: typed.count,
      words: names.map { name in
        guard isQuoted || name.contains(" ") else { return name }
        return "'" + name + (name.hasSuffix("/") ? "" : "'")
      })
  }

  private func relations(_ isMeant: (ObjectID) -> Bool) -> [String] {
    catalog.relations.filter { isMeant($0.value) }.map { displayName($0.key) }.sorted()
  }

  /// A variable, then what it can be set to.
  private func completeAssignment(_ typed: String, _ before: ArraySlice<Substring>) -> Completion {
    guard let name = before.first else {
      let known = ShellVariable.all.map(\.name).filter { !variables.contains($0) }
      return beginning(typed, (variables + known).sorted())
    }
    return beginning(typed, ShellVariable.all.first { $0.name == name }?.values ?? [])
  }

  /// Statements have names of several words, of which the next is offered.
  private func completeStatementName(
    _ typed: String, _ before: ArraySlice<Substring>
  ) -> Completion {
    let start = before.map { $0.uppercased() + " " }.joined()
    let names = StatementHelp.forms.map(\.name).filter { $0.hasPrefix(start) }
      .map { String($0.dropFirst(start.count)) }
    return matching(typed, names.map { keyword($0.lowercased(), like: typed) })
  }

  /// A table, a direction, and a file or what may stand for one.
  private func completeCopy(_ typed: String, _ before: ArraySlice<Substring>) -> Completion {
    let directions: Set = ["from", "to"]
    guard let last = before.last?.lowercased() else {
      return beginning(typed, relations { catalog.sequences[$0] == nil } + ["("])
    }
    if directions.contains(last) {
      let streams = last == "from" ? ["pstdin", "stdin"] : ["pstdout", "stdout"]
      return beginning(typed, FileNames.beginning(typed) + ["program"] + streams)
    }
    if last == "program" { return Completion(replaced: 0, words: []) }
    let hasFile = before.contains { directions.contains($0.lowercased()) }
    return matching(
      typed, hasFile ? ["csv", "header", "delimiter", "null", "with ("] : ["from", "to"])
  }

  private func completePlot(_ typed: String, _ before: ArraySlice<Substring>) -> Completion {
    let formats = ChartRequest.Format.allCases.map(\.rawValue)
    if let last = before.last, formats.contains(String(last)) {
      return beginning(typed, FileNames.beginning(typed))
    }
    return beginning(
      typed, (before.isEmpty ? Chart.Kind.allCases.map(\.rawValue) : []) + formats)
  }

  /// A property graph or a table, and a format, behind which stands a file.
  private func completeGraph(_ typed: String, _ before: ArraySlice<Substring>) -> Completion {
    let formats = ChartRequest.Format.allCases.map(\.rawValue)
    if let last = before.last, formats.contains(String(last)) {
      return beginning(typed, FileNames.beginning(typed))
    }
    let graphs =
      before.isEmpty ? relations { catalog.graphs[$0] != nil || catalog.tables[$0] != nil } : []
    return beginning(typed, graphs + formats)
  }

  /// After a format stands a file; before it formats, `full` and tables.
  private func completeDrawing(_ before: ArraySlice<Substring>, _ typed: String) -> Completion {
    let formats = DrawingRequest.Format.allCases.map(\.rawValue)
    if let last = before.last, formats.contains(String(last)) {
      return beginning(typed, FileNames.beginning(typed))
    }
    if before.contains(where: { formats.contains(String($0)) }) {
      return Completion(replaced: 0, words: [])
    }
    let tables = Diagram.drawableTables(catalog).map { displayName($0.name) }
    return beginning(typed, formats + [DrawingRequest.fullWord] + tables)
  }

  func beginning(_ typed: String, _ words: [String]) -> Completion {
    Completion(replaced: typed.count, words: words.filter { $0.hasPrefix(typed) })
  }
}
