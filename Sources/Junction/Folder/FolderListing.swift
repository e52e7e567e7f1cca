import Columnar
import DelimitedText
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that a database is made of: those of a folder, or one alone.
struct FolderListing {
  /// One CSV file.
  struct File {
    let path: String
    /// The name without its ending, which is the table's.
    let table: String
    let byteCount: Int
    /// Where its bytes are read, as often as they are asked for.
    var origin: TableLoad.Origin

    /// A file of delimited text, whatever its name.
    init(_ path: String, table: String, byteCount: Int, origin: TableLoad.Origin? = nil) {
      self.path = path
      self.table = table
      self.byteCount = byteCount
      self.origin = origin ?? .file(path: path)
    }

    /// nil if the path does not end as those of such files do.
    ///
    /// - Throws: 58P01 or 58030 with the system's reason.
    init?(_ path: String) throws(SQLError) {
      let name = path.split(separator: "/").last ?? ""
      guard let ending = File.endings.first(where: { name.lowercased().hasSuffix($0) }),
        name.utf8.count > ending.utf8.count
      else { return nil }
      self.init(
        path, table: HeaderNames.cut(String(name.dropLast(ending.count))),
        byteCount: try FileSource(path: path).byteCount ?? 0)
    }

    /// How the names of such files end.
    static let endings =
      ["csv", "tsv", "json", "ndjson", "jsonl"].flatMap {
        [".\($0)", ".\($0).gz", ".\($0).zst"]
      } + [".parquet"]
  }
  /// Sorted by name.
  private(set) var files: [File] = []
  /// The text of `schema.sql`, if it is there.
  private(set) var schema: String?
  /// What was passed over although its name is that of a file.
  private(set) var notices: [Notice] = []

  /// Looks into a folder; the path may also be that of a CSV file.
  ///
  /// - Throws: 58P01 if it is not there, or holds neither CSV files nor a schema.
  init(_ path: String) throws(SQLError) {
    if let names = Self.names(in: path) {
      for name in names.sorted() { try add(name, in: path) }
      files.sort { $0.table < $1.table }
    } else {
      let error = Self.couldNotOpen(
        path, hint: "Name a folder that holds CSV files, such as Datasets/school.")
      guard errno == ENOTDIR, let file = try File(path) else { throw error }
      files = [file]
    }
    if files.isEmpty && schema == nil {
      throw SQLError(
        .undefinedFile, "folder \"\(path)\" holds no CSV files and no schema.sql",
        detail: notices.isEmpty ? nil : notices.map(\.message).joined(separator: "\n"),
        hint: "Each TABLE.csv becomes a table; schema.sql is optional.")
    }
  }

  /// Files by themselves.
  ///
  /// - Throws: 58P01 if one is not there, 42809 if its name does not end as those of tables do, 42P07 if two have one name.
  init(files paths: [String]) throws(SQLError) {
    for path in paths {
      guard let file = try File(path) else {
        throw SQLError(
          .wrongObjectType, "\"\(path)\" is no file that is a table",
          hint: "Such files end in \(File.endings.joined(separator: ", ")).")
      }
      if let other = files.first(where: { $0.table == file.table }) {
        throw SQLError(
          .duplicateTable, "\"\(other.path)\" and \"\(path)\" would be one table",
          hint: "Read several files as one: FROM 'part-*.csv'.")
      }
      files.append(file)
    }
    files.sort { $0.table < $1.table }
  }

  /// The names of what is in a folder; nil, with `errno`, if that cannot be read.
  static func names(in folder: String) -> [String]? {
    guard let handle = unsafe opendir(folder) else { return nil }
    defer { unsafe _ = closedir(handle) }
    var names: [String] = []
    while let entry = unsafe readdir(handle) {
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
            unsafe String(cString: $0)
          }
        })
    }
    return names
  }

  /// The same of a folder that has to be there.
  ///
  /// - Throws: 58P01 with the system's reason.
  static func namesOrFail(in folder: String, hint: String) throws(SQLError) -> [String] {
    if let names = names(in: folder) { return names }
    throw couldNotOpen(folder, hint: hint)
  }

  private static func couldNotOpen(_ folder: String, hint: String) -> SQLError {
    let reason = unsafe String(cString: strerror(errno))
    return SQLError(
      .undefinedFile, "could not open folder \"\(folder)\": \(reason)", hint: hint)
  }

  private mutating func add(_ name: String, in folder: String) throws(SQLError) {
    let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    if name == "schema.sql" {
      schema = try Self.read(path)
      return
    }
    // A file that an editor or a spreadsheet has open leaves others behind, whose names begin like this.
    if name.hasPrefix(".") || name.hasPrefix("~$") { return }
    var status = stat()
    let isFile =
      unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    if isFile {
      if let file = try File(path) { files.append(file) }
    } else if File.endings.contains(where: { name.lowercased().hasSuffix($0) }) {
      notices.append(Notice("\(path): passed over, as it is no regular file", severity: .warning))
    }
  }

  /// The text of a file.
  ///
  /// - Throws: 58P01 or 58030 with the system's reason, 22021 for bytes that are no UTF-8.
  static func read(_ path: String) throws(SQLError) -> String {
    let reader = BlockReader(try FileSource(path: path), format: DelimitedTextFormat())
    var bytes: [UInt8] = []
    while let block = try reader.next() { bytes += block.bytes.bytes(0..<block.count).array }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SQLError(.characterNotInRepertoire, "\"\(path)\" is not valid UTF-8")
    }
    return text
  }
}
