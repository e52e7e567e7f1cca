import Columnar
import Testing

@testable import Storage

@Suite("The lists of an index as they are written")
struct ListImageTests {
  /// From every edge on, and in pieces of all lengths, the same is read as list by list.
  @Test("are read from any edge on", arguments: 0..<6)
  func cursor(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let hasRows = seed % 2 == 0
    var index = AdjacencyIndex(hasEdgeRows: hasRows)
    if seed > 1 {
      // Built in bulk, where long lists stand apart and others beside each other.
      let count = 6000
      let sources = Buffer<UInt32>(uninitialized: count)
      let targets = Buffer<UInt32>(uninitialized: count)
      for edge in 0..<count {
        sources[edge] = UInt32(
          edge % 3 == 0 ? generator.below(3) * 70 : generator.below(seed == 2 ? 900 : 5000))
        targets[edge] = UInt32(generator.below(100_000))
      }
      _ = try index.build(
        EdgeList(sources: sources, targets: hasRows ? targets : nil, count: count),
        isUnique: false, epoch: Epoch.next())
    }
    let epoch = Epoch.next()
    for edge in 0..<3000 {
      let source = UInt32(generator.below(3) == 0 ? 64 : generator.below(400))
      let target = UInt32(100_000 + edge)
      index.insert(source, target, row: hasRows ? UInt32(edge) : target, epoch: epoch)
    }
    let pageCount = index.pages.count
    for group in 0..<((pageCount + 63) / 64) {
      let image = index.image(ofGroup: group, pageCount: pageCount)
      let first = group * AdjacencyIndex.groupSourceCount
      var (targets, rows, degrees): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
      for source in first..<(first + image.degrees.count) {
        let list = index.neighbours(of: UInt32(source))
        degrees.append(UInt32(list.count))
        for run in 0..<list.runCount {
          targets += list.run(run).targets.array(list.run(run).count)
          rows += list.run(run).rows.array(list.run(run).count)
        }
      }
      #expect(image.degrees.array(image.degrees.count) == degrees)
      #expect(image.edgeCount == targets.count)
      let buffer = Buffer<UInt32>(uninitialized: targets.count + 3)
      for start in stride(from: 0, through: targets.count, by: 37) {
        var cursor = image.targets(from: start)
        cursor.read(targets.count - start, to: buffer, at: 3)
        #expect(buffer.array(buffer.count)[3..<(3 + targets.count - start)] == targets[start...])
      }
      var cursor = image.rows()
      var place = 0
      while place < rows.count {
        let count = min(rows.count - place, generator.below(300))
        cursor.read(count, to: buffer, at: place)
        place += count
      }
      #expect(buffer.array(rows.count) == rows)
    }
  }
}
