import Columnar
import Diagnostics
import Parquet
import Storage
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// All pages of a column, read once, row group by row group.
///
/// Threads come to it together, each for some pages: those that come later read row groups as well rather than wait for the first.
final class WholeParquetColumn: Sendable {
  private struct State {
    /// The pages of each row group, of which the first and the last may be parts.
    var vectors: [[Vector]]
    var pages: [Vector]?
    var error: SQLError?
  }
  private let column: ParquetColumn
  private let groups: ParquetRowGroups
  private let state: Mutex<State>
  private let memory: MemoryStretches
  /// The next row group that nobody reads, and how many have been read.
  private let next = Atomic<Int>(0)
  private let done = Atomic<Int>(0)

  init(_ column: ParquetColumn, _ groups: ParquetRowGroups) {
    self.column = column
    self.groups = groups
    state = Mutex(State(vectors: groups.all.map { _ in [] }))
    let width = max(1, column.type.type.physical.stride)
    memory = MemoryStretches(min(groups.rowCount, Int.max / width) * width)
  }

  /// The pages, flat.
  ///
  /// - Complexity: O(1) once they have been read.
  /// - Throws: 22P04 and others for what cannot be read, 57014, 53200; from then on always.
  func pages() throws(SQLError) -> [Vector] {
    if let pages = state.withLock({ $0.pages }) { return pages }
    try RunningStatement.reserve(groups.rowCount * column.type.type.physical.stride)
    parallelFor(tasks: next.load(ordering: .relaxed) == 0 ? parallelWidth : 1) { _ in self.work() }
    // What is left is the end of what others are at.
    while done.load(ordering: .acquiring) < groups.all.count { usleep(100) }
    let (pages, error) = state.withLock { state in
      if state.pages == nil && state.error == nil {
        state.pages = joined(state.vectors)
        state.vectors = []
      }
      return (state.pages, state.error)
    }
    if let error { throw error }
    return pages ?? []
  }

  /// Reads row groups until none is left.
  private func work() {
    while true {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      if index >= groups.all.count { return }
      do throws(SQLError) {
        if state.withLock({ $0.error }) == nil {
          let vectors = try read(groups.all[index])
          state.withLock { $0.vectors[index] = vectors }
        }
      } catch {
        state.withLock { if $0.error == nil { $0.error = error } }
      }
      done.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
  }

  private func read(_ group: ParquetRowGroups.Group) throws(SQLError) -> [Vector] {
    let isWhole =
      !column.isNullable || groups.statistics(of: column, in: group).nullCount == 0
    return try groups.reader(of: column, in: group).readPages(
      group.rows.count, from: group.rows.lowerBound, isWhole: isWhole, in: memory)
  }

  /// Whole pages: some come in parts of two row groups or more.
  private func joined(_ vectors: [[Vector]]) -> [Vector] {
    let capacity = TableStore.pageCapacity
    var pages: [Vector] = []
    var parts: [Vector] = []
    var count = 0
    for vector in vectors.joined() {
      parts.append(vector)
      count += vector.count
      if count < capacity, pages.count * capacity + count < groups.rowCount { continue }
      pages.append(Vector.joined(parts))
      parts = []
      count = 0
    }
    return pages
  }
}

extension Vector {
  /// The values of vectors of one type, one behind another.
  static func joined(_ parts: [Vector]) -> Vector {
    if parts.count == 1 { return parts[0] }
    var builder = VectorBuilder(parts[0].type, capacity: parts.reduce(0) { $0 + $1.count })
    for part in parts { builder.append(part) }
    return builder.finish()
  }
}
