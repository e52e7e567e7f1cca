import Catalog
import Diagnostics
import Junction
import SQLSyntax

extension Shell {
  /// The most rows that are listed.
  static let listedRowCountMax = 50

  /// `\explore`: by numbers at a terminal; otherwise as `\nav`, or where things lead.
  ///
  /// - Throws: what is wrong with names and keys, and the errors of the statements that ask for rows.
  func explore(_ command: MetaCommand) throws(SQLError) {
    let words = command.arguments
    if let readAnswer {
      try ExplorationDialogue(self, readAnswer).run(words)
    } else if words.isEmpty {
      if exploration.current == nil { showTables() } else { try showStep() }
    } else {
      try navigate(words)
    }
  }

  /// `\up`: back over so many rows.
  ///
  /// - Throws: 22023 for what is no such number, and if there are not as many.
  func stepUp(_ word: String?) throws(SQLError) {
    let count = word.flatMap { Int($0) }
    if let word, count == nil || (count ?? 0) < 1 {
      throw SQLError(
        .invalidParameterValue, "\\up: \"\(word)\" is no number of rows to go back over")
    }
    try exploration.pop(count ?? 1)
    try showStep()
  }

  /// Runs a statement of the shell's own, which ECHO_HIDDEN shows.
  func ask(for statement: String) throws(SQLError) -> ResultSet {
    if variables.isOn("ECHO_HIDDEN") {
      output.writeLine(
        "********* QUERY **********\n\(statement)\n**************************\n")
    }
    return try connection.query(statement)
  }

  // Moving.

  /// `\nav TABLE [KEY…]`: begins at a row, or lists those that there are.
  func navigate(_ words: [String]) throws(SQLError) {
    guard let name = words.first else {
      throw SQLError(
        .syntaxError, "\\nav: missing the name of a table",
        hint: "Write \\nav TABLE KEY; \\explore lists the tables.")
    }
    let table = try Exploration.table(named: name, connection.catalog)
    if words.count == 1 {
      try listRows(of: table)
      return
    }
    let place = try Exploration.place(in: table, key: Array(words.dropFirst()))
    let step = try Exploration.step(at: place, connection.catalog) { statement throws(SQLError) in
      try ask(for: statement)
    }
    exploration.begin(at: step.place)
    try show(step)
  }

  /// `\into RELATIONSHIP [KEY…]`: goes on to a related row, or lists those that there are.
  func stepInto(_ words: [String]) throws(SQLError) {
    let step = try currentStep()
    guard let name = words.first else {
      throw SQLError(
        .syntaxError, "\\into: missing the name of a relationship",
        hint: step.choices.list.isEmpty
          ? "\(step.place.title) has none."
          : "There are: \(step.choices.names.joined(separator: ", ")).")
    }
    let index = try step.choices.index(of: name, from: step.place.title)
    let related = step.choices.list[index]
    let key = Array(words.dropFirst())
    if key.isEmpty && !related.relationship.isToOne {
      try listRelated(related, of: step)
      return
    }
    try go(along: related, from: step, key: key)
  }

  /// Goes on to the one related row, or to that with a key.
  func go(
    along related: RelatedRows, from step: Exploration.Step, key: [String]
  ) throws(SQLError) {
    let target = displayName(related.target.name)
    let rows: ResultSet
    if key.isEmpty {
      rows = try ask(for: related.list(limit: 1))
      guard rows.count == 1 else {
        throw SQLError(
          .objectNotInPrerequisiteState,
          "\(step.place.title) has no \(target) \(related.description)",
          hint: "\\explore shows where it leads.")
      }
    } else {
      let place = try Exploration.place(in: related.target, key: key)
      rows = try ask(for: related.row(at: place))
      guard rows.count == 1 else {
        throw SQLError(
          .objectNotInPrerequisiteState,
          "\(place.title) is not related to \(step.place.title) \(related.description)",
          hint: "\\into \(target) lists those that are; \\nav goes to any row.")
      }
    }
    exploration.push(
      Exploration.place(of: related.target, rows, row: 0, way: related.description))
    try showStep()
  }

  /// The current row with what leads on from it.
  func currentStep() throws(SQLError) -> Exploration.Step {
    try exploration.step(connection) { statement throws(SQLError) in try ask(for: statement) }
  }

  /// The names of the relationships of the current row, for completion; none where they cannot be had.
  var relationshipNames: [String] {
    guard let current = exploration.current,
      case .table(let table)? = connection.catalog.relation(
        schema: current.table.schema, current.table.name)
    else { return [] }
    let row = [String?](repeating: nil, count: table.columns.count)
    return RelationshipChoices(RelatedRows.all(from: table, row: row, connection.catalog)).names
  }

  // Showing.

  func showStep() throws(SQLError) { try show(currentStep()) }

  /// Prints a row, one column a line, and what leads on from it with the number of rows there.
  func show(_ step: Exploration.Step) throws(SQLError) {
    var counts: [String] = []
    for related in step.choices.list {
      let rows = try ask(for: related.count)
      counts.append(rows.text(row: 0, column: 0) ?? "0")
    }
    let kept = settings
    if settings.format != .csv { settings.expanded = .on }
    settings.title = crumbs
    printer.print(step.rows)
    settings = kept
    try show(step.choices, counts)
  }

