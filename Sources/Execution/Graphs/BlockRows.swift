import Diagnostics

/// Rows that one worker finds, of which nobody knows before how many there are; those of all workers come out in the order of the blocks
/// that they were found in.
final class BlockRows<Row: BitwiseCopyable> {
  private var rows: [Row] = []
  /// The blocks that are done: where each starts, and where its rows end.
  private var blocks: [(start: Int, end: Int)] = []
  /// The worker's own, as workers may not share one.
  private let account = MemoryAccount()
  private var charged = 0

  init(_ work: GraphWork) { account.reset(work.context) }

  var count: Int { rows.count }

  @inline(__always)
  func append(_ row: Row) { rows.append(row) }

  /// Ends the rows of the block that starts at a place.
  ///
  /// - Throws: 53200.
  func endBlock(_ start: Int) throws(SQLError) {
    blocks.append((start, rows.count))
    if rows.capacity > charged {
      try account.charge((rows.capacity - charged) * MemoryLayout<Row>.stride)
      charged = rows.capacity
    }
  }

  /// Hands over the rows of all workers and the place of each.
  static func forEach(
    _ workers: [BlockRows], _ work: GraphWork, _ body: (Int, Row) -> Void
  ) throws(SQLError) {
    var all: [(start: Int, worker: Int, rows: Range<Int>)] = []
    for (number, worker) in workers.enumerated() {
      var first = 0
      for block in worker.blocks {
        all.append((block.start, number, first..<block.end))
        first = block.end
      }
    }
    all.sort { $0.start < $1.start }
    var next = 0
    for (index, block) in all.enumerated() {
      if index & 0xFF == 0 { try work.check() }
      let rows = workers[block.worker].rows
      for place in block.rows {
        body(next, rows[place])
        next += 1
      }
    }
  }
}
