public import Diagnostics

/// How far a load has come.
public struct LoadProgress: Sendable {
  /// Bytes of all files read so far.
  public var bytesRead: Int
  /// Bytes of all files, if that is known.
  public var bytesInAll: Int?
  /// Rows made so far.
  public var rows: Int
}

extension Database {
  /// Opens a folder of CSV files as a database in memory.
  ///
  /// - Throws: 58P01 if the folder is not there, 22P04 and others for bad files.
  public convenience init(
    folder: String, rejects: String? = nil, progress: (LoadProgress) -> Void = { _ in }
  ) throws(SQLError) {
    throw .unsupported("opening a folder")
  }
}
