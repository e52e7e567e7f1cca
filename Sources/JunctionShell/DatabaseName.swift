import Diagnostics
import Junction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a name on the command line, or behind `\open`, stands for.
///
/// `NAME.junction` is a database on disk, made if it is not there. Any other name has to be there: as a database or a
/// backup, also as `NAME` for `NAME.junction`, as a folder of CSV files, or as one such file; `:memory:` is an empty
/// database in memory. So a mistyped
/// name does not turn into an empty database.
struct DatabaseName {
  enum Kind { case onDisk, new, files, inMemory }
  let path: String
  let kind: Kind

  static let ending = ".junction"
  /// What stands for an empty database in memory.
  static let inMemory = ":memory:"

  /// - Throws: 58P01 with what could be meant if there is nothing of the name, 42809 if it is something else.
  init(_ name: String) throws(SQLError) {
    let isEnded = name.hasSuffix(Self.ending)
    if name == Self.inMemory {
      (path, kind) = (name, .inMemory)
    } else if Database.isOnDisk(name) || Database.isBackup(name) {
      (path, kind) = (name, .onDisk)
    } else if isEnded {
      (path, kind) = (name, Self.isThere(name) ? .onDisk : .new)
    } else if TextFile.isFolder(name) || Self.isTable(name) && Self.isThere(name) {
      (path, kind) = (name, .files)
    } else if Self.isThere(name) {
      throw SQLError(
        .wrongObjectType, "\"\(name)\" is no database, no backup and no file that is a table",
        hint: "Name a database NAME.junction, a backup, a folder of CSV files, or files such as "
          + "x.csv, x.json and x.parquet.")
    } else if Database.isOnDisk(name + Self.ending) {
      (path, kind) = (name + Self.ending, .onDisk)
    } else {
      throw SQLError(
        .undefinedFile, "there is no database or folder \"\(name)\"",
        hint: Self.isTable(name)
          ? nil : "To make a new database, name it \"\(Self.ended(name))\".")
    }
  }

  /// The last part of the path, which prompts show.
  var shortName: String {
    if kind == .inMemory { return "junction" }
    return path.split(separator: "/").last.map(String.init) ?? path
  }

  /// A name for a new database: with the ending, unless it has another.
  static func ended(_ name: String) -> String {
    var stem = name[...]
    while stem.count > 1 && stem.hasSuffix("/") { stem.removeLast() }
    let last = stem.split(separator: "/").last ?? ""
    return last.isEmpty || last.contains(".") ? String(stem) : stem + ending
  }

  static func isTable(_ name: String) -> Bool {
    Database.isTableFile(name)
  }

  private static func isThere(_ name: String) -> Bool { unsafe access(name, F_OK) == 0 }
}
