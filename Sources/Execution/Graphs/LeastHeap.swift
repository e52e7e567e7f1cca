/// What waits in a heap until it is the least.
protocol HeapEntry: BitwiseCopyable {
  /// Whether one comes before another; a strict order.
  static func isBefore(_ one: Self, _ other: Self) -> Bool
}

/// Entries of which the least comes out first, in a heap of four children a place.
struct LeastHeap<Entry: HeapEntry> {
  private var entries: [Entry] = []

  var byteCount: Int { MemoryLayout<Entry>.stride * entries.capacity }

  mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// - Complexity: O(log entries).
  mutating func push(_ entry: Entry) {
    var place = entries.count
    entries.append(entry)
    while place > 0 {
      let parent = (place - 1) / 4
      if !Entry.isBefore(entry, entries[parent]) { break }
      entries[place] = entries[parent]
      place = parent
    }
    entries[place] = entry
  }

  /// - Complexity: O(log entries).
  mutating func pop() -> Entry? {
    guard let first = entries.first, let last = entries.popLast() else { return nil }
    if entries.isEmpty { return first }
    var place = 0
    while true {
      let start = 4 * place + 1
      if start >= entries.count { break }
      var least = start
      for child in start + 1..<min(start + 4, entries.count)
      where Entry.isBefore(entries[child], entries[least]) {
        least = child
      }
      if !Entry.isBefore(entries[least], last) { break }
      entries[place] = entries[least]
      place = least
    }
    entries[place] = last
    return first
  }
}
