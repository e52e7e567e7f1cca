import Diagnostics
import Durability
import SimulatedDisk
import Testing

@Suite("A database's folder:")
struct FolderTests {
  @Test("commits and checkpoints survive closing and opening")
  func reopening() throws {
    let disk = SimulatedDisk()
    let prefixes = Ledger.prefixes(40)
    for round in 0..<8 {
      var database = try LedgerDatabase(on: disk)
      #expect(database.ledger == prefixes[round * 5])
      #expect(database.notices.isEmpty)
      for step in 0..<5 {
        try database.commit()
        if step == round % 5 { try database.checkpoint() }
      }
      try database.folder.close()
    }
    #expect(try LedgerDatabase(on: disk).ledger == prefixes[40])
  }

  @Test("a folder that is in use is refused, naming who uses it, and may be read")
  func locking() throws {
    let disk = SimulatedDisk()
    var first = try LedgerDatabase(on: disk)
    try first.commit()
    let error = #expect(throws: SQLError.self) { try LedgerDatabase(on: disk) }
    #expect(error?.state == .objectInUse)
    #expect(
      error?.message == "database \"\(LedgerDatabase.path)\" is already open in this process")
    #expect(error?.detail == nil)
    // As another process would have left its number.
    disk.place(Array("99\n".utf8), at: "\(LedgerDatabase.path)/lock")
    let other = #expect(throws: SQLError.self) { try LedgerDatabase(on: disk) }
    #expect(other?.state == .objectInUse)
    #expect(
      other?.message == "database \"\(LedgerDatabase.path)\" is being used by another process")
    #expect(other?.detail == "Process 99 has opened it for writing.")
    let reader = try LedgerDatabase(on: disk, LedgerDatabase.options { $0.isReadOnly = true })
    #expect(reader.ledger == first.ledger)
    try first.folder.close()
    _ = try LedgerDatabase(on: disk)
  }

  @Test("a damaged snapshot is made good by the generation before and the logs since")
  func fallingBack() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk)
    for _ in 0..<3 {
      for _ in 0..<4 { try database.commit() }
      try database.checkpoint()
    }
    try database.commit()
    try database.folder.close()
    let path = "\(LedgerDatabase.path)/snapshot.\(database.folder.generation)"
    var bytes = try #require(disk.bytes(of: path))
    bytes[9] ^= 4
    disk.place(bytes, at: path)
    let reopened = try LedgerDatabase(on: disk)
    #expect(reopened.ledger == Ledger.prefixes(13)[13])
    #expect(reopened.notices.count == 1)
    try reopened.checkpoint()
    try reopened.folder.close()
    let again = try LedgerDatabase(on: disk)
    #expect(again.notices.isEmpty)
    #expect(again.ledger == reopened.ledger)
  }

  @Test("where there is no database, none is opened unless it is to be made")
  func missing() throws {
    let disk = SimulatedDisk()
    let error = #expect(throws: SQLError.self) {
      try LedgerDatabase(on: disk, LedgerDatabase.options { $0.createsIfMissing = false })
    }
    #expect(error?.state == .undefinedFile)
    try disk.makeDirectory("/csv")
    disk.place([1], at: "/csv/student.csv")
    let other = #expect(throws: SQLError.self) {
      try LedgerDatabase(on: disk, at: "/csv")
    }
    #expect(other?.message == "\"/csv\" is not a Junction database")
  }

  @Test("a folder whose manifest is gone is refused, not made anew")
  func lostManifest() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk)
    try database.commit()
    try database.folder.close()
    try disk.unlink("\(LedgerDatabase.path)/manifest")
    let error = #expect(throws: SQLError.self) { try LedgerDatabase(on: disk) }
    #expect(error?.state == .dataCorrupted)
  }

  @Test("the same on a real disk")
  func realDisk() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/school.junction"
    let options = LedgerDatabase.options { $0.logGrowthLimit = 1 << 20 }
    var database = try LedgerDatabase(on: PosixDisk(), options, at: path)
    for step in 0..<20 {
      try database.commit()
      if step % 7 == 3 { try database.checkpoint() }
    }
    let error = #expect(throws: SQLError.self) {
      try LedgerDatabase(on: PosixDisk(), options, at: path)
    }
    #expect(error?.state == .objectInUse)
    try database.folder.close()
    let reopened = try LedgerDatabase(on: PosixDisk(), options, at: path)
    #expect(reopened.ledger == Ledger.prefixes(20)[20])
    #expect(reopened.notices.isEmpty)
  }
}
