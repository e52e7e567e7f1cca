import Catalog
public import Diagnostics

/// A database in memory, shared by any number of connections.
///
/// A reader works on an unchanging version and never waits; one writer at a time makes the next.
///
/// ```swift
/// let database = Database()
/// let connection = database.connect()
/// try connection.execute("create table student (id serial primary key, name text)")
/// let rows = try connection.query("select name from student where id = $1", [1])
/// ```
public final class Database: Sendable {
  let state: DatabaseState
  /// Sessions of calls that have none of their own.
  let sessions: SessionPool
  /// Who watches for changes.
  let registry = CommitRegistry()
  /// What they ask.
  let questions = SharedQuestions()
  /// What renews the values that views show.
  let pump: LivePump
  /// Where the database is kept; nil for one in memory only.
  let store: DurableStore?
  /// What opening a folder has to say: dialects, inferred keys, and rows read, loaded and rejected.
  public let notices: [Notice]
  /// What was looked at to find the schema of files that have none, and what came of it.
  public let inference: InferenceReport

  /// An empty database.
  public convenience init() { self.init(DatabaseState(), nil, []) }

  /// An empty database in memory whose time and random numbers are fixed, for tests.
  ///
  /// ```swift
  /// var options = DatabaseOptions()
  /// options.seed = 1
  /// options.now = SQLTimestamp(microsecondsSince1970: 1_700_000_000_000_000)
  /// let database = Database(options: options)
  /// ```
  ///
  /// - Parameter options: `seed` and `now` of them; the others say how a database is kept on disk.
  public convenience init(options: DatabaseOptions) {
    self.init(DatabaseState(surroundings: options.surroundings), nil, [])
  }

  init(_ state: DatabaseState, _ store: DurableStore?, _ notices: [Notice]) {
    self.state = state
    sessions = SessionPool(state)
    pump = LivePump(state, sessions, registry)
    state.setObserver(registry)
    self.store = store
    self.notices = notices
    inference = InferenceReport()
  }

  /// Opens a folder of CSV files as a database in memory.
  ///
  /// `schema.sql` is run first if it is there, and `TABLE.csv` is loaded into `TABLE`, its columns found by its
  /// header. For a file without a table, names, types, keys and foreign keys are inferred. Keys and
  /// foreign keys are checked when all files are in, so the order of files does not matter.
  ///
  /// - Parameters:
  ///   - folder: The folder's path.
  ///   - rejects: A file for bad rows; with it the other rows are loaded, without it a bad row is an error.
  ///   - unnesting: Whether arrays in JSON become tables of their own, which refer to the one that they were in.
  ///   - progress: Called now and then, from one thread at a time.
  /// - Throws: 58P01 if the folder is not there, whatever `schema.sql` says, and the error of the
  ///   first bad row with all others in its detail.
  public convenience init(
    folder: String, rejects: String? = nil, unnesting: Bool = false,
    progress: @escaping (LoadProgress) -> Void = { _ in }
  ) throws(SQLError) {
    try self.init(
      files: try FolderListing(folder), in: folder, rejects: rejects, unnesting: unnesting,
      progress: progress)
  }

  /// Opens files as a database in memory, each of them a table.
  ///
  /// They are read as those of a folder are.
  ///
  /// - Parameters:
  ///   - files: The files' paths: `TABLE.csv`, `.tsv`, `.json`, `.ndjson` or `.parquet`, text also packed by gzip or zstd.
  ///   - rejects: A file for bad rows; with it the other rows are loaded, without it a bad row is an error.
  ///   - unnesting: Whether arrays in JSON become tables of their own, which refer to the one that they were in.
  ///   - progress: Called now and then, from one thread at a time.
  /// - Throws: 58P01 if a file is not there, 42P07 for two of the same name, and the error of the first bad row.
  public convenience init(
    files: [String], rejects: String? = nil, unnesting: Bool = false,
    progress: @escaping (LoadProgress) -> Void = { _ in }
  ) throws(SQLError) {
    try self.init(
      files: try FolderListing(files: files), in: nil, rejects: rejects, unnesting: unnesting,
      progress: progress)
  }

  private init(
    files: FolderListing, in folder: String?, rejects: String?, unnesting: Bool,
    progress: @escaping (LoadProgress) -> Void
  ) throws(SQLError) {
    state = DatabaseState()
    sessions = SessionPool(state)
    pump = LivePump(state, sessions, registry)
    state.setObserver(registry)
    store = nil
    let loader = FolderLoader(
      session: Session(state), files: files, folder: folder, rejectsPath: rejects,
      unnests: unnesting, progress: progress)
    notices = try loader.load()
    inference = loader.report
  }

  /// Whether a path ends as those of files do that are tables.
  package static func isTableFile(_ path: String) -> Bool {
    FolderListing.File.endings.contains { path.lowercased().hasSuffix($0) }
  }

  /// A session of its own: settings, prepared statements and at most one transaction.
  public func connect() -> Connection { Connection(to: self) }
}

/// How far a load has come.
public struct LoadProgress: Sendable {
  /// Bytes of all files read so far.
  public var bytesRead: Int
  /// Bytes of all files, if that is known.
  public var bytesInAll: Int?
  /// Rows made so far.
  public var rows: Int
}
