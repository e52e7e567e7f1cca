/// The names of the files in a database's folder.
package struct FolderFiles: Sendable {
  /// The folder.
  package let path: String

  package init(_ path: String) {
    var path = path
    while path.count > 1 && path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  package var manifest: String { path + "/manifest" }
  package var newManifest: String { path + "/manifest.new" }
  package var lock: String { path + "/lock" }
  package func log(_ generation: UInt64) -> String { path + "/wal.\(generation)" }
  package func snapshot(_ generation: UInt64) -> String { path + "/snapshot.\(generation)" }
  package func newSnapshot(_ generation: UInt64) -> String { path + "/snapshot.\(generation).new" }

  /// The folder that holds the database's folder.
  package var parent: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}

/// What a name in the folder means.
enum FolderEntry: Hashable {
  case manifest
  case lock
  case log(UInt64)
  case snapshot(UInt64)
  /// What was being written and has no meaning until it is renamed.
  case unfinished
  /// Somebody else's.
  case foreign

  init(_ name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    switch parts.count {
    case 1 where name == "manifest": self = .manifest
    case 1 where name == "lock": self = .lock
    case 2 where name == "manifest.new": self = .unfinished
    case 2:
      guard let generation = Self.generation(parts[1]) else {
        self = .foreign
        return
      }
      switch parts[0] {
      case "wal": self = .log(generation)
      case "snapshot": self = .snapshot(generation)
      default: self = .foreign
      }
    case 3 where parts[0] == "snapshot" && parts[2] == "new" && Self.generation(parts[1]) != nil:
      self = .unfinished
    default: self = .foreign
    }
  }

  /// A number in its one spelling.
  private static func generation(_ text: Substring) -> UInt64? {
    guard let number = UInt64(text), number > 0, String(number) == text else { return nil }
    return number
  }
}
