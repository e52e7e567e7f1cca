import Columnar
import Diagnostics
import Dispatch
import Storage
import Synchronization
import Testing

@testable import Catalog

@Suite("Transactions keep readers and writers apart")
struct TransactionTests {
  /// A database with one table of one integer column.
  static func makeDatabase() throws -> (DatabaseState, ObjectID) {
    let state = DatabaseState()
    let transaction = OpenTransaction(state)
    let id = try transaction.statement(writes: true) { (_) throws(SQLError) in
      let id = transaction.makeID()
      let table = TableDefinition(
        id: id, name: ObjectName("t"),
        columns: [TableColumn(name: "a", columnType: .init(.integer))])
      transaction.catalog.put(table)
      transaction.setTable(id, TableStore(types: [.integer], layout: table.layout))
      return id
    }
    try transaction.commit()
    return (state, id)
  }

  static func insert(_ value: Int32, _ id: ObjectID, _ transaction: OpenTransaction)
    throws(SQLError)
  {
    try transaction.statement(writes: true) { (_) throws(SQLError) in
      let writer = try transaction.writer(of: id)
      do throws(KeyConflict) {
        try writer.append(DataChunk([Vector(.integer, [.int32(value)])], count: 1))
      } catch {
        throw .internal("no key can conflict")
      }
    }
  }

  static func rows(_ version: DatabaseVersion, _ id: ObjectID) -> Int {
    version.tables[id]?.liveRowCount ?? -1
  }

  @Test("A reader sees nothing of a transaction before its commit")
  func isolation() throws {
    let (state, id) = try Self.makeDatabase()
    let writer = OpenTransaction(state)
    try Self.insert(1, id, writer)
    let reader = OpenTransaction(state)
    #expect(Self.rows(try reader.beginStatement(writes: false), id) == 0)
    #expect(Self.rows(writer.version, id) == 1)
    try writer.commit()
    #expect(Self.rows(try reader.beginStatement(writes: false), id) == 1)
  }

  @Test("Repeatable read keeps its version, and may then not write")
  func repeatableRead() throws {
    let (state, id) = try Self.makeDatabase()
    let reader = OpenTransaction(state, isolation: .repeatableRead)
    let writer = OpenTransaction(state)
    try Self.insert(1, id, writer)
    try writer.commit()
    #expect(Self.rows(try reader.beginStatement(writes: false), id) == 0)
    let error = #expect(throws: SQLError.self) { try Self.insert(2, id, reader) }
    #expect(error?.state == .serializationFailure)
  }

