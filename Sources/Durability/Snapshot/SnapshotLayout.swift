import Diagnostics

/// One stretch of a snapshot with a checksum of its own.
package struct SnapshotSection: Hashable, Sendable {
  /// What a section holds.
  ///
  /// A kind's number never gets another meaning.
  package enum Kind: UInt32, Sendable {
    /// The catalog and where the sequences stand.
    case catalog = 1
    /// What is known of one table without its rows: `ShapeSection`.
    case table = 2
    /// A row group of one column: `ColumnSection`.
    case column = 3
    /// The parents of a row group by one foreign key: `ParentSection`.
    case parents = 4
    /// Lists of an adjacency index: `ListSection`.
    case lists = 5
  }
  package let kind: Kind
  /// The number of the table, 0 for the catalog.
  package let table: UInt32
  package let offset: UInt64
  package let byteCount: UInt64
  let checksum: UInt64

  static let byteCount = 32
}

/// How a snapshot lies in its file.
///
/// ```
/// 0     header     64 bytes, below
/// 64    sections   each on a 64-byte boundary, padded with zeros
/// …     index      for each section: kind (4), table (4), offset (8), length (8), checksum (8)
/// …     trailer    offset of the index (8), number of sections (8), checksum of the index (8),
///                  checksum of the 24 bytes before it (8)
/// ```
///
/// | offset | bytes | field of the header |
/// | --- | --- | --- |
/// | 0 | 8 | magic: `JNCTSNP` and a byte beyond ASCII |
/// | 8 | 16 | format version: major, minor, compatible and incompatible features |
/// | 24 | 16 | id of the database |
/// | 40 | 8 | generation |
/// | 48 | 8 | base: the sequence number of the last transaction in the snapshot |
/// | 56 | 8 | checksum of the 56 bytes before it |
///
/// The checksum of a section covers its padding, and begins from a seed of the file's ids and the section's place, so
/// that there is no byte whose change goes unseen, and none that is good in another place.
enum SnapshotLayout {
  static let magic: UInt64 = 0xFF50_4E53_5443_4E4A
  /// Snapshots with it may have lists whose rows are kept as they stand.
  static let plainRows: UInt32 = 1
  static let currentVersion = FormatVersion(major: 1, minor: 1, incompatibleFeatures: plainRows)
  static let headerByteCount = 64
  static let trailerByteCount = 32
  static let alignment = 64

  static func padded(_ byteCount: UInt64) -> UInt64 {
    (byteCount + UInt64(alignment) - 1) & ~UInt64(alignment - 1)
  }

  static func header(_ identity: FileIdentity, baseSequence: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word: magic)
    currentVersion.append(to: &bytes)
    bytes.append(word: identity.database.low)
    bytes.append(word: identity.database.high)
    bytes.append(word: identity.generation)
    bytes.append(word: baseSequence)
    bytes.append(word: XXH64.hash(bytes.span))
    return bytes
  }
}
