package import Diagnostics

/// What a database's folder consists of: the one small file that is replaced when the state moves to
/// another generation.
///
/// | offset | bytes | field |
/// | --- | --- | --- |
/// | 0 | 8 | magic: `JNCTMAN` and a byte beyond ASCII |
/// | 8 | 16 | format version: major, minor, compatible and incompatible features |
/// | 24 | 16 | id of the database |
/// | 40 | 8 | generation of the snapshot, from whose log the changes since are read |
/// | 48 | 8 | 1 if there is a snapshot; 0 if the state before that log is empty |
/// | 56 | 8 | generation that is kept to fall back on, 0 for none |
/// | 64 | 8 | base: the sequence number of the last transaction in the snapshot |
/// | 72 | 8 | checksum of the 72 bytes before it |
package struct Manifest: Hashable, Sendable {
  package var version: FormatVersion
  package let database: DatabaseID
  package var generation: UInt64
  package var hasSnapshot: Bool
  package var previousGeneration: UInt64
  package var baseSequence: UInt64

  package static let byteCount = 80
  static let magic: UInt64 = 0xFF4E_414D_5443_4E4A
  package static let currentVersion = FormatVersion(major: 1, minor: 0)

  package init(
    database: DatabaseID, generation: UInt64, hasSnapshot: Bool, previousGeneration: UInt64,
    baseSequence: UInt64, version: FormatVersion = currentVersion
  ) {
    self.version = version
    self.database = database
    self.generation = generation
    self.hasSnapshot = hasSnapshot
    self.previousGeneration = previousGeneration
    self.baseSequence = baseSequence
  }

  package var identity: FileIdentity { FileIdentity(database: database, generation: generation) }

  /// The manifest as it stands in the file.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word: Self.magic)
    version.append(to: &bytes)
    bytes.append(word: database.low)
    bytes.append(word: database.high)
    bytes.append(word: generation)
    bytes.append(word: hasSnapshot ? 1 : 0)
    bytes.append(word: previousGeneration)
    bytes.append(word: baseSequence)
    bytes.append(word: XXH64.hash(bytes.span))
    return bytes
  }

  /// The manifest that `bytes` are.
  ///
  /// - Throws: XX001 for anything but a whole manifest, 0A000 for one of a newer format.
  package init(_ bytes: Span<UInt8>, path: String) throws(SQLError) {
    guard bytes.count >= Self.byteCount, bytes.word(at: 0) == Self.magic else {
      throw .damaged("file", path: path, "It is not a manifest.")
    }
    guard XXH64.hash(bytes.extracting(0..<72)) == bytes.word(at: 72) else {
      throw .damaged("file", path: path, "Its contents do not match their checksum.")
    }
    version = FormatVersion(bytes, at: 8)
    try version.check(against: Self.currentVersion, "file", path: path)
    database = DatabaseID(low: bytes.word(at: 24), high: bytes.word(at: 32))
    generation = bytes.word(at: 40)
    hasSnapshot = bytes.word(at: 48) == 1
    previousGeneration = bytes.word(at: 56)
    baseSequence = bytes.word(at: 64)
    let isSound =
      bytes.count == Self.byteCount && bytes.word(at: 48) <= 1 && generation > 0
      && generation < UInt64.max >> 1 && previousGeneration < generation
      && baseSequence < UInt64.max >> 1
    guard isSound else { throw .damaged("file", path: path, "Its numbers make no sense.") }
  }
}
