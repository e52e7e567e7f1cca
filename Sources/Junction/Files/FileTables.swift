import Catalog
import Columnar
import DelimitedText
import Diagnostics
import Execution
import Planning
import SQLSyntax
import Storage

/// The tables that the files in a session's statements are read into.
///
/// A file is read once and kept for the next statement, as long as it has not changed; of one of text only the columns
/// that a statement may ask for are, one of parquet is read when somebody comes to its rows. The tables stand in a database of their own, so that reading a file changes nothing
/// that a transaction sees, and needs no right to write.
final class FileTables {
  private final class Entry {
    let files: [FilePaths.Stamped]
    let definition: TableDefinition
    /// The names that the file's columns have.
    let names: [String]
    let store: TableStore
    var lastUse = 0

    /// Whether all that is wanted of the file is here.
    func has(_ isWanted: (String) -> Bool) -> Bool {
      let kept = Set(definition.columns.map(\.name))
      return names.allSatisfy { kept.contains($0) || !isWanted($0) }
    }

    init(
      _ files: [FilePaths.Stamped], _ definition: TableDefinition, _ names: [String],
      _ store: TableStore
    ) {
      self.files = files
      self.definition = definition
      self.names = names
      self.store = store
    }
  }

  private let session = Session(
    DatabaseState(
      DatabaseVersion(number: 0, catalog: CatalogSnapshot(idsFrom: firstNumber), tables: [:])))
  private var entries: [String: Entry] = [:]
  private var useCount = 0
  /// The paths in the last statement that has any, in the order in which it names them.
  private(set) var latest: [String] = []
  private weak var latestStatement: EvaluationContext?
  private var tableCount = 0
  /// What standard input gave, which can be had only once.
  private var standardInput: SpooledSource?

  /// Tables of files have numbers that the objects of a database do not come to.
  private static let firstNumber: UInt32 = 1 << 31
  /// So many files are kept.
  private static let capacity = 16

  /// The table of a file, with at least the columns that are wanted.
  ///
  /// - Throws: 58P01 and 58030 if the file cannot be read, and the errors of its records.
  func table(
    _ path: String, called name: String?,
    wanted: @escaping (_ column: String, _ table: String) -> Bool,
    _ evaluation: EvaluationContext, _ progress: ((LoadProgress) -> Void)?,
    tell: ([Notice]) -> Void
  ) throws(SQLError) -> (definition: TableDefinition, store: TableStore) {
    let paths = try FilePaths(path)
    let table = name ?? paths.stem
    useCount += 1
    if latestStatement !== evaluation { latest = [] }
    latestStatement = evaluation
    if !latest.contains(path) { latest.append(path) }
    // A pipe gives what it has only once.
    let isWanted = { paths.areRegular ? wanted($0, table) : true }
    if let entry = entries[path], entry.files == paths.files, entry.has(isWanted),
      entry.store.streamed?.isDamaged != true
    {
      entry.lastUse = useCount
      return (entry.definition, entry.store)
    }
    // A statement that asks for more gets what others have asked for besides: they will be back.
    let known = entries[path].map { Set($0.definition.columns.map(\.name)) } ?? []
    let reader = FileReader(
      session, table: nextName(), evaluation, progress, standardInput: openedStandardInput)
    let read = try reader.read(path, paths.files) { known.contains($0) || isWanted($0) }
    tell(read.notices)
    var definition = read.definition
    let made = session.state.current
    let store = if let rows = read.rows { rows } else { try made.table(definition.id) }
    definition.name = ObjectName(paths.stem)
    let entry = Entry(paths.files, definition, read.names, store)
    entry.lastUse = useCount
    try forget(path)
    entries[path] = entry
    try makeRoom()
    return (definition, store)
  }

  func openedStandardInput() throws(SQLError) -> any ByteSource {
    if let standardInput { return standardInput }
    let opened = SpooledSource(try FileSource(path: "/dev/stdin"))
    standardInput = opened
    return opened
  }

  private func nextName() -> String {
    tableCount += 1
    return "file_\(tableCount)"
  }

  private func forget(_ path: String) throws(SQLError) {
    if let entry = entries.removeValue(forKey: path) { try drop(entry.definition) }
  }

  /// Drops a table, of which the rows stay with who has them.
  private func drop(_ definition: TableDefinition) throws(SQLError) {
    let name = session.state.current.catalog.tables[definition.id]?.name.name
    guard let name else { return }
    for statement in try parseStatements("DROP TABLE \(SQLPrinter.quoted(name))") {
      _ = try session.run(statement)
    }
  }

  private func makeRoom() throws(SQLError) {
    while entries.count > Self.capacity {
      let oldest = entries.min { $0.value.lastUse < $1.value.lastUse }
      guard let oldest else { return }
      try forget(oldest.key)
    }
  }
}

/// The tables of a database, and those of files beside them.
final class TablesAndFiles: TableSource {
  private let tables: any TableSource
  private let files: [ObjectID: TableStore]
  let identity = DatabaseVersion.nextIdentity()

  init(_ tables: any TableSource, _ files: [ObjectID: TableStore]) {
    self.tables = tables
    self.files = files
  }

  func table(_ id: ObjectID) throws(SQLError) -> TableStore {
    if let file = files[id] { return file }
    return try tables.table(id)
  }

  var reads: ReadNotes? { tables.reads }

  func unnotedTable(_ id: ObjectID) throws(SQLError) -> TableStore {
    if let file = files[id] { return file }
    return try tables.unnotedTable(id)
  }
}
