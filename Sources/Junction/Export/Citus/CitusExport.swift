import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Planning
import SQLSyntax
import Storage
import Translation

extension Session {
  /// Writes a folder from which Citus, or PostgreSQL alone, gets the tables and asks queries, and compares the answers.
  ///
  /// - Parameters:
  ///   - path: The folder, which must not be there.
  ///   - queries: Queries, separated by semicolons.
  /// - Returns: What was written, what cannot be kept there and why, as lines to be told.
  /// - Throws: 58P02 if there is something of the name, and what the system says. Then nothing is left.
  func exportCitus(to path: String, queries: String) throws(SQLError) -> ExportAccount {
    try inSnapshot { (version, check) throws(SQLError) in
      try NewFolder.create(path, on: disk) { (folder) throws(SQLError) in
        let export = SQLExport(version, state.sequences)
        let writer = CitusFolder(export, version, folder)
        var lines = try writer.writeRows(check)
        try writer.writeStatements()
        lines += writer.account
        try folder.write(writer.account.map { $0 + "\n" }.joined(), to: "account.txt")
        lines += try writeCitusQueries(queries, writer, check)
        try folder.write(RunnerText.postgres, to: "run", isProgram: true)
        try folder.write(RunnerText.postgresComparison, to: "compare.py")
        return ExportAccount(lines)
      }
    }
  }

  /// Writes queries as they are where PostgreSQL has all that they use, else translated.
  private func writeCitusQueries(
    _ text: String, _ writer: CitusFolder, _ check: () throws(SQLError) -> Void
  ) throws(SQLError) -> [String] {
    var queries = try QueryFolder(writer.folder)
    var notes: [String] = []
    for query in ExportedQuery.all(of: text) {
      try check()
      do throws(SQLError) {
        let plan = try translatablePlan(of: query.text)
        try requireLasting(plan)
        let statement = try queryStatement(query.text)
        try writer.requireTables(of: plan.plan)
        var own = query.text
        var rounds: [RoundsText] = []
        if writer.isOwn(statement) {
          let found = try translated(query.text, plan, for: .postgres, choosing: writer.chooser)
          own = found.statement
          // Paths of graph patterns are made in rounds everywhere.
          rounds = found.rounds
        } else if writer.readsCopies(plan.plan),
          let found = try? translated(query.text, plan, for: .postgres, choosing: writer.chooser)
        {
          own = found.statement
        }
        if rounds.isEmpty, plan.plan.isRecursive,
          let found = try? translated(
            query.text, plan, for: .postgres, makingRounds: true, choosing: writer.chooser)
        {
          // What leads over several machines is made in rounds.
          rounds = found.rounds
          try writer.folder.write(
            found.statement + ";\n", to: "queries/\(query.number).rounds.sql")
        }
        let bound = try boundPlan(of: statement)
        let objection = CitusLimits.objection(
          to: bound, writer.placement, makesRounds: !rounds.isEmpty)
        if let objection {
          notes.append("query \(query.number) not run by Citus, line \(query.line): \(objection)")
        } else if CitusLimits.movesRows(bound, writer.placement) {
          notes.append("query \(query.number): Citus moves rows between machines to join them")
        }
        let answer = try runPlanned(statement).rows ?? ResultSet(columns: [], chunks: [])
        try queries.add(
          query, own, rounds: rounds, answer: answer, AnswerOrder(plan.plan),
          gathersInAnyOrder: plan.plan.gathersInAnyOrder, limit: objection)
      } catch {
        if error.state == .queryCanceled { throw error }
        queries.refuse(query, error)
      }
    }
    try queries.finish()
    return notes + queries.lines
  }
}

extension LogicalPlan {
  /// Whether values are gathered into arrays or JSON in an order that nothing settles.
  fileprivate var gathersInAnyOrder: Bool {
    contains { part in
      guard case .aggregate(let plan) = part else { return false }
      return plan.aggregates.contains { $0.call.isOrderSensitive && $0.call.orderBy.isEmpty }
    }
  }

  fileprivate var isRecursive: Bool {
    contains { if case .recursive = $0 { true } else { false } }
  }
}

/// What an export for Citus writes beside queries.
struct CitusFolder {
  let export: SQLExport
  let version: DatabaseVersion
  let folder: NewFolder
  let placement: Placement
  private let tables: [TableDefinition]

  init(_ export: SQLExport, _ version: DatabaseVersion, _ folder: NewFolder) {
    self.export = export
    self.version = version
    self.folder = folder
    tables = export.order.tables.filter { $0.materialized == nil }
    var rows: [ObjectID: Int] = [:]
    var bytes: [ObjectID: Int] = [:]
    for table in tables {
      rows[table.id] = version.tables[table.id]?.liveRowCount ?? 0
      // About what a row of PostgreSQL takes.
      bytes[table.id] = (rows[table.id] ?? 0) * (28 + 12 * table.columns.count)
    }
    placement = Placement(tables, version.catalog, rows: rows, bytes: bytes)
  }

