import Diagnostics
import SimulatedDisk
import Testing

@testable import Durability

@Suite("Damaged files:")
struct DamageTests {
  private static let count = 12
  private static let prefixes = Ledger.prefixes(count)
  private static let logPath = "\(LedgerDatabase.path)/wal.1"
  private static let manifestPath = "\(LedgerDatabase.path)/manifest"

  /// A database with some commits; closed, or left by a killed process.
  private static func database(isClosed: Bool) throws(SQLError) -> SimulatedState {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk, LedgerDatabase.options { $0.logGrowthLimit = 256 })
    for _ in 0..<count { try database.commit() }
    if isClosed { try database.folder.close() }
    return disk.state.killed()
  }

  /// What opening a changed database gives: its state, or the error.
  private static func open(
    _ state: SimulatedState, _ path: String, _ bytes: [UInt8]
  ) -> Result<LedgerDatabase, SQLError> {
    let disk = SimulatedDisk(state)
    disk.place(bytes, at: path)
    return Result { () throws(SQLError) in try LedgerDatabase(on: disk) }
  }

  @Test("every flipped bit of a log is found, or does no harm")
  func logBits() throws {
    let state = try Self.database(isClosed: true)
    let bytes = try #require(SimulatedDisk(state).bytes(of: Self.logPath))
    var refusedCount = 0
    for bit in 0..<bytes.count * 8 where DurabilityCases.isLong || bit % 23 == 0 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      switch Self.open(state, Self.logPath, changed) {
      case .success(let database):
        #expect(database.ledger == Self.prefixes[Self.count], "bit \(bit)")
      case .failure(let error):
        #expect(error.state == .dataCorrupted, "bit \(bit): \(error)")
        refusedCount += 1
      }
    }
    #expect(refusedCount > 0)
    DurabilityCases.report("bits of a log: \(bytes.count * 8), refused: \(refusedCount)")
  }

  @Test("in a log that was not closed, only the last commits may pass for a torn tail")
  func openLogBits() throws {
    let state = try Self.database(isClosed: false)
    let bytes = try #require(SimulatedDisk(state).bytes(of: Self.logPath))
    for bit in 0..<bytes.count * 8 where DurabilityCases.isLong || bit % 23 == 0 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      switch Self.open(state, Self.logPath, changed) {
      case .success(let database):
        let count = Int(database.ledger.sequence)
        #expect(count >= Self.count - 1, "bit \(bit)")
        #expect(database.ledger == Self.prefixes[count])
        // Nothing is dropped in silence.
        #expect(count == Self.count || database.notices.count == 1)
      case .failure(let error): #expect(error.state == .dataCorrupted, "bit \(bit): \(error)")
      }
    }
  }

  @Test("a log that was cut anywhere gives a prefix of its commits")
  func logCuts() throws {
    for isClosed in [false, true] {
      let state = try Self.database(isClosed: isClosed)
      let bytes = try #require(SimulatedDisk(state).bytes(of: Self.logPath))
      for size in 0...bytes.count where DurabilityCases.isLong || size % 5 == 0 {
        switch Self.open(state, Self.logPath, Array(bytes.prefix(size))) {
        case .success(let database):
          let count = Int(database.ledger.sequence)
          #expect(database.ledger == Self.prefixes[count])
          #expect(size >= LogHeader.byteCount)
        case .failure(let error):
          #expect(error.state == .dataCorrupted && size < LogHeader.byteCount, "\(size): \(error)")
        }
      }
    }
  }

  @Test("sectors of a log that are zeroed, doubled or exchanged lose nothing in silence")
  func logSectors() throws {
    let state = try Self.database(isClosed: true)
    let bytes = try #require(SimulatedDisk(state).bytes(of: Self.logPath))
    let size = 64
    let count = bytes.count / size
    let lastUsed = (bytes.lastIndex { $0 != 0 } ?? 0) / size
    for first in 0..<count {
      for second in 0...count where second != first {
        var changed = bytes
        for index in 0..<size {
          changed[first * size + index] = second == count ? 0 : bytes[second * size + index]
          if second < first { changed[second * size + index] = bytes[first * size + index] }
        }
        if changed == bytes { continue }
        switch Self.open(state, Self.logPath, changed) {
        case .success(let database):
          let found = Int(database.ledger.sequence)
          #expect(database.ledger == Self.prefixes[found], "\(first), \(second)")
          // Damage that takes all that follows with it looks like a torn tail.
          let reachesEnd = max(first, second == count ? 0 : second) >= lastUsed - 1
          #expect(found == Self.count || (reachesEnd && database.notices.count == 1))
        case .failure(let error): #expect(error.state == .dataCorrupted, "\(error)")
        }
      }
    }
  }

  @Test("every flipped bit and every cut of a manifest is found")
  func manifest() throws {
    let state = try Self.database(isClosed: true)
    let bytes = try #require(SimulatedDisk(state).bytes(of: Self.manifestPath))
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      guard case .failure(let error) = Self.open(state, Self.manifestPath, changed) else {
        Issue.record("bit \(bit) was not found")
        continue
      }
      #expect(error.state == .dataCorrupted)
    }
    for size in 0..<bytes.count {
      guard case .failure = Self.open(state, Self.manifestPath, Array(bytes.prefix(size))) else {
        Issue.record("the cut at \(size) was not found")
        continue
      }
    }
    guard case .failure = Self.open(state, Self.manifestPath, bytes + [0]) else {
      Issue.record("a byte too many was not found")
      return
    }
  }

  @Test("files of a newer format are refused by name, for each version and each unknown feature")
  func newerFormat() throws {
    let state = try Self.database(isClosed: true)
    let log = try #require(SimulatedDisk(state).bytes(of: Self.logPath))
    let header = try LogHeader(log.span, path: Self.logPath)
    let old = try #require(SimulatedDisk(state).bytes(of: Self.manifestPath))
    let manifest = try Manifest(old.span, path: Self.manifestPath)
    for bit in 0..<64 {
      var version = FormatVersion(major: 1, minor: 7, compatibleFeatures: .max)
      // The first 32 are features, the others versions.
      if bit < 32 { version.incompatibleFeatures = 1 << UInt32(bit) }
      if bit >= 32 { version.major = bit == 32 ? 0 : 1 << UInt32(bit - 32) }
      let newHeader = LogHeader(
        identity: header.identity, baseSequence: header.baseSequence, version: version)
      var newManifest = manifest
      newManifest.version = version
      for (path, bytes) in [
        (Self.logPath, newHeader.bytes + log.dropFirst(LogHeader.byteCount)),
        (Self.manifestPath, newManifest.bytes),
      ] {
        guard case .failure(let error) = Self.open(state, path, bytes) else {
          Issue.record("\(path) of version \(version) was read")
          continue
        }
        #expect(error.state == .featureNotSupported)
        #expect(error.message.contains(path))
      }
    }
    // What may be overlooked is overlooked.
    let minor = LogHeader(
      identity: header.identity, baseSequence: header.baseSequence,
      version: FormatVersion(major: 1, minor: 7, compatibleFeatures: .max))
    let bytes = minor.bytes + log.dropFirst(LogHeader.byteCount)
    #expect(try Self.open(state, Self.logPath, bytes).get().ledger == Self.prefixes[Self.count])
  }

  @Test("the files of another database, or of another generation, are refused")
  func mixedFiles() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk)
    for _ in 0..<3 {
      try database.commit()
      try database.checkpoint()
    }
    try database.folder.close()
    let otherDisk = SimulatedDisk(try Self.database(isClosed: true))
    let other = try #require(otherDisk.bytes(of: Self.logPath))
    let folder = LedgerDatabase.path
    let older = try #require(disk.bytes(of: "\(folder)/wal.3"))
    for bytes in [other, older] {
      guard case .failure(let error) = Self.open(disk.state, "\(folder)/wal.4", bytes) else {
        Issue.record("a wrong log was read")
        continue
      }
      #expect(error.state == .dataCorrupted)
      #expect(error.message.contains("is not the one that belongs here"))
    }
  }

  @Test("a log in the middle of the chain that lost its end is found by what follows it")
  func brokenChain() throws {
    let disk = SimulatedDisk()
    var database = try LedgerDatabase(on: disk)
    for _ in 0..<5 { try database.commit() }
    // Its snapshot is never written: the state is in two logs.
    _ = try database.folder.beginCheckpoint()
    for _ in 0..<5 { try database.commit() }
    try database.folder.close()
    #expect(try LedgerDatabase(on: SimulatedDisk(disk.state)).ledger == Ledger.prefixes(10)[10])
    // The header of the second is not taken for that of a log which was never used.
    let second = "\(LedgerDatabase.path)/wal.2"
    let whole = try #require(disk.bytes(of: second))
    for bit in 0..<LogHeader.byteCount * 8 {
      var changed = whole
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      guard case .failure(let error) = Self.open(disk.state, second, changed) else {
        Issue.record("bit \(bit) of the second log's header was not found")
        continue
      }
      #expect(error.state == .dataCorrupted || error.state == .featureNotSupported)
    }
    let bytes = try #require(disk.bytes(of: Self.logPath))
    for size in LogHeader.byteCount..<bytes.count where size % 3 == 0 {
      let cut = Array(bytes.prefix(size))
      switch Self.open(disk.state, Self.logPath, cut) {
      case .success(let database): #expect(database.ledger == Ledger.prefixes(10)[10])
      case .failure(let error): #expect(error.state == .dataCorrupted)
      }
    }
  }
}
