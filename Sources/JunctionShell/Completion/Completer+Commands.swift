import Catalog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Completer {
  /// Meta-commands and their arguments.
  func completeCommand(_ text: String) -> Completion {
    let line = text.drop(while: \.isWhitespace)
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    let typed = words.last.map(String.init) ?? ""
    guard words.count > 1 else { return beginning(typed, Self.commands) }
    switch words[0] {
    case "\\pset":
      return words.count == 2
        ? beginning(typed, Self.printOptions)
        : beginning(typed, Self.printValues[String(words[1])] ?? [])
    case "\\set", "\\unset", "\\getenv": return beginning(typed, variables)
    case "\\x", "\\timing", "\\t": return beginning(typed, ["on", "off", "auto"])
    case "\\i", "\\ir", "\\o", "\\w", "\\cd", "\\import", "\\open", "\\save", "\\dump",
      "\\g":
      return beginning(typed, Self.files(typed))
    case "\\dG", "\\dG+":
      return beginning(typed, catalog.graphs.values.map { displayName($0.name) }.sorted())
    case "\\erd", "\\erd+": return completeDrawing(words.dropFirst().dropLast(), typed)
    case "\\nav", "\\explore":
      let names = Diagram.drawableTables(catalog).map { displayName($0.name) }
      return words.count == 2
        ? beginning(typed, names) : Completion(replaced: 0, words: [])
    case "\\into":
      return words.count == 2
        ? beginning(typed, relationships) : Completion(replaced: 0, words: [])
    case "\\dn": return beginning(typed, catalog.schemas.sorted())
    case "\\df", "\\sf":
      return beginning(typed, catalog.functionNames.keys.map(displayName).sorted())
    case "\\copy" where words.count > 3: return beginning(typed, Self.files(typed))
    default:
      guard words[0].hasPrefix("\\d") || words[0] == "\\copy" || words[0] == "\\sv" else {
        return Completion(replaced: 0, words: [])
      }
      return beginning(typed, catalog.relations.keys.map(displayName).sorted())
    }
  }

  /// After a format stands a file; before it formats, `full` and tables.
  private func completeDrawing(_ before: ArraySlice<Substring>, _ typed: String) -> Completion {
    let formats = DrawingRequest.Format.allCases.map(\.rawValue)
    if let last = before.last, formats.contains(String(last)) {
      return beginning(typed, Self.files(typed))
    }
    if before.contains(where: { formats.contains(String($0)) }) {
      return Completion(replaced: 0, words: [])
    }
    let tables = Diagram.drawableTables(catalog).map { displayName($0.name) }
    return beginning(typed, formats + [DrawingRequest.fullWord] + tables)
  }

  private func beginning(_ typed: String, _ words: [String]) -> Completion {
    Completion(replaced: typed.count, words: words.filter { $0.hasPrefix(typed) })
  }

  /// The files and folders whose paths begin with what was typed.
  private static func files(_ typed: String) -> [String] {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    guard let directory = unsafe opendir(folder.isEmpty ? "." : folder) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      let isFolder = unsafe entry.pointee.d_type == 4
      names.append(folder + name + (isFolder ? "/" : ""))
    }
    return names.sorted()
  }

  static let commands = [
    "\\?", "\\a", "\\cd", "\\conninfo", "\\copy", "\\d", "\\d+", "\\dG", "\\dT", "\\df", "\\di",
    "\\dn", "\\ds", "\\dt", "\\dump", "\\dv", "\\e", "\\echo", "\\elif", "\\else", "\\encoding",
    "\\endif",
    "\\erd", "\\errverbose", "\\explore", "\\f", "\\g", "\\gdesc", "\\getenv", "\\gexec", "\\gset",
    "\\gx", "\\h", "\\i", "\\if", "\\import", "\\into", "\\ir", "\\l", "\\nav", "\\o", "\\open",
    "\\p", "\\prompt", "\\pset", "\\q", "\\qecho", "\\r", "\\s", "\\save", "\\select", "\\set",
    "\\sf", "\\stack", "\\sv", "\\t", "\\timing", "\\unset", "\\up", "\\w", "\\warn", "\\watch",
    "\\x",
  ]
  static let printOptions = [
    "border", "csv_fieldsep", "expanded", "fieldsep", "footer", "format", "linestyle", "null",
    "pager", "recordsep", "title", "tuples_only",
  ]
  static let printValues = [
    "format": ["aligned", "csv", "html", "json", "markdown", "unaligned"],
    "border": ["0", "1", "2"], "linestyle": ["ascii", "unicode"],
    "expanded": ["auto", "off", "on"], "footer": ["off", "on"], "tuples_only": ["off", "on"],
    "pager": ["always", "off", "on"],
  ]
}