  private var text: DefinitionText { export.text }

  // MARK: Queries

  var chooser: TableChooser {
    let (placement, text) = (placement, text)
    let inherited = Set(tables.flatMap(\.parents))
    return { table, joined in
      let name = placement.choose(table, joined, text)
      let parts = (name.schema == "public" ? [] : [name.schema]) + [name.name]
      return TableChoice(
        QualifiedName(parts.map { Identifier($0) }), isOnly: inherited.contains(table.id))
    }
  }

  /// Whether a query has something that PostgreSQL has not: joins or patterns of Junction's own, or views made of such.
  func isOwn(_ statement: Statement) -> Bool {
    guard case .select(let query) = statement else { return false }
    let printed = SQLPrinter.text(of: query)
    return StatementWords.contains("GRAPH_TABLE", in: printed)
      || StatementWords.contains("ANTI", "JOIN", in: printed)
      || StatementWords.contains("SEMI", "JOIN", in: printed)
      || export.order.own.contains { object in
        if case .view(let view) = object {
          return StatementWords.contains(view.name.name, in: printed)
        }
        return false
      }
  }

  /// - Throws: 0A000 for a plan that reads rows kept by a view that PostgreSQL cannot have.
  func requireTables(of plan: LogicalPlan) throws(SQLError) {
    let missing = Set(export.order.own.compactMap(\.table).map(\.id))
    var found: String?
    _ = plan.contains { part in
      if case .scan(let scan) = part, missing.contains(scan.table.id) {
        found = scan.table.name.name
      }
      return found != nil
    }
    guard let found else { return }
    throw SQLError(
      .featureNotSupported,
      "materialized view \"\(found)\" is made of a property graph or of joins of Junction's own, and does not leave"
    )
  }

  /// Whether a plan reads a table that stands there twice.
  func readsCopies(_ plan: LogicalPlan) -> Bool {
    let twice = Set(placement.copies.map(\.table.id))
    return plan.contains {
      if case .scan(let scan) = $0 { twice.contains(scan.table.id) } else { false }
    }
  }

  // MARK: Rows

  /// Writes the rows of each table as CSV, and what loads them.
  ///
  /// - Returns: A line for each table.
  /// - Throws: what writing says.
  func writeRows(_ check: () throws(SQLError) -> Void) throws(SQLError) -> [String] {
    try folder.makeFolder("data")
    var lines: [String] = []
    var load: [String] = []
    for table in tables {
      let store = version.tables[table.id]
      let columns = table.columns.indices.filter { table.columns[$0].generated == nil }
      let name = "data/\(TableFiles.fileName(of: table)).csv"
      let file = try folder.makeFile(name)
      var options = CopyOptions()
      options.isText = false
      options.format.delimiter = UInt8(ascii: ",")
      options.format.null = []
      let writer = CopyWriter(
        options,
        columns.map {
          ResultColumn(name: table.columns[$0].name, columnType: table.columns[$0].columnType)
        })
      for page in 0..<(store?.pageCount ?? 0) {
        try check()
        guard let bytes = store.map({ writer.lines($0.scan(page: page, columns: columns)) }) else {
          continue
        }
        if !bytes.isEmpty { try file.write(bytes) }
      }
      try file.close()
      let list = columns.map { SQLPrinter.quoted(table.columns[$0].name) }.joined(separator: ", ")
      let own = [table.name]
      let copies = placement.copies.filter { $0.table.id == table.id }
        .map { ObjectName(schema: table.name.schema, $0.name) }
      for target in own + copies where !columns.isEmpty && (store?.liveRowCount ?? 0) > 0 {
        load.append(
          "\\copy \(text.name(target)) (\(list)) FROM '\(name)' WITH (FORMAT csv)")
      }
      let count = store?.liveRowCount ?? 0
      lines.append("table \(table.name.name): \(count) \(count == 1 ? "row" : "rows")")
    }
    try folder.write(load.joined(separator: "\n") + "\n", to: "load.sql")
    return lines
  }

  // MARK: Statements

  /// Writes the statements of each step of loading.
  ///
  /// - Throws: what writing says.
  func writeStatements() throws(SQLError) {
    func write(_ statements: [String], _ name: String) throws(SQLError) {
      try folder.write(
        (export.preamble.filter { !$0.hasPrefix("CREATE SCHEMA") } + statements)
          .joined(separator: "\n") + "\n", to: name)
    }
    let copies = placement.copies.map { copy in
      let name = text.name(ObjectName(schema: copy.table.name.schema, copy.name))
      return "CREATE TABLE \(name) (LIKE \(text.name(copy.table.name)) INCLUDING GENERATED);"
    }
    try folder.write(
      (export.preamble + export.definitions + copies).joined(separator: "\n") + "\n",
      to: "schema.sql")
    try write(placement.statements(text), "distribute.sql")
    try write(constraints(isPlain: false), "constraints-citus.sql")
    try write(constraints(isPlain: true), "constraints-plain.sql")
    try write(copyTriggers, "copies.sql")
    var late: [String] = export.order.allSequences.map(export.position)
    try export.write(export.order.late) { (statement) throws(SQLError) in late.append(statement) }
    try write(late, "views.sql")
    try write(checks, "checks.sql")
  }

