import Columnar

/// Rows of a result that are edges, as they are found.
final class EdgeRows {
  private let sources: Buffer<UInt32>
  private let targets: Buffer<UInt32>
  private(set) var count = 0

  /// - Precondition: both have room for all that will be appended.
  init(_ sources: Buffer<UInt32>, _ targets: Buffer<UInt32>) {
    (self.sources, self.targets) = (sources, targets)
  }

  func append(_ source: UInt32, _ target: UInt32) {
    sources[count] = source
    targets[count] = target
    count += 1
  }

  /// All rows, with values by their order.
  func result(_ columns: [GraphResult.Column]) -> GraphResult {
    GraphResult(rows: .listed([sources, targets], count: count), columns: columns)
  }
}
