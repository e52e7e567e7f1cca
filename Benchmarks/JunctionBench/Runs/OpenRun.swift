import Diagnostics
import Foundation
import Junction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How fast a school is saved to disk, how large it is there, and how soon after opening a query is answered; DuckDB and
/// SQLite with files of their own beside it.
///
/// All engines run in this process, prepared, and every value of every row is read. "Cold" means that the system was
/// asked to forget the files beforehand (`posix_fadvise`, DONTNEED): what the disk and a machine below this one
/// keep in their caches stays there.
struct OpenRun {
  let options: RunOptions
  /// How often each thing is timed; the median counts.
  private let repeats = 9

  private static let query =
    "SELECT c.id, c.name FROM enrols_in e JOIN course c ON c.id = e.course_id WHERE e.student_id = $1"
  private static let back =
    "SELECT s.id, s.last_name FROM enrols_in e JOIN student s ON s.id = e.student_id "
    + "WHERE e.course_id = $1"
  private static let sums = [
    "SELECT sum(student_id), sum(course_id) FROM enrols_in",
    "SELECT sum(id), max(first_name), max(last_name) FROM student",
    "SELECT sum(id), max(name), max(short_code), sum(teacher_id) FROM course",
  ]

  func run() throws(BenchError) {
    let source = options.data ?? options.generatedFolder
    if !FileManager.default.fileExists(atPath: "\(source)/schema.sql") {
      try SchoolGenerator(parameters: options.school, folder: source) { _, _ in }.run()
    }
    let folder = "\(FileManager.default.temporaryDirectory.path)/junction-bench/open-\(getpid())"
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch { throw BenchError("\(folder): \(error.localizedDescription)") }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do throws(SQLError) {
      try measureJunction(source, folder)
    } catch { throw BenchError(error.rendered(statement: "")) }
    let wanted = options.peers ?? ["duckdb", "sqlite"]
    if wanted.contains("duckdb") { try measureDuckDB(source, folder) }
    if wanted.contains("sqlite") { try measureSQLite(source, folder) }
  }

  // MARK: Junction

  private func measureJunction(_ source: String, _ folder: String) throws(SQLError) {
    let texts = Self.byteCount(in: source) { $0.hasSuffix(".csv") }
    let path = "\(folder)/school.junction"
    var answers: [Int] = []
    var saves: [Double] = []
    var writes: [Double] = []
    var size = 0
    do {
      let database = try Database(folder: source)
      answers = try digests(database)
      try repeatPoints(database, "P1, in memory")
      for _ in 0..<repeats {
        try? FileManager.default.removeItem(atPath: path)
        // What the disk has to do for files that were removed is in neither time.
        sync()
        let start = Stopwatch.now
        try database.save(to: path)
        saves.append(Stopwatch.now - start)
        size = Self.byteCount(in: path) { $0.hasPrefix("snapshot") }
        sync()
        writes.append(Self.secondsToWrite(size, "\(folder)/plain"))
      }
    }
    let (save, write) = (Self.median(saves), Self.median(writes))
    Self.line(
      "saved", save,
      "\(Self.rate(size, save)), plain write and sync of as much "
        + "\(Self.milliseconds(write)): \(Self.share(write / save)) of its rate; "
        + "least \(Self.milliseconds(saves.min() ?? 0)) and \(Self.milliseconds(writes.min() ?? 0))"
    )
    print(
      "snapshot            \(size) bytes, CSV files \(texts): \(Self.share(Double(size) / Double(texts)))"
    )
    var verifying = DatabaseOptions()
    verifying.verifiesAtOpening = true
    try time("open and P1", path) { () throws(SQLError) in try Database(path: path) }
    try time("all verified first", path) { () throws(SQLError) in
      try Database(path: path, options: verifying)
    }
    try time("cold cache", path, isCold: true) { () throws(SQLError) in try Database(path: path) }
    let database = try Database(path: path)
    let connection = database.connect()
    for sql in [Self.back] + Self.sums {
      let statement = try connection.prepare(sql)
      for round in ["first", "again"] {
        let start = Stopwatch.now
        let rows = sql == Self.back ? try statement.query(.integer(7)) : try statement.query()
        Stopwatch.keep(rows.digest())
        Self.line(round, Stopwatch.now - start, sql)
      }
    }
    let isSame = try digests(database) == answers
    print(
      "answers             \(isSame ? "as before" : "WRONG: not those of the database that was saved")"
    )
    try repeatPoints(database, "P1, opened")
    try database.close()
  }

