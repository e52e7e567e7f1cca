import Catalog
import Diagnostics
import Execution
import Testing

@testable import Junction

@Suite("Who is told of a commit")
struct CommitRegistryTests {
  private let registry = CommitRegistry()
  private let old: DatabaseVersion
  private let new: DatabaseVersion
  private let reads: ReadSet

  init() throws {
    let database = Database()
    try database.execute("CREATE TABLE course (id int PRIMARY KEY)")
    old = database.state.current
    try database.execute("INSERT INTO course SELECT 1")
    new = database.state.current
    let notes = ReadNotes()
    notes.note(all: try #require(old.catalog.tables.keys.first), .all)
    reads = notes.take()
  }

  private func asked(_ watcher: Watcher, asOf version: DatabaseVersion) {
    registry.begin()
    registry.finish(watcher, reads, asOf: version.number)
  }

  @Test("is whoever has asked the state before it, while it was on its way")
  func onItsWay() throws {
    asked(Watcher(), asOf: old)
    let watcher = Watcher()
    let notice = try #require(registry.note(from: old, to: new))
    asked(watcher, asOf: old)
    #expect(!watcher.isBehind)
    notice.announce()
    #expect(watcher.isBehind)
    asked(watcher, asOf: new)
    #expect(!watcher.isBehind)
  }

  @Test("is whoever was asking when it came and went")
  func whileAsking() throws {
    let watcher = Watcher()
    registry.begin()
    try #require(registry.note(from: old, to: new)).announce()
    registry.finish(watcher, reads, asOf: old.number)
    #expect(watcher.isBehind)
  }

  @Test("is nobody where it failed, or where its state was asked")
  func nobody() throws {
    let (early, late) = (Watcher(), Watcher())
    asked(early, asOf: old)
    try #require(registry.note(from: old, to: new)).withdraw()
    #expect(!early.isBehind)
    try #require(registry.note(from: old, to: new)).announce()
    asked(late, asOf: new)
    #expect(early.isBehind && !late.isBehind)
    #expect(registry.watcherCount == 2)
  }
}
