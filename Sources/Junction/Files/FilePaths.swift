import Columnar
import DelimitedText
import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How the data of a file is written, as the end of its name says.
enum FileFormat {
  /// Delimited text, as of any file whose name says nothing else.
  case text
  case json
  case parquet

  init(_ path: String) {
    var name = path.lowercased()
    if [".parquet", ".parq", ".pq"].contains(where: name.hasSuffix) {
      self = .parquet
      return
    }
    for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
    self = [".json", ".ndjson", ".jsonl"].contains(where: name.hasSuffix) ? .json : .text
  }
}

/// What a path in FROM stands for: a file, the files of a folder, those that a pattern finds, or standard input.
struct FilePaths {
  /// One file, and what tells whether it is still the same.
  struct Stamped: Hashable {
    let path: String
    let byteCount: Int
    /// Whether it can be read again; a pipe or a device cannot.
    let isRegular: Bool
    private let device: UInt64
    private let number: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    fileprivate init(_ path: String, _ status: stat) {
      self.path = path
      isRegular = status.st_mode & S_IFMT == S_IFREG
      byteCount = isRegular ? Int(status.st_size) : 0
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(status.st_ino)
      #if canImport(Glibc)
        let time = status.st_mtim
      #else
        let time = status.st_mtimespec
      #endif
      // A pipe changes as it is read.
      (seconds, nanoseconds) = isRegular ? (time.tv_sec, time.tv_nsec) : (0, 0)
    }
  }
  /// The files, sorted by path; none for standard input.
  let files: [Stamped]
  /// The name of the table: that of the file without its endings.
  let stem: String

  /// Whether all can be read as often as they are asked for; what standard input gives is kept.
  var areRegular: Bool { files.allSatisfy(\.isRegular) }

  /// The path that stands for standard input.
  static let standardInput = "-"

  /// - Throws: 58P01 if there is nothing, 58030 with the system's reason.
  init(_ path: String) throws(SQLError) {
    stem = Self.stem(of: path)
    if path == Self.standardInput {
      files = []
      return
    }
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw SQLError(.invalidParameterValue, "a path is not empty and has no zero bytes")
    }
    if let found = try Self.stamped(path) {
      files = found
      return
    }
    let reason = unsafe String(cString: strerror(errno))
    let matches = path.contains(where: { "*?[".contains($0) }) ? Self.matches(of: path) : []
    var found: [Stamped] = []
    for match in matches { found += try Self.stamped(match) ?? [] }
    files = found
    guard !files.isEmpty else {
      throw SQLError(
        .undefinedFile, "could not open file \"\(path)\" for reading: \(reason)",
        hint: Self.hint(for: path))
    }
  }

  /// The file of a path, or the files in a folder; nil, with `errno`, if there is nothing.
  private static func stamped(_ path: String) throws(SQLError) -> [Stamped]? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [Stamped(path, status)] }
    guard let names = FolderListing.names(in: path) else { return nil }
    var found: [Stamped] = []
    // Writers of many parts leave notes beside them, such as `_SUCCESS`.
    for name in names.sorted() where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let part = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
      guard unsafe stat(part, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      found.append(Stamped(part, status))
    }
    if found.isEmpty {
      throw SQLError(.undefinedFile, "folder \"\(path)\" holds no files")
    }
    return found
  }

  private static func matches(of pattern: String) -> [String] {
    var result = unsafe glob_t()
    defer { unsafe globfree(&result) }
    guard unsafe glob(pattern, 0, nil, &result) == 0 else { return [] }
    return unsafe (0..<Int(result.gl_pathc)).compactMap { index in
      unsafe result.gl_pathv[index].map { unsafe String(cString: $0) }
    }
  }

  /// `students` for `data/students.csv.gz`.
  private static func stem(of path: String) -> String {
    if path == standardInput { return "stdin" }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let end = name.dropFirst().firstIndex(of: ".") ?? name.endIndex
    return HeaderNames.cut(String(name[..<end]))
  }

  /// Names that look alike in the folder that the path names.
  private static func hint(for path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    let known = FolderListing.names(in: folder.isEmpty ? "/" : folder) ?? []
    if let near = nearestNames(to: String(parts.last ?? ""), among: known, limit: 1).first {
      return "Perhaps \"\(near)\" is meant."
    }
    return "A path is looked for from the folder in which the program runs."
  }
}