  /// The same query over and over, for students at random; the better of three rounds.
  private func repeatPoints(_ database: Database, _ title: String) throws(SQLError) {
    let statement = try database.connect().prepare(Self.query)
    let count = 200_000
    var random = SplitMix(seed: 7)
    var best = Double.infinity
    for _ in 0..<3 {
      let start = Stopwatch.now
      for _ in 0..<count {
        let student = random.below(options.school.students) + 1
        Stopwatch.keep(try statement.query(.integer(Int64(student))).digest())
      }
      best = min(best, (Stopwatch.now - start) / Double(count))
    }
    Self.line(title, best, "each of \(count) in a row")
  }

  /// What the queries come to, of a thousand students and of every tenth course.
  private func digests(_ database: Database) throws(SQLError) -> [Int] {
    let connection = database.connect()
    var digests: [Int] = []
    for sql in Self.sums { digests.append(try connection.query(sql).digest()) }
    for (sql, count) in [
      (Self.query, options.school.students), (Self.back, options.school.courses),
    ] {
      let statement = try connection.prepare(sql)
      for number in stride(from: 1, through: count, by: max(1, count / 1000)) {
        digests.append(try statement.query(.integer(Int64(number))).digest())
      }
    }
    return digests
  }

  private func time(
    _ title: String, _ path: String, isCold: Bool = false,
    _ open: () throws(SQLError) -> Database
  ) throws(SQLError) {
    var opens: [Double] = []
    var firsts: [Double] = []
    for round in 0..<repeats {
      if isCold { Self.forget(path) }
      let start = Stopwatch.now
      let database = try open()
      let opened = Stopwatch.now
      let statement = try database.connect().prepare(Self.query)
      let rows = try statement.query(.integer(Int64(round * 7919 % options.school.students + 1)))
      Stopwatch.keep(rows.digest())
      let end = Stopwatch.now
      opens.append(opened - start)
      firsts.append(end - start)
      try database.close()
    }
    Self.line(
      title, Self.median(firsts),
      "of that \(Self.milliseconds(Self.median(opens))) to open; least \(Self.milliseconds(firsts.min() ?? 0))"
    )
  }

  // MARK: Peers

  private func measureDuckDB(_ source: String, _ folder: String) throws(BenchError) {
    let library: DuckDBLibrary
    do throws(BenchError) {
      library = try DuckDBLibrary(environment: options.peersEnvironment)
    } catch {
      return print("DuckDB              \(error.description)")
    }
    let path = "\(folder)/school.duckdb"
    do {
      let database = try DuckDBDatabase(library, path: path)
      try DuckDBEngine.fill(database, from: source)
      _ = try database.query("CHECKPOINT")
    }
    print("DuckDB \(library.version)      \(Self.byteCount(of: path)) bytes")
    for (title, isCold) in [("DuckDB, warm", false), ("DuckDB, cold", true)] {
      try timePeer(title, path, isCold: isCold) { (student, sum) throws(BenchError) in
        let database = try DuckDBDatabase(library, path: path)
        let opened = Stopwatch.now
        _ = try database.query("SET threads = \(options.threads)")
        _ = try database.prepare(Self.query).execute([.integer(student)]).read(&sum)
        return (opened, Stopwatch.now)
      }
    }
  }

