package import Diagnostics

/// The version of a file's layout, as its header states it.
///
/// A reader knows all minor versions of its major version. A compatible feature may be overlooked by
/// a reader that does not know it; an incompatible one makes it refuse the file. The place of these
/// four numbers, and of the header's checksum, is the same in every version.
package struct FormatVersion: Hashable, Sendable {
  package var major: UInt32
  package var minor: UInt32
  package var compatibleFeatures: UInt32
  package var incompatibleFeatures: UInt32

  package static let byteCount = 16

  package init(
    major: UInt32, minor: UInt32, compatibleFeatures: UInt32 = 0, incompatibleFeatures: UInt32 = 0
  ) {
    self.major = major
    self.minor = minor
    self.compatibleFeatures = compatibleFeatures
    self.incompatibleFeatures = incompatibleFeatures
  }

  /// The version at `offset` of a header.
  package init(_ bytes: Span<UInt8>, at offset: Int) {
    major = bytes.half(at: offset)
    minor = bytes.half(at: offset + 4)
    compatibleFeatures = bytes.half(at: offset + 8)
    incompatibleFeatures = bytes.half(at: offset + 12)
  }

  package func append(to bytes: inout [UInt8]) {
    bytes.append(half: major)
    bytes.append(half: minor)
    bytes.append(half: compatibleFeatures)
    bytes.append(half: incompatibleFeatures)
  }

  /// Refuses a file whose layout the reader of version `known` cannot read.
  ///
  /// - Throws: 0A000 naming the file and what is new about it.
  package func check(against known: FormatVersion, _ what: String, path: String) throws(SQLError) {
    let unknown = incompatibleFeatures & ~known.incompatibleFeatures
    if major == known.major && unknown == 0 { return }
    let reason =
      major != known.major
      ? "It has format version \(major).\(minor); this program reads version \(known.major)."
      : "It uses a feature that this program does not know (bits \(String(unknown, radix: 16)))."
    throw SQLError(
      .featureNotSupported, "\(what) \"\(path)\" was written by a newer version of Junction",
      detail: reason, hint: "Open the database with that version or a later one.")
  }
}

extension SQLError {
  /// A file does not hold what was written to it.
  package static func damaged(_ what: String, path: String, _ reason: String) -> SQLError {
    SQLError(
      .dataCorrupted, "\(what) \"\(path)\" is damaged", detail: reason,
      hint: "Nothing was changed. Restore the database from a backup.")
  }
}
