import Diagnostics
import Durability

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder that is filled under a temporary name and given its own when it is whole.
///
/// - Invariant: until `finish` has returned nothing stands under the folder's own name.
final class NewFolder {
  private let path: String
  /// Where the folder stands until it is finished.
  private let workPath: String
  private let disk: any Disk

  /// Makes the folder under a temporary name.
  ///
  /// - Throws: 58P02 if there is something of the name, 42501, 53100 and 58030 as the system says.
  private init(_ path: String, on disk: any Disk) throws(SQLError) {
    self.disk = RetryingDisk(disk)
    self.path = FolderFiles(disk.absolutePath(path)).path
    workPath = "\(self.path).\(String(UInt32.random(in: 0 ... .max), radix: 16)).new"
    try checkIsFree()
    try reportingDiskErrors { () throws(DiskError) in try self.disk.makeDirectory(workPath) }
  }

  /// Makes a folder of what `body` puts into it, or leaves nothing.
  ///
  /// - Throws: what `body` throws, 58P02 if there is something of the name, and the disk's errors.
  static func create<Result>(
    _ path: String, on disk: any Disk, _ body: (NewFolder) throws(SQLError) -> Result
  ) throws(SQLError) -> Result {
    let folder = try NewFolder(path, on: disk)
    do throws(SQLError) {
      let result = try body(folder)
      try folder.checkIsFree()
      try reportingDiskErrors { () throws(DiskError) in
        try folder.disk.rename(folder.workPath, to: folder.path)
      }
      return result
    } catch {
      folder.remove(folder.workPath)
      throw error
    }
  }

  private func checkIsFree() throws(SQLError) {
    if try reportingDiskErrors({ () throws(DiskError) in try disk.exists(path) }) {
      throw SQLError(
        .duplicateFile, "\"\(path)\" already exists", hint: "Choose another name, or remove it.")
    }
  }

  /// Makes a folder within.
  ///
  /// - Throws: as the system says.
  func makeFolder(_ name: String) throws(SQLError) {
    try reportingDiskErrors { () throws(DiskError) in
      try disk.makeDirectory(workPath + "/" + name)
    }
  }

  /// Begins a file within.
  ///
  /// - Throws: as the system says.
  func makeFile(_ name: String) throws(SQLError) -> FileSink {
    try FileSink(path: workPath + "/" + name)
  }

  /// Writes a file within, to be run as a program if `isProgram`.
  ///
  /// - Throws: as the system says.
  func write(_ text: String, to name: String, isProgram: Bool = false) throws(SQLError) {
    let file = try makeFile(name)
    try file.write(Array(text.utf8))
    try file.close()
    if isProgram { _ = unsafe chmod(workPath + "/" + name, 0o755) }
  }

  /// Removes a file or a folder with all that is in it, as far as the system lets it.
  private func remove(_ path: String) {
    if (try? disk.unlink(path)) != nil { return }
    for name in (try? disk.list(path)) ?? [] { remove(path + "/" + name) }
    try? disk.removeDirectory(path)
  }
}
