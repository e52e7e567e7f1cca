import Foundation
import Testing

#if os(Linux)
  /// A block of code of a page.
  private struct CodeBlock {
    let page: String
    /// What stands behind the marks that open it.
    let language: Substring
    /// The number of its first line in the page.
    let line: Int
    let lines: [String]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The blocks in the pages of the library and in the README, in order.
    static let all: [CodeBlock] = {
      let catalog = root.appendingPathComponent("Sources/Junction/Junction.docc")
      let files = FileManager.default.enumerator(at: catalog, includingPropertiesForKeys: nil)
      var pages = [root.appendingPathComponent("README.md")]
      while let url = files?.nextObject() as? URL {
        if url.pathExtension == "md" { pages.append(url) }
      }
      return pages.sorted { $0.path < $1.path }.flatMap(blocks)
    }()

    private static func blocks(of page: URL) -> [CodeBlock] {
      let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
      var blocks: [CodeBlock] = []
      var open: (language: Substring, line: Int, lines: [String])?
      for (index, line) in text.components(separatedBy: "\n").enumerated() {
        if let block = open, line == "```" {
          let name = page.deletingPathExtension().lastPathComponent
          blocks.append(
            CodeBlock(
              page: name, language: block.language, line: block.line, lines: block.lines))
          open = nil
        } else if line.hasPrefix("```") {
          open = (line.dropFirst(3), index + 2, [])
        } else {
          open?.lines.append(line)
        }
      }
      return blocks
    }

    /// The file of the examples that the block says it is a part of.
    var source: String? {
      guard let first = lines.first, first.dropFirst(3).hasPrefix("Tests/Examples/") else {
        return nil
      }
      return String(first.dropFirst(3))
    }

    /// Whether the lines below the first stand in the file it names, but for indentation.
    func stands(in file: String) throws -> Bool {
      let url = Self.root.appendingPathComponent(file)
      let written = try String(contentsOf: url, encoding: .utf8)
      return Self.unindented(written.components(separatedBy: "\n"))
        .contains(Self.unindented(Array(lines.dropFirst())))
    }

    private static func unindented(_ lines: [String]) -> String {
      lines.map { String($0.drop { $0 == " " }) + "\n" }.joined()
    }

    /// A function with the block as its body, whose errors are told by page and line.
    func function(number: Int, values: String) -> String {
      let body = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
      let effects = body.contains("await ") ? "async throws" : "throws"
      let imports = lines.count { $0.hasPrefix("import ") }
      return """
        \(body.contains("Live(") ? "@MainActor " : "")func block\(number)(_ database: Database) \(effects) {
        \(values)
        do {
        #sourceLocation(file: "\(page).md", line: \(line + imports))
        \(body)
        #sourceLocation()
        }
        }

        """
    }
  }

  @Suite("The code in the pages")
  struct PageExampleTests {
    /// Records that pages use without showing them; a block with its own hides them.
    private static let records = """
      import Foundation
      import Junction
      import JunctionFoundation
      struct Student: Record, Hashable {
        var id: Int?
        var firstName: String?
        var lastName: String?
        struct Relations: Sendable {
          let courses = Many<Course>()
          let enrolments = Through<Enrolment, Course>()
        }
        static let relations = Relations()
      }
      struct Course: Record, Hashable {
        var id: Int?
        var shortCode: String?
        var name: String?
        struct Relations: Sendable { let students = Many<Student>() }
        static let relations = Relations()
      }
      struct Enrolment: Record {
        var studentID: Int
        var courseID: Int
        var mark: Double?
        static let table = "enrols_in"
      }
      struct Session: Record {
        var id: Int?
        var title: String
        struct Relations: Sendable { let presenters = Many<Presenter>() }
        static let relations = Relations()
      }
      struct Presenter: Record {
        var id: Int?
        var name: String
        struct Relations: Sendable { let sessions = Many<Session>() }
        static let relations = Relations()
      }
      struct OnlineLink: Record {
        var id: Int?
        var presenterID: Int?
        var url: String
      }
      struct Fact: Record {
        var id: Int?
        var value: String
        var isArchived = false
      }
      struct NewCourse: Codable, Sendable {
        var shortCode: String
        var name: String
      }
      struct Settings: Codable { var colour: String }
      func show<T>(_ value: T) {}

      """

    /// What stands before the blocks of a page.
    private static let values: [String: String] = [
      "Records": """
      let (db, n, required) = (database, 3, [Course]())
      let (john, drama, maths, changed) = (Student(), Course(), Course(), Course())
      let session = Session(title: "Macros")
      """,
      "LiveQueries": "let john = Student()",
      "Migrations": "var migrations = Migrations()",
      "ServerClients": """
      let courses = database.from("course").select()
      let rows = [NewCourse(shortCode: "ADA3M", name: "Drama")]
      """,
      "StillAvailable": "let john = Student(id: 1)",
      "AnalyticsColumns": "let rows = try database.query(\"SELECT mark FROM mark\")",
      "Values": """
      let (id, ids, marks, courses) = (1, [1, 2], [1.5, 2.5], [Course]())
      let rows = try database.query("SELECT mark FROM result")
      """,
    ]

    @Test("compiles")
    func compiles() throws {
      var source = Self.records
      let blocks = CodeBlock.all.filter { $0.language == "swift" && $0.source == nil }
      for (number, block) in blocks.enumerated() {
        source += block.function(number: number, values: Self.values[block.page] ?? "")
      }
      #expect(blocks.count > 20)
      let said = try SwiftCompiler.complaints(source, options: ["-suppress-warnings"])
      #expect(said == "")
    }

    @Test("stands in the example that it is said to be from")
    func quotations() throws {
      for block in CodeBlock.all {
        guard let file = block.source else { continue }
        #expect(try block.stands(in: file), "\(block.page).md:\(block.line): not in \(file)")
      }
    }
  }
#endif
