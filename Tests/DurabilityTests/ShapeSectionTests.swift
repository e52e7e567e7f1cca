import Columnar
import Diagnostics
import Storage
import Testing

@testable import Durability

@Suite("What is said of a table without its rows")
struct ShapeSectionTests {
  @Test(
    "is refused where a mask is of a page that is not there",
    arguments: [1, 2, 1 << 40, Int.max >> 10, Int.max])
  func maskOfNoPage(_ page: Int) {
    var writer = ByteWriter()
    // Rows, live rows, and one mask.
    for count in [10, 10, 1, page] { writer.append(count: count) }
    for _ in 0..<40 { writer.append(word: .max) }
    let error = #expect(throws: SQLError.self) {
      var reader = ByteReader(writer.bytes)
      _ = try ShapeSection.read(&reader, [.integer])
    }
    #expect(error?.state == .dataCorrupted)
  }
}
