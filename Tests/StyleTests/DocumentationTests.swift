import Foundation
import Testing

/// A page of the documentation.
private struct Page {
  /// The name without `.md`, by which links call it.
  let name: String
  /// The lines outside of blocks of code, by number.
  let lines: [(number: Int, text: String)]

  /// The pages of the library, by name.
  static let all: [String: Page] = {
    let folder = SourceTree.root.appendingPathComponent("Sources/Junction/Junction.docc")
    var pages: [String: Page] = [:]
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    while let url = files?.nextObject() as? URL {
      guard url.pathExtension == "md", let text = try? String(contentsOf: url, encoding: .utf8)
      else { continue }
      let page = Page(name: url.deletingPathExtension().lastPathComponent, text: text)
      pages[page.name] = page
    }
    return pages
  }()

  private init(name: String, text: String) {
    self.name = name
    var isCode = false
    var lines: [(number: Int, text: String)] = []
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if !isCode {
        lines.append((index + 1, line))
      }
    }
    self.lines = lines
  }

  /// What stands between two marks, with the line.
  func texts(from start: String, to end: String) -> [(line: Int, text: String)] {
    lines.flatMap { line in
      line.text.components(separatedBy: start).dropFirst().enumerated().compactMap { place, rest in
        // Where both marks are the same, every other piece stands between two.
        if start == end && !place.isMultiple(of: 2) { return nil }
        return rest.firstRange(of: end).map { (line.number, String(rest[..<$0.lowerBound])) }
          ?? (start == end ? (line.number, rest) : nil)
      }
    }
  }

  var pageLinks: [(line: Int, text: String)] { texts(from: "<doc:", to: ">") }
  var symbolLinks: [(line: Int, text: String)] { texts(from: "``", to: "``") }
}

@Suite("The documentation holds together:")
struct DocumentationTests {
  private static let targets: Set<String> = ["Junction", "JunctionFoundation", "Diagnostics"]

  private static let declarations = SourceTree.whole.files
    .filter { $0.path.hasPrefix("Sources/") && targets.contains($0.target) }
    .flatMap { file in file.publicDeclarations.map { (file: file.path, declaration: $0) } }

  @Test("symbols that pages link to are public")
  func symbols() {
    var names: Set<String> = ["Junction"]
    for (_, declaration) in Self.declarations {
      names.insert(declaration.path)
      if let labels = declaration.labels { names.insert(declaration.path + labels) }
    }
    #expect(names.contains("Database/fork()") && names.contains("SQLError/state"))
    for page in Page.all.values {
      for (line, symbol) in page.symbolLinks {
        let isPublic = names.contains(symbol)
        #expect(isPublic, "\(page.name).md:\(line): no public symbol \(symbol)")
      }
    }
  }

  @Test("pages that are linked to exist, and every page is reached from the first")
  func pages() {
    var reached: Set<String> = []
    var next = ["Junction"]
    while let name = next.popLast() {
      guard reached.insert(name).inserted, let page = Page.all[name] else { continue }
      for (line, link) in page.pageLinks {
        let isThere = Page.all[link] != nil
        #expect(isThere, "\(name).md:\(line): there is no page \(link)")
        next.append(link)
      }
    }
    for name in Page.all.keys.sorted() {
      let isReached = reached.contains(name)
      #expect(isReached, "\(name).md: no page leads to it")
    }
  }

  @Test("what throws an SQLError says when")
  func errors() {
    #expect(Self.declarations.count > 500)
    for (file, declaration) in Self.declarations where declaration.throwsSQLError {
      let says = declaration.comment.contains { $0.contains("- Throws:") }
      #expect(says, "\(file):\(declaration.line): \(declaration.path) has no \"- Throws:\"")
    }
  }
}
