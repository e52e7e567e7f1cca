import Catalog
import Diagnostics
import Junction

extension Shell {
  /// Runs `\d` and its family; false for any other command.
  func runDescription(_ command: MetaCommand) throws(SQLError) -> Bool {
    let isVerbose = command.name.contains("+")
    let name = command.name.filter { $0 != "+" && $0 != "S" }
    let pattern = command[0].map(NamePattern.init)
    let lists = ObjectLists(catalog: connection.catalog, pattern: pattern, isVerbose: isVerbose)
    switch name {
    case "d":
      if let pattern {
        describe(pattern, isVerbose: isVerbose)
      } else {
        list(lists.relations("tvsg"), pattern, what: "relations")
      }
    case "dn": show(lists.schemas())
    case "df": show(lists.functions())
    case "dT": show(lists.types())
    case "dG": showGraphs(lists, pattern, isVerbose: isVerbose)
    case "l", "list": showDatabases()
    case "sf", "sv": showSource(command)
    case "conninfo":
      output.writeLine(
        "You are connected to database \"\(databaseName)\" as user \"\(ObjectLists.owner)\".")
    default:
      let letters = name.dropFirst()
      guard name.first == "d", !letters.isEmpty, letters.allSatisfy({ "tvis".contains($0) }) else {
        return false
      }
      list(lists.relations(String(letters)), pattern, what: Self.kindName(String(letters)))
    }
    return true
  }

  private static func kindName(_ letters: String) -> String {
    switch letters {
    case "t": "tables"
    case "v": "views"
    case "i": "indexes"
    case "s": "sequences"
    default: "relations"
    }
  }

  /// Prints a table that the shell made itself.
  func show(_ table: TextTable) {
    var table = table
    if !self.settings.footer && table.footers == nil { table.footers = [] }
    printer.print(table)
  }

  /// Prints a list, or on standard error that there is nothing to list.
  private func list(_ table: TextTable, _ pattern: NamePattern?, what: String) {
    guard table.rows.isEmpty else { return show(table) }
    let isRelation = what == "relations"
    if let pattern {
      reportMeta(
        isRelation
          ? "Did not find any relation named \"\(pattern.text)\"."
          : "Did not find any relation named \"\(pattern.text)\".")
    } else {
      reportMeta("Did not find any relations.")
    }
  }

  /// `\dG`: the property graphs, and the relationships, which are the graph that is always there; with a pattern the
  /// graphs that it fits, or else the relationships by junction tables that it fits.
  private func showGraphs(_ lists: ObjectLists, _ pattern: NamePattern?, isVerbose: Bool) {
    guard let pattern else {
      let graphs = lists.graphs()
      if !graphs.rows.isEmpty { show(graphs) }
      return show(lists.relationships())
    }
    if connection.catalog.graphs.values.contains(where: { pattern.matches($0.name) }) {
      return describe(pattern, isVerbose: isVerbose, onlyGraphs: true)
    }
    let relationships = lists.relationships()
    guard relationships.rows.isEmpty else { return show(relationships) }
    reportMeta("Did not find any property graph named \"\(pattern.text)\".")
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
      .filter(pattern.matches)
      .sorted { ($0.schema, $0.name) < ($1.schema, $1.name) }
    guard !names.isEmpty else {
      reportMeta("Did not find any relation named \"\(pattern.text)\".")
      return
    }
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

  private func showDatabases() {
    show(
      TextTable(
        title: "List of databases", names: ["Name", "Owner", "Encoding", "Collate", "Ctype"],
        rows: [[databaseName, ObjectLists.owner, "UTF8", "C", "C"]]))
  }

  /// `\sf` and `\sv`: the statement that made a function, a view or a property graph.
  private func showSource(_ command: MetaCommand) {
    let isFunction = command.name.hasPrefix("sf")
    guard let text = command[0] else {
      reportMeta("\(isFunction ? "function" : "view") name is required")
      return
    }
    let catalog = connection.catalog
    let description = ObjectDescription(catalog: catalog, isVerbose: false)
    let pattern = NamePattern(String(text.prefix { $0 != "(" }))
    if isFunction {
      let found = catalog.functions.values.filter { pattern.matches($0.name) }
      switch found.count {
      case 1: output.writeLine(description.source(of: found[0]))
      case 0: reportMeta("ERROR:  function \"\(text)\" does not exist")
      default: reportMeta("ERROR:  more than one function named \"\(text)\"")
      }
    } else if let view = catalog.views.values.first(where: { pattern.matches($0.name) }) {
      output.writeLine(description.source(of: view))
    } else if let graph = catalog.graphs.values.first(where: { pattern.matches($0.name) }) {
      output.writeLine(description.source(of: graph))
    } else {
      reportMeta("ERROR:  relation \"\(text)\" does not exist")
    }
  }
}