  private func constraints(isPlain: Bool) -> [String] {
    var list: [String] = []
    for table in tables {
      list += table.keys.filter { isPlain || placement.objection(to: $0, of: table) == nil }
        .map { text.statement(of: $0, table) }
      list += table.indexes.filter { isPlain || !$0.isUnique }
        .map { text.statement(of: $0, table) }
    }
    for copy in placement.copies {
      // The copy's own key, by which its rows are found.
      guard let key = copy.table.primaryKey, key.columns.contains(copy.column) else { continue }
      let name = text.name(ObjectName(schema: copy.table.name.schema, copy.name))
      list.append(
        "ALTER TABLE ONLY \(name) ADD PRIMARY KEY (\(text.columns(key.columns, of: copy.table)));")
    }
    for table in tables {
      list += table.foreignKeys.filter {
        $0.isEnforced && (isPlain || placement.objection(to: $0, of: table) == nil)
      }.map { text.statement(of: $0, table) }
    }
    return list + ["ANALYZE;"]
  }

  /// What writes each change of a junction table to its second copy, in the same transaction.
  private var copyTriggers: [String] {
    if placement.copies.isEmpty { return [] }
    var list = ["SELECT set_config('citus.enable_unsafe_triggers', 'on', false);"]
    for copy in placement.copies {
      let schema = copy.table.name.schema
      let name = text.name(ObjectName(schema: schema, copy.name))
      let function = text.name(ObjectName(schema: schema, copy.name + "_keep"))
      let places = copy.table.columns.indices.filter { copy.table.columns[$0].generated == nil }
      let columns = text.columns(places, of: copy.table)
      let values = places.map { "NEW." + SQLPrinter.quoted(copy.table.columns[$0].name) }
        .joined(separator: ", ")
      let key = (copy.table.primaryKey?.columns ?? places).map { place in
        let column = SQLPrinter.quoted(copy.table.columns[place].name)
        return "\(column) IS NOT DISTINCT FROM OLD.\(column)"
      }.joined(separator: " AND ")
      list.append(
        """
        CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP <> 'INSERT' THEN DELETE FROM \(name) WHERE \(key); END IF;
          IF TG_OP <> 'DELETE' THEN INSERT INTO \(name) (\(columns)) VALUES (\(values)); END IF;
          RETURN NULL;
        END $$;
        CREATE TRIGGER \(SQLPrinter.quoted(copy.name + "_keep"))
          AFTER INSERT OR UPDATE OR DELETE ON \(text.name(copy.table.name))
          FOR EACH ROW EXECUTE FUNCTION \(function)();
        """)
    }
    return list
  }

  // MARK: Account

  /// Where tables stand and why, and what Citus cannot keep.
  var account: [String] {
    var lines = placement.reasons
    for table in export.order.late.compactMap(\.table) {
      lines.append(
        "materialized view \(table.name.name): refreshed there, so its rows are others if tables have changed since it was last"
      )
    }
    for table in tables {
      for key in table.keys {
        if let why = placement.objection(to: key, of: table) {
          lines.append("key \(key.name) not kept by Citus: \(why); checks.sql looks for repeats")
        }
      }
      for key in table.foreignKeys where !key.isEnforced {
        lines.append("foreign key \(key.name) left out: it is not enforced")
      }
      for cardinality in table.cardinalities {
        lines.append(
          "constraint \(cardinality.name) not kept by Citus: PostgreSQL has no CARDINALITY; checks.sql counts the rows"
        )
      }
      for key in table.foreignKeys where key.isEnforced {
        if let why = placement.objection(to: key, of: table) {
          lines.append(
            "foreign key \(key.name) not kept by Citus: \(why); checks.sql looks for orphans")
        }
      }
      for index in table.indexes where index.isUnique {
        lines.append(
          "index \(index.name) not kept by Citus: it is unique over expressions or some rows")
      }
      if table.columns.contains(where: { $0.identity != nil }) {
        lines.append(
          "table \(table.name.name): numbers of its identity column come from the coordinator")
      }
    }
    return lines
  }

  /// A query for each constraint, which must give 0.
  private var checks: [String] {
    ConstraintQueries(version.catalog, tables).all.map {
      "SELECT \(SQLPrinter.quotedString($0.name)) AS broken, count FROM (\($0.text)) AS broken WHERE count > 0;"
    }
  }
}
