import Columnar
import Diagnostics

/// Sums for each vertex over many searches, done by all workers.
///
/// Sources are cut into so many stretches, whatever the number of workers; each has sums of its own, which are added
/// up in their order. So the sums of fractions are the same however many workers there are.
struct BatchSums<Element: AdditiveArithmetic & BitwiseCopyable & Sendable>: Sendable {
  private let sums: [Buffer<Element>]
  private let count: Int
  /// So many sources belong together.
  let stretchSize: Int

  /// - Complexity: up to 16 elements a vertex; up to 64 in small graphs.
  /// - Throws: 53200.
  init(_ count: Int, sources: Int, multipleOf unit: Int = 1, _ work: GraphWork) throws(SQLError) {
    self.count = count
    let most = count <= 1 << 16 ? 64 : 16
    let units = (sources + unit - 1) / unit
    stretchSize = max(1, (units + most - 1) / most) * unit
    var sums: [Buffer<Element>] = []
    for _ in stride(from: 0, to: sources, by: stretchSize) {
      sums.append(try work.buffer(.zero, count: count))
    }
    self.sums = sums
  }

  /// The sums of the stretch that begins at a source.
  func of(_ start: Int) -> Buffer<Element> { sums[start / stretchSize] }

  /// All sums, by vertex.
  func total(_ work: GraphWork) throws(SQLError) -> Buffer<Element> {
    let total = try work.buffer(Element.zero, count: count)
    try work.forEachBlock(count) { range in
      for part in sums {
        for vertex in range { total[vertex] += part[vertex] }
      }
    }
    return total
  }
}
