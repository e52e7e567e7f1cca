import Catalog
import Columnar
import Diagnostics
import Junction

/// `\d` and its family.
extension Shell {
  /// What a list shows that was asked for by a command.
  func lists(_ command: MetaCommand) -> ObjectLists {
    ObjectLists(
      catalog: connection.catalog, pattern: command[0].map(NamePattern.init),
      isVerbose: command.isVerbose, showsSystem: command.name.contains("S"),
      sizes: { [self] in size(of: $0) })
  }

  /// Prints a table that the shell made itself.
  func show(_ table: TextTable) {
    var table = table
    if !self.settings.footer && table.footers == nil { table.footers = [] }
    printer.print(table)
  }

  /// `\dt`, `\dv` and so on, also several in one.
  func listRelations(_ command: MetaCommand) {
    let letters = command.name.dropFirst().filter { $0 != "+" && $0 != "S" }
    list(lists(command).relations(letters), command)
  }

  /// Prints a list, or on standard error that there is nothing to list.
  private func list(_ table: TextTable, _ command: MetaCommand) {
    guard table.rows.isEmpty else { return show(table) }
    if let pattern = command[0] {
      reportNothing("relation", pattern)
    } else {
      reportMeta("Did not find any relations.")
    }
  }

  /// Says that nothing fits a pattern, and what might have been meant.
  private func reportNothing(_ what: String, _ pattern: String) {
    let names = connection.catalog.relations.keys.map(displayName)
    let near = nearestNames(to: pattern, among: names, limit: 2)
    reportMeta(
      "Did not find any \(what) named \"\(pattern)\"."
        + (near.isEmpty
          ? "" : "\nHINT:  Perhaps you meant \(near.joined(separator: " or "))."))
  }

  /// `\dG`: the property graphs, and the relationships, which are the graph that is always there; with a pattern the
  /// graphs that it fits, or else the relationships by junction tables that it fits.
  func showGraphs(_ command: MetaCommand) {
    let lists = lists(command)
    guard let pattern = lists.pattern else {
      let graphs = lists.graphs()
      if !graphs.rows.isEmpty { show(graphs) }
      return show(lists.relationships())
    }
    if connection.catalog.graphs.values.contains(where: { pattern.matches($0.name) }) {
      return describe(pattern, isVerbose: command.isVerbose, onlyGraphs: true)
    }
    let relationships = lists.relationships()
    guard relationships.rows.isEmpty else { return show(relationships) }
    reportNothing("property graph", pattern.text)
  }

  /// `\d`: all relations, or those that a pattern fits, one by one.
  func describe(_ command: MetaCommand) {
    let lists = lists(command)
    if let pattern = lists.pattern {
      describe(pattern, isVerbose: command.isVerbose)
    } else {
      list(lists.relations("tvmsg"), command)
    }
  }

  /// `\d NAME`: every table, view, sequence, property graph and index that the pattern fits.
  private func describe(_ pattern: NamePattern, isVerbose: Bool, onlyGraphs: Bool = false) {
    let catalog = connection.catalog
    let description = ObjectDescription(catalog: catalog, isVerbose: isVerbose)
    // One column a line, and the rest of a table's description below it, would only confuse.
    let kept = settings.expanded
    settings.expanded = .off
    defer { settings.expanded = kept }
    let names = (Array(catalog.relations.keys) + Array(catalog.indexTables.keys))
      .filter { pattern.matches($0) }
      .sorted { ($0.schema, $0.name) < ($1.schema, $1.name) }
    guard !names.isEmpty else { return reportNothing("relation", pattern.text) }
    for name in names {
      let relation = catalog.relation(at: name)
      if onlyGraphs, catalog.graphs[catalog.relations[name] ?? ObjectID(0)] == nil { continue }
      switch relation {
      case .table(let table): show(description.table(table))
      case .view(let view): show(description.view(view))
      case .sequence(let sequence): show(description.sequence(sequence))
      case .graph(let graph): show(description.graph(graph))
      case nil:
        if let id = catalog.indexTables[name], let table = catalog.tables[id],
          let index = description.index(name, of: table)
        {
          show(index)
        }
      }
    }
  }

  /// `\l`: the database that is open.
  func showDatabases(_ command: MetaCommand) {
    var names = ["Name", "Owner", "Encoding", "Collate", "Ctype"]
    let collation = connection.catalog.defaultCollation?.name ?? "C"
    var row = [databaseName, ObjectLists.owner, "UTF8", collation, "C"]
    if command.isVerbose {
      names += ["Tables", "Rows", "Size"]
      let sizes = connection.catalog.tables.keys.compactMap { size(of: $0) }
      row += [
        String(sizes.count), String(sizes.reduce(0) { $0 + $1.rowCount }),
        TableSize.text(sizes.reduce(0) { $0 + $1.bytes }),
      ]
    }
    show(
      TextTable(
        title: "List of databases", names: names,
        isNumeric: names.map { ["Tables", "Rows"].contains($0) },
        rows: command[0].map { NamePattern($0).matches(databaseName) } ?? true ? [row] : []))
  }

