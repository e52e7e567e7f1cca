package import Diagnostics

/// The first 64 bytes of a log: whose log it is, and after which transaction it begins.
///
/// | offset | bytes | field |
/// | --- | --- | --- |
/// | 0 | 8 | magic: `JNCTLOG` and a byte beyond ASCII |
/// | 8 | 16 | format version: major, minor, compatible and incompatible features |
/// | 24 | 16 | id of the database |
/// | 40 | 8 | generation |
/// | 48 | 8 | base: the sequence number of the last transaction before this log |
/// | 56 | 8 | checksum of the 56 bytes before it |
package struct LogHeader: Hashable, Sendable {
  package let version: FormatVersion
  package let identity: FileIdentity
  /// The sequence number of the last transaction before this log, zero at the beginning of a database.
  package let baseSequence: UInt64

  package static let byteCount = 64
  static let magic: UInt64 = 0xFF47_4F4C_5443_4E4A
  package static let currentVersion = FormatVersion(major: 1, minor: 0)

  package init(
    identity: FileIdentity, baseSequence: UInt64, version: FormatVersion = currentVersion
  ) {
    self.version = version
    self.identity = identity
    self.baseSequence = baseSequence
  }

  /// The header as it stands in the file.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word: Self.magic)
    version.append(to: &bytes)
    bytes.append(word: identity.database.low)
    bytes.append(word: identity.database.high)
    bytes.append(word: identity.generation)
    bytes.append(word: baseSequence)
    bytes.append(word: XXH64.hash(bytes.span))
    return bytes
  }

  /// The header that `bytes` begin with.
  ///
  /// - Throws: XX001 for anything but a header that is whole, 0A000 for one of a newer format.
  package init(_ bytes: Span<UInt8>, path: String) throws(SQLError) {
    guard bytes.count >= Self.byteCount else {
      throw .damaged("log file", path: path, "It is too short to have a header.")
    }
    guard bytes.word(at: 0) == Self.magic else {
      throw .damaged("log file", path: path, "It does not begin as a log does.")
    }
    guard XXH64.hash(bytes.extracting(0..<56)) == bytes.word(at: 56) else {
      throw .damaged("log file", path: path, "Its header does not match the header's checksum.")
    }
    version = FormatVersion(bytes, at: 8)
    try version.check(against: Self.currentVersion, "log file", path: path)
    identity = FileIdentity(
      database: DatabaseID(low: bytes.word(at: 24), high: bytes.word(at: 32)),
      generation: bytes.word(at: 40))
    baseSequence = bytes.word(at: 48)
    guard baseSequence < UInt64.max >> 1 else {
      throw .damaged("log file", path: path, "Its sequence numbers are out of range.")
    }
  }

  /// Refuses a log of another database or generation.
  package func check(_ expected: FileIdentity, path: String) throws(SQLError) {
    if identity == expected { return }
    let reason =
      identity.database == expected.database
      ? "It is the log of generation \(identity.generation)."
      : "It belongs to another database (\(identity.database), not \(expected.database))."
    throw SQLError(
      .dataCorrupted, "log file \"\(path)\" is not the one that belongs here", detail: reason,
      hint: "Nothing was changed. Put back the file that was there.")
  }
}
