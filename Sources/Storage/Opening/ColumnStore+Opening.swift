package import Columnar
import Synchronization

extension ColumnPage {
  /// A page as it was read, whose memory is not to be written to.
  ///
  /// - Precondition: the memory ends with the last row, so that rows that are added find no room in it; a mask has room
  ///   for all rows of a page, and bits behind the last row are set.
  convenience init(reading contents: PageContents, owner: Epoch) {
    let values = contents.values.narrowest()
    self.init(owner: owner, storage: values.storage)
    ownsValues = false
    ownsValidity = false
    digits = values.digits
    validity = values.validity
    assert(
      validity.words.map { $0.count == Self.capacity / 64 } ?? true
        && (values.count..<Self.capacity).allSatisfy { validity.isValid($0) },
      "a mask is that of a whole page")
    heaps = values.heaps
    zone = contents.zone
    if values.type.physical == .list, let elements = values.children.first {
      self.elements = ListElements(reading: elements)
    }
  }

  /// A page of values that can do no harm.
  fileprivate convenience init(
    substituting type: LogicalType, by zeroes: MemoryBlock, owner: Epoch
  ) {
    self.init(owner: owner, storage: zeroes)
    ownsValues = false
    if case .array(let element) = type { elements = ListElements(element) }
    if case .enumeration = type { validity = .noneValid(count: Self.capacity) }
  }
}

/// Memory that stands for all that cannot be read: a page for each would be more than there is, where a file claims rows at will.
private final class Zeroes: Sendable {
  private let block = Mutex<MemoryBlock?>(nil)

  func block(_ byteCount: Int) -> MemoryBlock {
    block.withLock { block in
      if let block, block.byteCount == byteCount { return block }
      let made = MemoryBlock(byteCount: byteCount, zeroed: true)
      block = made
      return made
    }
  }
}

extension ColumnStore {
  /// A column whose pages are read when they are first touched.
  ///
  /// Of `summaries` those of the column and, behind it, of its fields are taken away. Its row groups stand where
  /// `origin` says, followed by those of its fields.
  init(
    opening type: LogicalType, rowCount: Int, summaries: inout ArraySlice<[GroupSummary]>,
    origin: SectionOrigin
  ) {
    self.init(type)
    let epoch = Epoch.next()
    self.summaries = (summaries.popFirst() ?? []).map {
      ColumnSummary(owner: epoch, zone: $0.zone, sketch: DistinctSketch(registers: $0.registers))
    }
    let pageCount = (rowCount + ColumnPage.capacity - 1) / ColumnPage.capacity
    let zeroes = Zeroes()
    pages = PageTree(pageCount: pageCount, origin: origin) { group in
      let rows = Self.rows(ofGroup: group, rowCount)
      let read = origin.source.columnPages(origin.first + group, type, rows: rows)
      if let read { return read.map { ColumnPage(reading: $0, owner: epoch) } }
      return rows.map { count in
        let memory = zeroes.block(count * type.physical.stride)
        return ColumnPage(substituting: type, by: memory, owner: epoch)
      }
    }
    guard case .record(let record) = type else { return }
    var next = origin.first + (pageCount + 63) / 64
    fields = record.fields.map { field in
      let column = ColumnStore(
        opening: field.type, rowCount: rowCount, summaries: &summaries,
        origin: SectionOrigin(origin.source, first: next))
      next += column.leafCount * ((pageCount + 63) / 64)
      return column
    }
  }

  /// How many rows the pages of a group have.
  static func rows(ofGroup group: Int, _ rowCount: Int) -> [Int] {
    let pageCount = (rowCount + ColumnPage.capacity - 1) / ColumnPage.capacity
    return ((group * 64)..<min(pageCount, group * 64 + 64)).map {
      min(ColumnPage.capacity, rowCount - $0 * ColumnPage.capacity)
    }
  }

  /// Whether pages may stand on disk alone.
  package var isLazy: Bool { pages.lazy != nil }

  /// The values at positions, read where they stand on disk; nil if so much was read of the column that its row groups are
  /// in place or better put there.
  ///
  /// A row group takes as long to be put in place as thousands of its values to be read by themselves.
  package func scattered(_ positions: Buffer<UInt32>, count: Int) -> Vector? {
    guard let lazy = pages.lazy, !lazy.isComplete, lazy.mayScatter(count) else { return nil }
    return sample(positions, count: count)
  }

  /// The values at positions, for an estimate.
  package func look(_ positions: Buffer<UInt32>, count: Int) -> Vector {
    sample(positions, count: count) ?? gather(positions, count: count)
  }

  /// As `scattered`, for an estimate: it is not counted.
  private func sample(_ positions: Buffer<UInt32>, count: Int) -> Vector? {
    guard let lazy = pages.lazy, !lazy.isComplete, fields.isEmpty, pages.isUnchanged,
      let origin = lazy.origin
    else { return nil }
    return origin.source.columnValues(from: origin.first, type, at: positions, count: count)
  }

  /// The column and, behind it, its fields.
  package var leaves: [ColumnStore] { [self] + fields.flatMap(\.leaves) }

  private var leafCount: Int { 1 + fields.reduce(0) { $0 + $1.leafCount } }

  /// What is written of the first `count` rows of a page; of a composite type without the fields.
  package func contents(ofPage page: Int, count: Int) -> PageContents {
    let stored = pages[page]
    return PageContents(stored.vector(type, count: count), zone: stored.zone)
  }

  /// The section that a row group stands in unchanged.
  package func section(ofGroup group: Int) -> (source: any SectionSource, section: Int)? {
    pages.section(ofGroup: group)
  }

  /// What is known of each row group.
  ///
  /// A table without sketches is not meant to be kept, so that an empty one will do.
  package var groupSummaries: [GroupSummary] {
    summaries.map {
      GroupSummary(zone: $0.zone, registers: ($0.sketch ?? DistinctSketch()).registers)
    }
  }
}
