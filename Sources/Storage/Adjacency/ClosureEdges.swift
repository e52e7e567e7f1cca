import Columnar

/// Edges that stand all behind each other, those of a row after those of the row before.
struct ClosureEdges {
  /// Where the edges of each row begin; one more than there are rows.
  let starts: PagePointer<UInt32>
  /// Where edges lead.
  let targets: PagePointer<UInt32>
  let rowCount: Int
  private let memory: (starts: Buffer<UInt32>, targets: Buffer<UInt32>)

  /// How many more targets may be read than there are edges.
  static let slack = 2

  /// The bytes held.
  static func byteCount(rowCount: Int, edgeCount: Int) -> Int {
    (edgeCount + slack + rowCount + 1) * MemoryLayout<UInt32>.size
  }

  /// Edges that stand there already.
  ///
  /// - Precondition: there is one more start than there are rows, and `slack` more targets than edges.
  init(starts: Buffer<UInt32>, targets: Buffer<UInt32>, rowCount: Int) {
    memory = (starts, targets)
    self.starts = PagePointer(starts)
    self.targets = PagePointer(targets)
    self.rowCount = rowCount
  }

  /// A copy of the edges of an index.
  ///
  /// - Precondition: there are fewer than 2³² edges.
  /// - Complexity: O(rows + edges).
  init(_ adjacency: AdjacencyIndex, rowCount: Int) {
    let ownStarts = Buffer<UInt32>(uninitialized: rowCount + 1)
    let ownTargets = Buffer<UInt32>(uninitialized: adjacency.edgeCount + Self.slack)
    self.init(starts: ownStarts, targets: ownTargets, rowCount: rowCount)
    let lists = adjacency.wholeListReader
    var next = 0
    for first in stride(from: 0, to: rowCount, by: AdjacencyPage.sourceCount) {
      let rows = first..<min(first &+ AdjacencyPage.sourceCount, rowCount)
      if let slot = lists.slot(first &>> AdjacencyPage.shift), slot.longs == 0 {
        for row in rows {
          let start = UInt32(truncatingIfNeeded: next) &+ slot.offsets[row &- first]
          starts.store(start, at: row)
        }
        let count = Int(truncatingIfNeeded: slot.offsets[AdjacencyPage.sourceCount])
        for edge in 0..<count { targets.store(slot.targets[edge], at: next &+ edge) }
        next &+= count
        continue
      }
      for row in rows {
        starts.store(UInt32(truncatingIfNeeded: next), at: row)
        let list = adjacency.neighbours(of: UInt32(truncatingIfNeeded: row))
        for index in 0..<list.runCount {
          let run = list.run(index)
          ownTargets.copy(run.targets, count: run.count, to: next)
          next &+= run.count
        }
      }
    }
    starts.store(UInt32(truncatingIfNeeded: next), at: rowCount)
    for edge in 0..<Self.slack { targets.store(0, at: next &+ edge) }
  }

  /// The number of edges.
  var count: Int { Int(truncatingIfNeeded: starts[rowCount]) }

  /// The edges of a row.
  @inline(__always)
  func range(_ row: Int) -> Range<Int> {
    Int(truncatingIfNeeded: starts[row])..<Int(truncatingIfNeeded: starts[row &+ 1])
  }

  /// Whether the first edge that there is leads to an earlier row.
  var firstFalls: Bool {
    for row in 0..<rowCount {
      if let edge = range(row).first { return Int(truncatingIfNeeded: targets[edge]) < row }
    }
    return true
  }
}
