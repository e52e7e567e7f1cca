#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files that may be meant.
enum FileNames {
  /// The files and folders whose paths begin with what was typed, in the words in which it was typed.
  static func beginning(_ typed: String) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    // Names that begin with a dot are hidden, until somebody types the dot.
    let showsHidden = typed.dropFirst(folder.count).first == "."
    return entries(of: folder.isEmpty ? "." : Shell.expandedPath(folder))
      .filter { showsHidden || !$0.hasPrefix(".") }.map { folder + $0 }
      .filter { $0.hasPrefix(typed) }.sorted()
  }

  /// The names of time zones that have a place in the system's folder, such as `Europe/Berlin`.
  static var timeZones: [String] {
    let root = "/usr/share/zoneinfo/"
    let regions = [
      "Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific",
    ]
    return regions.flatMap { region in
      entries(of: root + region).filter { !$0.hasSuffix("/") }.map { region + "/" + $0 }
    }.sorted()
  }

  /// What is in a folder; folders end with a slash.
  private static func entries(of folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      let isFolder = unsafe entry.pointee.d_type == 4
      names.append(name + (isFolder ? "/" : ""))
    }
    return names
  }
}
