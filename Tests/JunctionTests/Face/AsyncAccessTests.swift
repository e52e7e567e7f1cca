import Diagnostics
import Dispatch
import Junction
import Synchronization
import Testing

@Suite("Asynchronous access")
struct AsyncAccessTests {
  @Test("ends with its task: a query that would take for ever")
  func cancelledRead() async throws {
    let database = Database()
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await database.read { db in
        start.yield()
        _ = try db.query(
          "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE a # b = 7"
        )
      }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try database.query("SELECT 1").count == 1)
  }

  @Test("leaves nothing of a transaction whose task is cancelled")
  func cancelledWrite() async throws {
    let database = Database()
    try database.execute("CREATE TABLE t (i int)")
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      try await database.write { db in
        try db.execute("INSERT INTO t VALUES (1)")
        start.yield()
        try db.execute(
          "INSERT INTO t SELECT a FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE a # b = 7"
        )
      }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try database.query("SELECT * FROM t").count == 0)
    try database.execute("INSERT INTO t VALUES (2)")
  }

  @Test("waits for its turn without a thread, and ends while it waits")
  func waiting() async throws {
    let database = Database()
    try database.execute("CREATE TABLE t (i int)")
    let release = DispatchSemaphore(value: 0)
    let (started, start) = AsyncStream<Void>.makeStream()
    let holder = Task {
      try await database.write { _ in
        start.yield()
        release.wait()
      }
    }
    for await _ in started { break }
    // So many threads there are not.
    let writers = (0..<2000).map { number in
      Task { try await database.write { _ = try $0.execute("INSERT INTO t VALUES (\(number))") } }
    }
    for number in stride(from: 1, to: 2000, by: 2) { writers[number].cancel() }
    for number in stride(from: 1, to: 2000, by: 2) {
      await #expect(throws: CancellationError.self) { try await writers[number].value }
    }
    #expect(try await database.read { try $0.query("SELECT * FROM t").count } == 0)
    release.signal()
    try await holder.value
    for number in stride(from: 0, to: 2000, by: 2) { try await writers[number].value }
    #expect(try database.query("SELECT sum(i)::int8 FROM t").first?[0] == 999_000)
  }

  @Test("refuses a statement of a task that is cancelled already")
  func cancelledBefore() async throws {
    let database = Database()
    let (started, start) = AsyncStream<Void>.makeStream()
    let task = Task {
      for await _ in started {}
      let error = #expect(throws: SQLError.self) { try database.query("SELECT 1") }
      #expect(error?.state == .queryCanceled)
    }
    task.cancel()
    start.finish()
    await task.value
  }

  @Test("finds the database of its task")
  func current() {
    let (one, two) = (Database(), Database())
    one.asCurrent {
      #expect(Database.current === one)
      two.asCurrent { #expect(Database.current === two) }
      #expect(Database.current === one)
    }
    Database.setCurrent(two)
    #expect(Database.current === two)
  }
}