  /// `\dg` and `\du`: the one role.
  func showRoles(_ command: MetaCommand) {
    let isMeant = command[0].map { NamePattern($0).matches(ObjectLists.owner) } ?? true
    let names =
      ["Role name", "Attributes", "Member of"] + (command.isVerbose ? ["Description"] : [])
    let row = [ObjectLists.owner, "Superuser", "{}"] + (command.isVerbose ? [""] : [])
    show(
      TextTable(
        title: "List of roles", names: names, rows: isMeant ? [row] : [], footers: []))
  }

  /// `\dp` and `\z`: nobody but the owner has privileges, so there are none to list.
  func showPrivileges(_ command: MetaCommand) {
    let relations = lists(command).relations("tvmsg")
    show(
      TextTable(
        title: "Access privileges",
        names: ["Schema", "Name", "Type", "Access privileges", "Column privileges", "Policies"],
        rows: relations.rows.map { Array($0[..<3]) + ["", "", ""] }))
  }

  /// `\dconfig`: settings and what they are.
  ///
  /// - Throws: 25P02 in a transaction that failed.
  func showSettings(_ command: MetaCommand) throws(SQLError) {
    let all = try connection.query("SHOW ALL")
    let pattern = command[0].map(NamePattern.init)
    var rows: [[String]] = []
    for row in 0..<all.count {
      guard let name = all.text(row: row, column: 0), pattern?.matches(name) ?? true else {
        continue
      }
      rows.append([name, all.text(row: row, column: 1) ?? ""])
    }
    show(
      TextTable(
        title: "List of configuration parameters", names: ["Parameter", "Value"], rows: rows))
  }

  // Sources.

  /// `\sf` and `\sv`: the statement that made a function, a view or a property graph.
  ///
  /// - Throws: 42883 and 42P01 for what does not exist.
  func showSource(_ command: MetaCommand, isFunction: Bool) throws(SQLError) {
    let name = command.rest.filter { $0 != ";" }
    guard name.contains(where: { !$0.isWhitespace }) else {
      return reportMeta("\(isFunction ? "function" : "view") name is required")
    }
    let text = try source(of: name, isFunction: isFunction)
    guard command.isVerbose else { return output.writeLine(text) }
    // The lines of a function's body are counted, as errors count them.
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if number > 0 || !isFunction || line.hasPrefix("AS ") { number += 1 }
      let count = number > 0 ? String(number) : ""
      output.writeLine(count + blanks(8 - count.count) + line)
    }
  }

  /// The source of what a command names.
  ///
  /// - Throws: 42883, 42725 and 42P01 for what does not exist, or exists several times.
  func source(of text: String, isFunction: Bool) throws(SQLError) -> String {
    let catalog = connection.catalog
    let description = ObjectDescription(catalog: catalog, isVerbose: false)
    let name = text.prefix { $0 != "(" }.filter { !$0.isWhitespace }
    let pattern = NamePattern(String(name))
    func unknown(_ state: SQLState, _ what: String, _ names: [String]) -> SQLError {
      SQLError(
        state, "ERROR:  \(what) \"\(name)\" does not exist",
        hint: nearestNames(to: String(name), among: names, limit: 1).first.map {
          "Perhaps you meant \($0)."
        })
    }
    if isFunction {
      let found = catalog.functions.values.filter { pattern.matches($0.name) }
        .filter { text.contains("(") ? text.hasSuffix("(\(Self.types(of: $0)))") : true }
      if found.count == 1 { return description.source(of: found[0]) }
      if found.isEmpty {
        throw unknown(
          .undefinedFunction, "function", catalog.functionNames.keys.map(displayName))
      }
      throw SQLError(
        .ambiguousFunction, "ERROR:  more than one function named \"\(name)\"",
        hint: "Name the types as well: "
          + found.map { "\(name)(\(Self.types(of: $0)))" }.joined(separator: ", ") + ".")
    }
    if let view = catalog.views.values.first(where: { pattern.matches($0.name) }) {
      return description.source(of: view)
    }
    if let graph = catalog.graphs.values.first(where: { pattern.matches($0.name) }) {
      return description.source(of: graph)
    }
    if catalog.relations.keys.contains(where: { pattern.matches($0) }) {
      throw SQLError(
        .wrongObjectType, "\"\(name)\" is not a view",
        hint: "\\d \(name) describes it, and \\dump writes its definition.")
    }
    throw unknown(
      .undefinedTable, "relation",
      catalog.views.values.map { displayName($0.name) }
        + catalog.graphs.values.map { displayName($0.name) })
  }

  private static func types(of function: FunctionDefinition) -> String {
    function.parameters.map(\.type.name).joined(separator: ", ")
  }
}
