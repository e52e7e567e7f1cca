/// The 16 random bytes that all files of one database bear, so that files of two are never mixed.
package struct DatabaseID: Hashable, Sendable, CustomStringConvertible {
  package let low: UInt64
  package let high: UInt64

  package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// An id that no other database has.
  package static func random() -> DatabaseID {
    var source = SystemRandomNumberGenerator()
    return DatabaseID(low: source.next(), high: source.next())
  }

  package var description: String {
    let digits = String(high, radix: 16)
    let rest = String(low, radix: 16)
    let zeros = { (count: Int) in String(repeating: "0", count: count) }
    return zeros(16 - digits.count) + digits + zeros(16 - rest.count) + rest
  }
}

/// Which state of which database a file holds.
package struct FileIdentity: Hashable, Sendable {
  package let database: DatabaseID
  package let generation: UInt64

  package init(database: DatabaseID, generation: UInt64) {
    self.database = database
    self.generation = generation
  }
}

/// The seeds of the checksums in one file: bytes that were meant for another file, an earlier
/// generation or another place do not match theirs.
package struct ChecksumSeeds: Sendable {
  private let base: UInt64

  package init(_ identity: FileIdentity) {
    var hash = XXH64.avalanche(identity.generation &+ 1)
    hash = XXH64.avalanche(hash ^ identity.database.low)
    base = XXH64.avalanche(hash ^ identity.database.high)
  }

  /// The seed for what begins at this byte of the file.
  package func seed(at offset: UInt64) -> UInt64 { XXH64.avalanche(base ^ offset) }
}
