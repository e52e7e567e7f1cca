import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import SQLSyntax
import Storage

/// Makes a database of a folder: schema, files, keys.
final class FolderLoader {
  private let session: Session
  private let listing: FolderListing
  private let folder: String?
  private let rejectsPath: String?
  /// Whether arrays in JSON become tables.
  private let unnests: Bool
  private let progress: (LoadProgress) -> Void
  private var notices: [Notice] = []
  private let log = InferenceLog()

  init(
    session: Session, files: FolderListing, folder: String?, rejectsPath: String?,
    unnests: Bool,
    progress: @escaping (LoadProgress) -> Void
  ) {
    self.session = session
    listing = files
    self.folder = folder
    self.rejectsPath = rejectsPath
    self.unnests = unnests
    self.progress = progress
  }

  /// What was looked at to find a schema.
  var report: InferenceReport { log.report }

  /// Loads everything and gives what there is to say of it.
  ///
  /// - Throws: the first error; the database is then of no use.
  func load() throws(SQLError) -> [Notice] {
    notices += listing.notices
    let schema = listing.schema.map(DefinitionScript.init)
    if let schema { try run(schema.common, from: "schema.sql") }
    let inference = SchemaInference(session: session)
    var tables: [LoadedTable] = []
    for step in steps {
      if let file = step.first, step.count == 1, FileFormat(file.path) != .text {
        if unnests && FileFormat(file.path) == .json {
          tables += try UnnestedLoad(session, log).load(file) { notices.append($0) }
        } else {
          tables.append(try load(file))
        }
      } else {
        tables += try loadSheets(step, inference)
      }
    }
    if let schema { try run(schema.own, from: "schema.sql") }
    try KeyInference(session: session, tables: tables, log: log).inferKeys()
    notices += log.notices
    log.sort()
    try advanceSequences(tables)
    // What files were read with lies between what stays, and the allocator would keep it.
    MemoryBlock.releaseUnused()
    return notices
  }

  /// The files in the order in which they are loaded: those of text together, and each of the others behind those that
  /// rows of its table refer to, as far as they go round in no circle.
  private var steps: [[FolderListing.File]] {
    let isText = { (file: FolderListing.File) in FileFormat(file.path) == .text }
    var rest =
      [listing.files.filter(isText)].filter { !$0.isEmpty }
      + listing.files.filter { !isText($0) }.map { [$0] }
    let catalog = session.state.current.catalog
    func tables(_ step: [FolderListing.File]) -> [TableDefinition] {
      step.compactMap { file in
        [file.table, file.table.lowercased()].lazy.compactMap { name in
          if case .table(let table)? = catalog.relation(schema: nil, name) { table } else { nil }
        }.first
      }
    }
    var ordered: [[FolderListing.File]] = []
    while !rest.isEmpty {
      let parents = rest.map { step in Set(tables(step).flatMap { $0.foreignKeys.map(\.parent) }) }
      let own = rest.map { step in Set(tables(step).map(\.id)) }
      let next = rest.indices.first { place in
        rest.indices.allSatisfy { $0 == place || own[$0].isDisjoint(with: parents[place]) }
      }
      ordered.append(rest.remove(at: next ?? 0))
    }
    return ordered
  }

  private func run(_ script: String, from name: String) throws(SQLError) {
    do throws(SQLError) {
      for statement in try parseStatements(script) { _ = try session.run(statement) }
    } catch {
      var located = error
      located.context = [error.context, folder.map { "\($0)/\(name)" }].compactMap { $0 }.joined(
        separator: "\n")
      throw located
    }
  }

  /// Loads files of delimited text, all of them or none.
  private func loadSheets(
    _ files: [FolderListing.File], _ inference: SchemaInference
  ) throws(SQLError) -> [LoadedTable] {
    var sheets: [Sheet] = []
    for file in files { sheets.append(try Sheet(file)) }
    for index in sheets.indices {
      do throws(SQLError) { try inference.makeTable(for: &sheets[index]) } catch {
        throw error.located(loading: sheets[index].file)
      }
    }
    let rejects = try rejectsPath.map { (path) throws(SQLError) in
      try RejectsFile(path, besides: sheets.map(\.file.path))
    }
    let loader = SheetLoader(
      session: session, evaluation: session.makeEvaluation(), inference: inference,
      rejects: rejects, progress: progress)
    var load = try loader.loadConverting(&sheets)
    while load.isDisproved {
      try inference.widen(&sheets, load.reports)
      load = try loader.loadConverting(&sheets)
    }
    for (report, sheet) in zip(load.reports, sheets) {
      notices.append(Notice("\(report.proof) (\(sheet.dialect.summary))", severity: .info))
      notices += sheet.notices + inference.noticesOfMixedTimes(in: sheet)
      notices += inference.noticesOfSpellings(in: sheet)
      for finding in inference.findings(of: sheet) { log.add(finding) }
    }
    return sheets.map {
      LoadedTable(name: $0.file.table, columns: $0.names, isInferred: $0.isInferred)
    }
  }

  /// Loads a file that names its columns by itself.
  private func load(_ file: FolderListing.File) throws(SQLError) -> LoadedTable {
    let path = SQLPrinter.quotedString(file.path)
    let known = [file.table, file.table.lowercased()].first { name in
      if case .table? = session.state.current.catalog.relation(schema: nil, name) { return true }
      return false
    }
    let isInferred = known == nil
    let name = known ?? file.table
    let table = SQLPrinter.quoted(name)
    do throws(SQLError) {
      let text = isInferred ? "CREATE TABLE \(table) AS FROM \(path)" : "COPY \(table) FROM \(path)"
      for statement in try parseStatements(text) {
        notices += try session.run(statement).notices
      }
    } catch {
      throw error.located(loading: file)
    }
    guard
      case .table(let definition)? = session.state.current.catalog.relation(
        schema: nil, name)
    else { throw .internal("the table of \(file.path) is gone") }
    let count = try session.state.current.table(definition.id).liveRowCount
    notices.append(
      Notice(
        "\(file.path): \(count) rows read = \(count) loaded + 0 rejected (\(FileFormat(file.path)))",
        severity: .info))
    if isInferred { log.add(definition, called: name, rows: count, of: FileFormat(file.path)) }
    return LoadedTable(
      name: name, columns: definition.columns.map(\.name), isInferred: isInferred)
  }

  /// Lets serial and identity columns go on behind the values that were loaded.
  private func advanceSequences(_ tables: [LoadedTable]) throws(SQLError) {
    let catalog = session.state.current.catalog
    for loaded in tables where !loaded.isInferred {
      guard
        case .table(let table)? = catalog.relation(schema: nil, loaded.name)
          ?? catalog.relation(schema: nil, loaded.name.lowercased())
      else { continue }
      for column in table.columns {
        guard case .sequence(let id)? = column.defaultValue, let sequence = catalog.sequences[id]
        else { continue }
        let name = SQLPrinter.quoted(table.name.name)
        let query = try parseStatements(
          "SELECT max(\(SQLPrinter.quoted(column.name)))::bigint FROM \(name)")
        guard let statement = query.first else { continue }
        if let rows = try session.run(statement).rows, rows.count == 1,
          case .integer(let greatest) = rows.value(row: 0, column: 0)
        {
          session.state.sequences.advance(sequence, past: greatest)
        }
      }
    }
  }
}

extension SQLError {
  /// The same error with the file that was being loaded.
  func located(loading file: FolderListing.File) -> SQLError {
    var located = self
    located.range = .none
    located.context = ["loading \(file.path)", context].compactMap { $0 }.joined(separator: "\n")
    return located
  }
}
