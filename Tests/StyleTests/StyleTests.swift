import Foundation
import Testing

@Suite("The house rules hold:")
struct StyleTests {
  /// What each target may import besides the toolchain's modules.
  private static let layers: [String: Set<String>] = [
    "Diagnostics": [],
    "SQLSyntax": ["Diagnostics"],
    "Columnar": ["Diagnostics"],
    "Codecs": ["Diagnostics", "Columnar"],
    "DelimitedText": ["Diagnostics", "Columnar", "Codecs"],
    "Parquet": ["Diagnostics", "Columnar", "Codecs"],
    "Storage": ["Diagnostics", "Columnar"],
    "Durability": ["Diagnostics", "Columnar", "Storage"],
    "Catalog": ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Durability"],
    "Planning": ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Catalog"],
    "Translation": ["Diagnostics", "SQLSyntax", "Columnar", "Catalog", "Planning"],
    "Execution": ["Diagnostics", "SQLSyntax", "Columnar", "Storage", "Catalog", "Planning"],
    "Junction": [
      "Diagnostics", "SQLSyntax", "Columnar", "Codecs", "DelimitedText", "Parquet", "Storage",
      "Durability", "Catalog",
      "Planning", "Translation", "Execution",
    ],
    "JunctionFoundation": ["Diagnostics", "Junction"],
    "JunctionShell": ["Diagnostics", "SQLSyntax", "Columnar", "Catalog", "Junction"],
    "JunctionCLI": ["JunctionShell"],
    "JunctionBench": ["Diagnostics", "Junction"],
  ]

  @Test("imports point down the layers")
  func imports() {
    let own = Set(Self.layers.keys)
    for file in SourceTree.whole.files where file.isProduct {
      let allowed = Self.layers[file.target] ?? []
      for (number, line) in file.lines.enumerated() {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place <= 2, place + 1 < words.count,
          !line.hasPrefix("//")
        else { continue }
        let module = String(words[place + 1])
        let isFine = !own.contains(module) || allowed.contains(module)
        #expect(isFine, "\(file.path):\(number + 1): \(file.target) may not import \(module)")
      }
    }
  }

  @Test("files stay below 800 lines")
  func fileLength() {
    for file in SourceTree.whole.files {
      #expect(file.lines.count <= 800, "\(file.path) has \(file.lines.count) lines: split it")
    }
  }

  @Test("functions stay below 70 lines, tables of cases aside")
  func functionLength() {
    for file in SourceTree.whole.files where file.isProduct {
      for function in file.functions {
        #expect(
          function.length <= 70,
          "\(file.path):\(function.line): \(function.name) has \(function.length) lines")
      }
    }
  }

  /// What may not be written, and what to write instead.
  private static let banned: [(text: String, instead: String)] = [
    ("try!", "handle the error or throw it on"),
    ("as!", "use as? with a guard"),
    ("fatalError(", "throw, or precondition for a rule that only our own code can break"),
    ("unowned(", "hold a strong reference or none"),
    ("-Ounchecked", "bounds are proven once a chunk instead"),
    ("TO" + "DO", "finish it or file an issue"),
    ("FIX" + "ME", "finish it or file an issue"),
  ]

  @Test("banned words are absent", arguments: StyleTests.banned.indices)
  func bannedWords(_ index: Int) {
    let (text, instead) = Self.banned[index]
    for file in SourceTree.whole.files where file.isProduct {
      for (number, line) in file.lines.enumerated() where line.contains(text) {
        let isComment = line.drop { $0 == " " }.hasPrefix("//") && !text.contains("DO")
        #expect(isComment, "\(file.path):\(number + 1): \(text): \(instead)")
      }
    }
  }

  /// Subjects that may be switched over with a `default:`, and why.
  private static let openSubjects: [(ending: String, reason: String)] = [
    (
      "keyword {",
      "the 461 words of the language are as open as text: a place takes those that it knows"
    ),
    ("keyword : .abort {", "as above, where the token is one of them"),
  ]

  @Test("switches over enums name their cases")
  func defaults() {
    for file in SourceTree.whole.files where file.isProduct {
      for found in file.defaultedSwitches where found.isOverEnum {
        let isOpen = Self.openSubjects.contains { found.subject.hasSuffix($0.ending) }
        #expect(
          isOpen, "\(file.path):\(found.line): name the cases, or ask for the few by `if case`")
      }
    }
  }

  /// The most places where a type is Sendable by a rule that the compiler cannot check.
  private static let uncheckedMax = 45

  @Test("few types are Sendable unchecked")
  func uncheckedSendable() {
    var count = 0
    for file in SourceTree.whole.files where file.path.hasPrefix("Sources/") {
      for line in file.lines where line.contains("@unchecked Sendable") { count += 1 }
    }
    #expect(count <= Self.uncheckedMax, "let one owner have it, or make its fields constants")
  }

  @Test("unsafe pointers stay in Columnar/Memory, at system calls and in the tools")
  func unsafePointers() {
    for file in SourceTree.whole.files where file.path.hasPrefix("Sources/") {
      if file.path.hasPrefix("Sources/Columnar/Memory/") { continue }
      let callsSystem = file.lines.contains { $0.contains("import Glibc") }
      for (number, line) in file.lines.enumerated() where line.contains("Unsafe") {
        #expect(callsSystem, "\(file.path):\(number + 1): use the types of Columnar/Memory")
      }
    }
  }

  @Test("the top level holds what it should and nothing else")
  func topLevel() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.path)
      .filter { !$0.hasPrefix(".") }
    #expect(
      Set(names).isSubset(of: [
        "Package.swift", "Sources", "Tests", "Benchmarks", "Datasets", "README.md",
        "Package.resolved",
      ]))
  }

  @Test("the manifest names no package, no C target and no unsafe flag")
  func manifest() throws {
    let url = SourceTree.root.appendingPathComponent("Package.swift")
    let text = try String(contentsOf: url, encoding: .utf8)
    for word in [".package(", "systemLibrary", "unsafeFlags", "publicHeadersPath", "linkedLibrary"]
    {
      #expect(!text.contains(word), "Package.swift must not use \(word)")
    }
  }
}
