import Columnar
import DelimitedText
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of a folder that a database is made of.
struct FolderListing {
  /// One CSV file.
  struct File {
    let path: String
    /// The name without its ending, which is the table's.
    let table: String
    let byteCount: Int
  }
  /// Sorted by name.
  let files: [File]
  /// The text of `schema.sql`, if it is there.
  let schema: String?

  private static let endings = [".csv", ".tsv"]

  /// Looks into a folder.
  ///
  /// - Throws: 58P01 if it is not there or no folder, or holds neither CSV files nor a schema.
  init(_ folder: String) throws(SQLError) {
    guard let handle = unsafe opendir(folder) else {
      let reason = unsafe String(cString: strerror(errno))
      throw SQLError(
        .undefinedFile, "could not open folder \"\(folder)\": \(reason)",
        hint: "Name a folder that holds CSV files, such as Datasets/school.")
    }
    defer { unsafe _ = closedir(handle) }
    var files: [File] = []
    var schema: String?
    while let entry = unsafe readdir(handle) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      let path = "\(folder)/\(name)"
      if name == "schema.sql" {
        schema = try Self.read(path)
      } else if let ending = Self.endings.first(where: { name.lowercased().hasSuffix($0) }),
        name.utf8.count > ending.utf8.count
      {
        let source = try FileSource(path: path)
        files.append(
          File(
            path: path, table: String(name.dropLast(ending.count)),
            byteCount: source.byteCount ?? 0))
      }
    }
    if files.isEmpty && schema == nil {
      throw SQLError(
        .undefinedFile, "folder \"\(folder)\" holds no CSV files and no schema.sql",
        hint: "Each TABLE.csv becomes a table; schema.sql is optional.")
    }
    self.files = files.sorted { $0.table < $1.table }
    self.schema = schema
  }

  private static func read(_ path: String) throws(SQLError) -> String {
    let reader = BlockReader(try FileSource(path: path), format: DelimitedTextFormat())
    var bytes: [UInt8] = []
    while let block = try reader.next() { bytes += block.bytes.bytes(0..<block.count).array }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SQLError(.characterNotInRepertoire, "\"\(path)\" is not valid UTF-8")
    }
    return text
  }
}
