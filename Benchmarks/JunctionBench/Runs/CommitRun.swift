import Diagnostics
import Foundation
import Junction
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Commits of one row each on disk, by one thread and by eight, and many rows in one transaction: Junction against
/// SQLite's C library, in one run on one disk.
///
/// A commit that Junction acknowledges in mode `sync` and SQLite with `synchronous = FULL` survives the loss of power;
/// with `async` and `NORMAL` the last ones may go with the power, and none with the process.
struct CommitRun {
  let folder: String
  var seconds = 2.0
  var batchCount = 200_000

  private static let insertion = "INSERT INTO entry (id, amount, note) VALUES ($1, $2, $3)"
  private static let definition =
    "CREATE TABLE entry (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, note TEXT)"
  private static let note = "one row of one commit"

  func run() throws(BenchError) {
    let library = try SQLiteLibrary()
    print("folder \(folder), SQLite \(library.version), \(seconds) s each\n")
    print("plain write of 200 bytes and fdatasync: \(try Self.syncsPerSecond(folder, seconds))/s\n")
    print("commits a second, one row each        junction   sqlite   ratio")
    for (mode, synchronous) in [(DatabaseOptions.Durability.sync, "FULL"), (.async, "NORMAL")] {
      for threads in [1, 8] {
        let own = try commits(mode, threads)
        let peer = try commits(library, synchronous, threads)
        let name = "\(mode) | \(synchronous), \(threads) thread\(threads == 1 ? "" : "s")"
        print(Self.line(name, own, peer))
      }
    }
    print("\n\(batchCount) rows in one transaction, a second, the median of \(Self.rounds) in turn")
    try compareBatches("in memory", nil, nil, library)
    try compareBatches(
      "on disk, synced", folder + "/batch.junction", folder + "/batch.sqlite", library)
  }

  private static let rounds = 7

  private func compareBatches(
    _ name: String, _ ownPath: String?, _ peerPath: String?, _ library: SQLiteLibrary
  ) throws(BenchError) {
    var (own, peer): ([Int], [Int]) = ([], [])
    for _ in 0..<Self.rounds {
      own.append(try batch(path: ownPath))
      peer.append(try batch(library, path: peerPath))
    }
    print(Self.line(name, own.sorted()[Self.rounds / 2], peer.sorted()[Self.rounds / 2]))
  }

