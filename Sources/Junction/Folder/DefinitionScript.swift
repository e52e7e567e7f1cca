/// The `schema.sql` of a folder in two parts: what any system reads, and what an export puts between
/// `\if :{?JUNCTION}` and `\endif`.
///
/// The second part is run when all rows are there, as rows may have to be counted only then.
struct DefinitionScript {
  private(set) var common: String
  private(set) var own = ""

  /// Both parts are as long as the script, so that errors tell the places of the file.
  init(_ script: String) {
    common = script
    guard script.contains(Self.start) else { return }
    var (first, second) = ("", "")
    var isOwn = false
    for line in script.split(separator: "\n", omittingEmptySubsequences: false) {
      let word = line.last == "\r" ? line.dropLast() : line
      if word == Self.start || word == Self.end {
        isOwn = word == Self.start
        first += Self.blank(line)
        second += Self.blank(line)
      } else {
        first += isOwn ? Self.blank(line) : String(line)
        second += isOwn ? String(line) : Self.blank(line)
      }
      first += "\n"
      second += "\n"
    }
    (common, own) = (first, second)
  }

  private static let start = "\\if :{?JUNCTION}"
  private static let end = "\\endif"

  private static func blank(_ line: Substring) -> String {
    String(repeating: " ", count: line.utf8.count)
  }
}
