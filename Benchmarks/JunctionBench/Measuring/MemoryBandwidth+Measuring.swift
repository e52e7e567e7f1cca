extension MemoryBandwidth {
  /// Measures a plain sum over, and a plain copy of, arrays far larger than the caches.
  static func measured(threads: Int, megabytes: Int = 512) -> MemoryBandwidth {
    let words = megabytes << 17
    let source = Cells<UInt64>(count: words)
    let target = Cells<UInt64>(count: words)
    defer {
      source.free()
      target.free()
    }
    let sums = Cells<Int>(count: threads * 16)
    defer { sums.free() }
    var read = Double.infinity
    var copy = Double.infinity
    // The first round makes the pages.
    for round in 0..<6 {
      var start = Stopwatch.now
      Threads.run(threads) { thread in
        let part = Threads.share(words, thread: thread, of: threads, step: 512)
        target.copy(from: source, at: part.lowerBound, count: part.count, to: part.lowerBound)
      }
      if round > 0 { copy = min(copy, Stopwatch.now - start) }
      if round == 0 { for index in 0..<words { source[index] = UInt64(truncatingIfNeeded: index) } }
      start = Stopwatch.now
      Threads.run(threads) { thread in
        var sum: UInt64 = 0
        for index in Threads.share(words, thread: thread, of: threads, step: 512) {
          sum &+= source[index]
        }
        sums[thread * 16] = Int(truncatingIfNeeded: sum)
      }
      if round > 0 { read = min(read, Stopwatch.now - start) }
    }
    Stopwatch.keep(sums[0])
    let bytes = Double(words * 8)
    // A copy reads and writes each byte once.
    return MemoryBandwidth(
      threads: threads, readBytesPerSecond: bytes / read, copyBytesPerSecond: 2 * bytes / copy)
  }
}