  private static func line(_ name: String, _ own: Int, _ peer: Int) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    let ratio = (Double(own) / Double(max(1, peer)) * 100).rounded() / 100
    return name + String(repeating: " ", count: max(0, 36 - name.count)) + padded("\(own)", 10)
      + padded("\(peer)", 9) + padded("\(ratio)", 7) + " ×"
  }

  private static func bridged<Result>(
    _ body: () throws(SQLError) -> Result
  ) throws(BenchError) -> Result {
    do throws(SQLError) { return try body() } catch { throw BenchError(error.message) }
  }

  /// Runs a body on so many threads of their own until the time is over, and gives how often a second it ended.
  private func rate(
    _ threads: Int, _ body: @escaping @Sendable (Int, () -> Bool) -> Int
  ) -> Int {
    let count = Atomic<Int>(0)
    let running = DispatchGroup()
    let clock = ContinuousClock()
    let start = clock.now
    let end = start + .milliseconds(Int(seconds * 1000))
    for thread in 0..<threads {
      running.enter()
      Thread.detachNewThread {
        count.add(body(thread) { clock.now < end }, ordering: .relaxed)
        running.leave()
      }
    }
    running.wait()
    let elapsed = (clock.now - start) / .seconds(1)
    return Int(Double(count.load(ordering: .relaxed)) / elapsed)
  }

  // MARK: Junction

  private func commits(
    _ mode: DatabaseOptions.Durability, _ threads: Int
  ) throws(BenchError) -> Int {
    let path = folder + "/commits.junction"
    try? FileManager.default.removeItem(atPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var options = DatabaseOptions()
    options.durability = mode
    let database = try Self.bridged { () throws(SQLError) in
      try Database(path: path, options: options)
    }
    try Self.bridged { () throws(SQLError) in
      _ = try database.connect().execute(Self.definition)
    }
    let failed = Mutex<String?>(nil)
    let found = rate(threads) { thread, goesOn in
      var count = 0
      do throws(SQLError) {
        let insert = try database.connect().prepare(Self.insertion)
        while goesOn() {
          count += 1
          try insert.execute(
            .integer(Int64(thread * 10_000_000 + count)), .integer(7), .text(Self.note))
        }
      } catch { failed.withLock { $0 = error.message } }
      return count
    }
    if let message = failed.withLock({ $0 }) { throw BenchError(message) }
    try Self.bridged { () throws(SQLError) in try database.close() }
    return found
  }

  private func batch(path: String?) throws(BenchError) -> Int {
    if let path { try? FileManager.default.removeItem(atPath: path) }
    defer { if let path { try? FileManager.default.removeItem(atPath: path) } }
    return try Self.bridged { () throws(SQLError) in
      let database =
        try path.map { path throws(SQLError) in try Database(path: path) } ?? Database()
      let connection = database.connect()
      try connection.execute(Self.definition)
      let insert = try connection.prepare(Self.insertion)
      let clock = ContinuousClock()
      let start = clock.now
      try connection.execute("BEGIN")
      for id in 0..<Int64(batchCount) {
        try insert.execute(.integer(id), .integer(7), .text(Self.note))
      }
      try connection.execute("COMMIT")
      let elapsed = (clock.now - start) / .seconds(1)
      try database.close()
      return Int(Double(batchCount) / elapsed)
    }
  }

  // MARK: SQLite

  private func open(
    _ library: SQLiteLibrary, _ path: String, _ synchronous: String
  ) throws(BenchError) -> SQLiteDatabase {
    let database = try SQLiteDatabase(library, path: path)
    for pragma in [
      "busy_timeout = 60000", "journal_mode = WAL", "synchronous = \(synchronous)",
    ] { try database.execute("PRAGMA \(pragma)") }
    return database
  }

  private func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  private func commits(
    _ library: SQLiteLibrary, _ synchronous: String, _ threads: Int
  ) throws(BenchError) -> Int {
    let path = folder + "/commits.sqlite"
    remove(path)
    defer { remove(path) }
    let first = try open(library, path, synchronous)
    try first.execute(Self.definition)
    let failed = Mutex<String?>(nil)
    let found = rate(threads) { thread, goesOn in
      var count = 0
      do throws(BenchError) {
        let own = try open(library, path, synchronous)
        let insert = try SQLiteStatement(own, Self.insertion)
        while goesOn() {
          count += 1
          insert.bind(1, Int64(thread * 10_000_000 + count))
          insert.bind(2, 7)
          insert.bind(3, Self.note)
          _ = try insert.step()
          insert.reset()
        }
      } catch { failed.withLock { $0 = error.description } }
      return count
    }
    if let message = failed.withLock({ $0 }) { throw BenchError(message) }
    return found
  }

  private func batch(_ library: SQLiteLibrary, path: String?) throws(BenchError) -> Int {
    if let path { remove(path) }
    defer { if let path { remove(path) } }
    let database: SQLiteDatabase
    if let path {
      database = try open(library, path, "FULL")
    } else {
      database = try SQLiteDatabase(library)
      for pragma in ["journal_mode = OFF", "synchronous = OFF"] {
        try database.execute("PRAGMA \(pragma)")
      }
    }
    try database.execute(Self.definition)
    let insert = try SQLiteStatement(database, Self.insertion)
    let clock = ContinuousClock()
    let start = clock.now
    try database.execute("BEGIN")
    for id in 0..<Int64(batchCount) {
      insert.bind(1, id)
      insert.bind(2, 7)
      insert.bind(3, Self.note)
      _ = try insert.step()
      insert.reset()
    }
    try database.execute("COMMIT")
    return Int(Double(batchCount) / ((clock.now - start) / .seconds(1)))
  }

  // MARK: The disk

  /// How often a second 200 bytes are written behind others and made durable, where the file has its size already.
  private static func syncsPerSecond(
    _ folder: String, _ seconds: Double
  ) throws(BenchError) -> Int {
    let path = folder + "/plain"
    defer { try? FileManager.default.removeItem(atPath: path) }
    _ = FileManager.default.createFile(atPath: path, contents: Data(count: 64 << 20))
    guard let file = FileHandle(forUpdatingAtPath: path) else {
      throw BenchError("could not write to \(folder)")
    }
    defer { try? file.close() }
    let bytes = Data(repeating: 7, count: 200)
    let clock = ContinuousClock()
    let start = clock.now
    var count = 0
    do {
      try file.synchronize()
      while (clock.now - start) / .seconds(1) < seconds {
        try file.write(contentsOf: bytes)
        _ = fdatasync(file.fileDescriptor)
        count += 1
      }
    } catch { throw BenchError("could not write to \(folder)") }
    return Int(Double(count) / seconds)
  }
}