  @Test("A statement that fails leaves what came before it")
  func statementAtomicity() throws {
    let (state, id) = try Self.makeDatabase()
    let transaction = OpenTransaction(state)
    try Self.insert(1, id, transaction)
    #expect(throws: SQLError.self) {
      try transaction.statement(writes: true) { (_) throws(SQLError) in
        let writer = try transaction.writer(of: id)
        _ = try? writer.append(DataChunk([Vector(.integer, [.int32(5)])], count: 1))
        transaction.catalog.addSchema("gone")
        throw SQLError(.dataException, "on purpose")
      }
    }
    try Self.insert(2, id, transaction)
    try transaction.commit()
    #expect(Self.rows(state.current, id) == 2)
    #expect(!state.current.catalog.schemas.contains("gone"))
  }

  @Test("A read-only transaction refuses to write")
  func readOnly() throws {
    let (state, id) = try Self.makeDatabase()
    let transaction = OpenTransaction(state, isReadOnly: true)
    let error = #expect(throws: SQLError.self) { try Self.insert(1, id, transaction) }
    #expect(error?.state == .readOnlyTransaction)
  }

  @Test("A second writer waits for the first, times out, and can be cancelled")
  func writerLock() throws {
    let (state, id) = try Self.makeDatabase()
    let first = OpenTransaction(state)
    try Self.insert(1, id, first)
    let second = OpenTransaction(state)
    second.lockTimeout = 20
    let timeout = #expect(throws: SQLError.self) { try Self.insert(2, id, second) }
    #expect(timeout?.state == .lockNotAvailable)
    second.lockTimeout = nil
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    context.cancel()
    let cancelled = #expect(throws: SQLError.self) {
      try second.beginStatement(writes: true, context: context)
    }
    #expect(cancelled?.state == .queryCanceled)
    try first.commit()
    try Self.insert(2, id, second)
    try second.commit()
    #expect(Self.rows(state.current, id) == 2)
  }

  @Test("Writers on many threads lose nothing")
  func manyWriters() throws {
    let (state, id) = try Self.makeDatabase()
    let failures = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      for step in 0..<20 {
        let transaction = OpenTransaction(state)
        do throws(SQLError) {
          try Self.insert(Int32(number * 100 + step), id, transaction)
          try transaction.commit()
        } catch {
          failures.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(failures.load(ordering: .relaxed) == 0)
    #expect(Self.rows(state.current, id) == 160)
  }

  /// Refuses every commit.
  final class FullDisk: CommitLog {
    var publishesAtOnce: Bool { false }

    func append(
      from old: DatabaseVersion, to new: DatabaseVersion
    ) throws(SQLError) -> UInt64 {
      throw SQLError(.diskFull, "no space left")
    }

    func append(
      _ event: RowEvent, of table: ObjectID, to version: DatabaseVersion
    ) throws(SQLError) -> UInt64 {
      throw SQLError(.diskFull, "no space left")
    }

    func append(_ sequences: Set<ObjectID>) throws(SQLError) -> UInt64 { 0 }

    func wait(for commit: UInt64) throws(SQLError) {}

    func checkpoint(
      _ state: DatabaseState, timeoutMilliseconds: Int?, context: EvaluationContext?
    ) throws(SQLError) {}
  }

  /// Takes commits, of which the second never becomes durable, and shows what can be read meanwhile.
  final class SlowDisk: CommitLog {
    var publishesAtOnce: Bool { false }

    let look: @Sendable (UInt64) -> Void
    let last = Atomic<UInt64>(0)

    init(look: @escaping @Sendable (UInt64) -> Void) { self.look = look }

    func append(
      from old: DatabaseVersion, to new: DatabaseVersion
    ) throws(SQLError) -> UInt64 { last.add(1, ordering: .relaxed).newValue }

    func append(
      _ event: RowEvent, of table: ObjectID, to version: DatabaseVersion
    ) throws(SQLError) -> UInt64 { last.add(1, ordering: .relaxed).newValue }

    func append(_ sequences: Set<ObjectID>) throws(SQLError) -> UInt64 { 0 }

    func wait(for commit: UInt64) throws(SQLError) {
      look(commit)
      if commit == 2 { throw SQLError(.ioError, "the disk is gone") }
    }

    func checkpoint(
      _ state: DatabaseState, timeoutMilliseconds: Int?, context: EvaluationContext?
    ) throws(SQLError) {}
  }

  @Test("A commit is read by nobody before it is durable, while others may write already")
  func publishedWhenDurable() throws {
    let (state, id) = try Self.makeDatabase()
    let seen = Mutex<[Int]>([])
    state.setLog(
      SlowDisk { _ in
        seen.withLock { $0.append(Self.rows(state.current, id)) }
        #expect(state.writerLock.tryAcquire())
        state.writerLock.release()
      })
    let first = OpenTransaction(state)
    try Self.insert(1, id, first)
    try first.commit()
    #expect(Self.rows(state.current, id) == 1)
    let second = OpenTransaction(state)
    try Self.insert(2, id, second)
    #expect(throws: SQLError.self) { try second.commit() }
    #expect(Self.rows(state.current, id) == 1)
    #expect(seen.withLock { $0 } == [0, 1])
  }

  @Test("A commit that the log refuses does not happen")
  func refusedByLog() throws {
    let (state, id) = try Self.makeDatabase()
    state.setLog(FullDisk())
    let transaction = OpenTransaction(state)
    try Self.insert(1, id, transaction)
    let error = #expect(throws: SQLError.self) { try transaction.commit() }
    #expect(error?.state == .diskFull)
    #expect(Self.rows(state.current, id) == 0)
    #expect(state.writerLock.tryAcquire())
  }

  @Test("An unknown savepoint is an error")
  func unknownSavepoint() throws {
    let (state, _) = try Self.makeDatabase()
    let transaction = OpenTransaction(state)
    let error = #expect(throws: SQLError.self) { try transaction.rollBack(toSavepoint: "s") }
    #expect(error?.message == "savepoint \"s\" does not exist")
  }

  @Test("Sequences give every value once, on any thread, and turn over only if they cycle")
  func sequences() throws {
    let counters = SequenceCounters()
    let sequence = SequenceDefinition(
      id: ObjectID(1), name: ObjectName("s"), increment: 2, minimum: 1, maximum: 2000)
    let sum = Atomic<Int64>(0)
    DispatchQueue.concurrentPerform(iterations: 10) { _ in
      for _ in 0..<100 {
        if let value = try? counters.take(1, of: sequence).first {
          sum.add(value, ordering: .relaxed)
        }
      }
    }
    #expect(sum.load(ordering: .relaxed) == 1_000_000)
    #expect(throws: SQLError.self) { try counters.take(1, of: sequence) }
    var cycling = sequence
    cycling.cycles = true
    #expect(try counters.take(5, of: cycling) == (1, 5))
    counters.advance(cycling, past: 1998)
    #expect(try counters.take(5, of: cycling) == (2000, 1))
  }
}