  private func measureSQLite(_ source: String, _ folder: String) throws(BenchError) {
    let library: SQLiteLibrary
    do throws(BenchError) { library = try SQLiteLibrary() } catch {
      return print("SQLite              \(error.description)")
    }
    let path = "\(folder)/school.sqlite"
    do {
      let database = try SQLiteDatabase(library, path: path)
      try SQLiteEngine.fill(database, from: source)
    }
    print("SQLite \(library.version)       \(Self.byteCount(of: path)) bytes")
    for (title, isCold) in [("SQLite, warm", false), ("SQLite, cold", true)] {
      try timePeer(title, path, isCold: isCold) { (student, sum) throws(BenchError) in
        let database = try SQLiteDatabase(library, path: path)
        let opened = Stopwatch.now
        let statement = try SQLiteStatement(database, Self.query)
        statement.bind(statement.parameterIndex(1), student)
        while try statement.step() {
          sum &+= Int(statement.integer(0)) &+ statement.textDigest(1)
        }
        return (opened, Stopwatch.now)
      }
    }
  }

  /// `body` opens, queries, and gives the moments at which it had done so; closing is not timed.
  private func timePeer(
    _ title: String, _ path: String, isCold: Bool,
    _ body: (Int64, inout Int) throws(BenchError) -> (opened: Double, queried: Double)
  ) throws(BenchError) {
    var opens: [Double] = []
    var firsts: [Double] = []
    var sum = 0
    for round in 0..<repeats {
      if isCold { Self.forget(path) }
      let start = Stopwatch.now
      let ends = try body(Int64(round * 7919 % options.school.students + 1), &sum)
      firsts.append(ends.queried - start)
      opens.append(ends.opened - start)
    }
    Stopwatch.keep(sum)
    Self.line(
      title, Self.median(firsts),
      "of that \(Self.milliseconds(Self.median(opens))) to open; least \(Self.milliseconds(firsts.min() ?? 0))"
    )
  }

  // MARK: Files

  private static func byteCount(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  private static func byteCount(in folder: String, _ isWanted: (String) -> Bool) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter(isWanted).reduce(0) { $0 + byteCount(of: "\(folder)/\($1)") }
  }

  /// Asks the system to forget a file, or the files of a folder.
  private static func forget(_ path: String) {
    #if os(Linux)
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      for file in names.isEmpty ? [path] : names.map({ "\(path)/\($0)" }) {
        let descriptor = unsafe open(file, O_RDONLY)
        guard descriptor >= 0 else { continue }
        _ = fdatasync(descriptor)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        close(descriptor)
      }
    #endif
  }

  /// The time that it takes to write so many bytes in pieces of 1 MB and to sync them.
  private static func secondsToWrite(_ byteCount: Int, _ path: String) -> Double {
    var random = SplitMix(seed: 1)
    let piece = (0..<(1 << 17)).map { _ in UInt64(random.below(1 << 62)) }
    let start = Stopwatch.now
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var rest = byteCount
    while rest > 0 {
      let written = unsafe piece.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress, min(rest, bytes.count))
      }
      if written <= 0 { break }
      rest -= written
    }
    fsync(descriptor)
    close(descriptor)
    let seconds = Stopwatch.now - start
    unsafe unlink(path)
    return seconds
  }

  // MARK: Lines

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func milliseconds(_ seconds: Double) -> String {
    seconds < 0.001
      ? "\((seconds * 1e8).rounded() / 100) µs" : "\((seconds * 1e5).rounded() / 100) ms"
  }

  private static func rate(_ byteCount: Int, _ seconds: Double) -> String {
    "\(Int((Double(byteCount) / seconds / 1e6).rounded())) MB/s"
  }

  private static func share(_ value: Double) -> String { "\((value * 1000).rounded() / 10) %" }

  private static func line(_ title: String, _ seconds: Double, _ note: String) {
    let padded = title.padding(toLength: 20, withPad: " ", startingAt: 0)
    print("\(padded)\(milliseconds(seconds)), \(note)")
  }
}