  private func show(
    _ choices: RelationshipChoices, _ counts: [String]
  ) throws(SQLError) {
    guard settings.format == .aligned || settings.format == .unaligned else {
      guard !choices.list.isEmpty else { return }
      // For programs a second result, whose counts are numbers.
      let rows = choices.list.indices.map { index in
        let texts = [choices.names[index], choices.list[index].description]
          .map(SQLPrinter.quotedString)
        return "(\(texts[0]), \(counts[index])::bigint, \(texts[1]))"
      }
      printer.print(
        try connection.query(
          "SELECT * FROM (VALUES \(rows.joined(separator: ", "))) AS v (relationship, rows, route)")
      )
      return
    }
    guard !settings.tuplesOnly else { return }
    guard !choices.list.isEmpty else {
      output.writeLine("No relationships.\n")
      return
    }
    let entries = choices.list.indices.map { "\(choices.names[$0]) (\(counts[$0]))" }
    let width = entries.map(DisplayWidth.of).max() ?? 0
    let numberWidth = String(entries.count).count
    output.writeLine("Into:")
    for (index, entry) in entries.enumerated() {
      let related = choices.list[index]
      let number = String(index + 1)
      // A name that is not the table's says nothing of where it leads.
      let target = displayName(related.target.name)
      let lead = choices.names[index] == target ? "" : "\(target) "
      output.writeLine(
        "  \(blanks(numberWidth - number.count))\(number)  \(entry)"
          + "\(blanks(width - DisplayWidth.of(entry)))  \(lead)\(related.description)")
    }
    output.writeLine("")
  }

  /// The way in one line: `course 2 > student 5`.
  var crumbs: String { exploration.stack.map(\.title).joined(separator: " > ") }

  /// `\stack`: the way, a row a line.
  func showStack() {
    guard !exploration.stack.isEmpty else {
      output.writeLine("The stack is empty: \\nav TABLE KEY goes to a row.")
      return
    }
    for (depth, place) in exploration.stack.enumerated() {
      let way = place.way.map { "  \($0)" } ?? ""
      output.writeLine("\(blanks(2 * depth))\(place.title)\(way)")
    }
  }

  /// `\explore` without a row: the tables.
  func showTables() {
    let tables = Diagram.drawableTables(connection.catalog)
    guard !tables.isEmpty else {
      output.writeLine("There are no tables to explore.")
      return
    }
    let catalog = connection.catalog
    let rows = tables.map { table in
      [
        displayName(table.name), columnList(table, table.identity),
        RelationshipChoices(
          RelatedRows.all(from: table, row: table.columns.map { _ in nil }, catalog)
        ).names.joined(separator: ", "),
      ]
    }
    show(
      TextTable(
        title: "Tables to explore", names: ["Table", "Key", "Leads into"], rows: rows,
        footers: ["\\nav TABLE KEY goes to a row."]))
  }

  // Listing.

  /// Lists the first rows of a table; the result is what was listed.
  @discardableResult
  func listRows(of table: TableDefinition, isNumbered: Bool = false) throws(SQLError) -> ResultSet {
    let order = columnList(table, table.identity)
    let rows = try ask(
      for: "SELECT * FROM \(table.qualifiedName)" + (order.isEmpty ? "" : " ORDER BY \(order)")
        + " LIMIT \(Self.listedRowCountMax)")
    var total = String(rows.count)
    if rows.count == Self.listedRowCountMax {
      let counted = try ask(for: "SELECT count(*) FROM \(table.qualifiedName)")
      total = counted.text(row: 0, column: 0) ?? total
    }
    list(rows, title: displayName(table.name), total: total, isNumbered: isNumbered)
    return rows
  }

  /// Lists the first of the rows that a relationship leads to; the result is what was listed.
  @discardableResult
  func listRelated(
    _ related: RelatedRows, of step: Exploration.Step, isNumbered: Bool = false
  ) throws(SQLError) -> ResultSet {
    let rows = try ask(for: related.list(limit: Self.listedRowCountMax))
    var total = String(rows.count)
    if rows.count == Self.listedRowCountMax {
      total = try ask(for: related.count).text(row: 0, column: 0) ?? total
    }
    let title = "\(displayName(related.target.name)) of \(step.place.title) \(related.description)"
    list(rows, title: title, total: total, isNumbered: isNumbered)
    return rows
  }

  private func list(_ rows: ResultSet, title: String, total: String, isNumbered: Bool) {
    var table = TextTable(rows, settings: settings)
    table.title = title
    if total != String(rows.count) {
      table.footers = ["(the first \(rows.count) of \(total) rows)"]
    }
    if isNumbered {
      table.names.insert("#", at: 0)
      table.isNumeric.insert(true, at: 0)
      table.rows = table.rows.enumerated().map { ["\($0 + 1)"] + $1 }
    }
    printer.print(table)
  }
}
