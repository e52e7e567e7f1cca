import Foundation
import Testing

@testable import Planning

@Suite("The signatures of graph algorithms")
struct GraphSignatureTests {
  /// The page that lists them.
  private static let page: [String] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = root.appendingPathComponent("Sources/Junction/Junction.docc/GraphAlgorithms.md")
    return ((try? String(contentsOf: page, encoding: .utf8)) ?? "").components(separatedBy: "\n")
  }()

  @Test("are listed in the documentation", arguments: GraphFunction.allCases)
  func listed(function: GraphFunction) throws {
    let row = try #require(
      Self.page.first { $0.hasPrefix("| `\(function.rawValue)` |") },
      "no row for \(function.rawValue)")
    let signature = function.signature
    for name in signature.parameters.map(\.name) + signature.results.map(\.name) {
      #expect(row.contains("`\(name)`"), "\(function.rawValue) has \(name)")
    }
    if signature.takesWeight {
      #expect(row.contains("`weight`"), "\(function.rawValue) takes a weight")
    }
  }

  @Test(
    "have no argument twice, and none by the name of one that all take",
    arguments: GraphFunction.allCases)
  func names(function: GraphFunction) {
    let names = function.signature.parameters.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Set(names).isDisjoint(with: ["graph", "weight", "directed", "of"]))
  }
}
