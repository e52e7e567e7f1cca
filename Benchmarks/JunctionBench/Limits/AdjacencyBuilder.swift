/// Makes both directions of a relationship from its pairs, checking that they are distinct.
struct AdjacencyBuilder {
  let leftCount: Int
  let rightCount: Int
  let threads: Int

  /// - Returns: the right neighbours of each left row and the left neighbours of each right row, sorted.
  func build(_ pairs: PairFile, name: String) throws(BenchError) -> (Adjacency, Adjacency) {
    let forward = grouped(pairs)
    let bad = Cells<Int>(count: threads)
    defer { bad.free() }
    Threads.run(threads) { thread in
      let rows = Threads.share(leftCount, thread: thread, of: threads)
      bad[thread] = Self.sort(forward, rows)
    }
    for thread in 0..<threads where bad[thread] > 0 {
      throw BenchError("\(name): a pair of key \(bad[thread]) stands there twice")
    }
    return (forward, transposed(forward))
  }

  /// Pairs by their left row, in the file's order: a counting sort whose every pass each thread does for its own pairs.
  private func grouped(_ pairs: PairFile) -> Adjacency {
    let counts = (0..<threads).map { _ in Cells<UInt32>(count: leftCount) }
    defer { for cells in counts { cells.free() } }
    Threads.run(threads) { thread in
      let (left, count) = (pairs.left[thread], counts[thread])
      for index in 0..<pairs.counts[thread] { count[left[index]] &+= 1 }
    }
    let offsets = Self.positions(counts, leftCount)
    let targets = Cells<Int32>(count: pairs.counts.reduce(0, +))
    Threads.run(threads) { thread in
      let (left, right, next) = (pairs.left[thread], pairs.right[thread], counts[thread])
      for index in 0..<pairs.counts[thread] {
        let row = left[index]
        let place = next[row]
        next[row] = place &+ 1
        targets[Int(truncatingIfNeeded: place)] = right[index]
      }
    }
    return Adjacency(offsets: offsets, targets: targets)
  }

  /// The same pairs by their right row; sorted, as each thread goes through its left rows in order.
  private func transposed(_ forward: Adjacency) -> Adjacency {
    let counts = (0..<threads).map { _ in Cells<UInt32>(count: rightCount) }
    defer { for cells in counts { cells.free() } }
    let targets = forward.targets
    Threads.run(threads) { thread in
      let rows = Threads.share(leftCount, thread: thread, of: threads)
      let count = counts[thread]
      for index in forward.start(rows.lowerBound)..<forward.start(rows.upperBound) {
        count[targets[index]] &+= 1
      }
    }
    let offsets = Self.positions(counts, rightCount)
    let sources = Cells<Int32>(count: targets.count)
    Threads.run(threads) { thread in
      let next = counts[thread]
      for row in Threads.share(leftCount, thread: thread, of: threads) {
        for index in forward.start(row)..<forward.end(row) {
          let target = targets[index]
          let place = next[target]
          next[target] = place &+ 1
          sources[Int(truncatingIfNeeded: place)] = Int32(truncatingIfNeeded: row)
        }
      }
    }
    return Adjacency(offsets: offsets, targets: sources)
  }

  /// Turns each thread's counts into the places where it writes, and gives the offsets of the rows.
  private static func positions(_ counts: [Cells<UInt32>], _ rows: Int) -> Cells<UInt32> {
    let offsets = Cells<UInt32>(count: rows + 1)
    var next: UInt32 = 0
    for row in 0..<rows {
      offsets[row] = next
      for cells in counts {
        let count = cells[row]
        cells[row] = next
        next &+= count
      }
    }
    offsets[rows] = next
    return offsets
  }

  /// Sorts the neighbours of each row; the key of a row that has one twice, or 0.
  private static func sort(_ adjacency: Adjacency, _ rows: Range<Int>) -> Int {
    let targets = adjacency.targets
    for row in rows {
      let (start, end) = (adjacency.start(row), adjacency.end(row))
      if end - start > 64 {
        let sorted = (start..<end).map { targets[$0] }.sorted()
        for (index, value) in sorted.enumerated() { targets[start + index] = value }
      } else if end - start > 1 {
        for index in start &+ 1..<end {
          let value = targets[index]
          var place = index
          while place > start, targets[place &- 1] > value {
            targets[place] = targets[place &- 1]
            place &-= 1
          }
          targets[place] = value
        }
      }
      if end - start > 1 {
        for index in start &+ 1..<end where targets[index] == targets[index &- 1] {
          return row + 1
        }
      }
    }
    return 0
  }
}
