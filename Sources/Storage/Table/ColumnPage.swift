import Columnar

/// What a reader needs of a column's page.
struct ColumnSlot: BitwiseCopyable {
  let values: PagePointer<UInt8>
  /// No page where nothing is NULL.
  let validity: PagePointer<UInt64>
  /// Where the point of whole numbers stands that stand for exact ones; negative for all other values.
  let decimals: Int
  /// The bytes of each such number.
  let width: Int
  /// The bytes that the values have room for.
  let byteCount: Int
  let page: UncountedReference<ColumnPage>
}

/// Up to 2,048 values of one column.
///
/// Three things are owned apart, so that touching one does not copy the others: the page itself, the
/// memory of its values, and its validity. Rows are appended in place behind those that readers know;
/// only a change of a row that they may know needs memory of one's own.
final class ColumnPage: VersionedPage, @unchecked Sendable {
  /// The most rows of a page.
  static let capacity = Vector.pageCapacity
  // Sendable by the rule of `VersionedPage`; rows behind a published count are claimed first.
  let owner: Epoch
  /// The values; room for at least as many as were appended.
  var storage: MemoryBlock
  /// How whole numbers stand for exact ones; nil for all other values.
  var digits: DecimalForm?
  /// Whether known rows of `storage` may be overwritten.
  var ownsValues: Bool
  /// Present where not NULL.
  ///
  /// Bits behind the last row are set, so appending a value leaves it alone.
  var validity: ValidityMask
  var ownsValidity: Bool
  /// What keeps the long texts alive.
  var heaps: [TextHeap]
  /// Where long texts of appended rows go.
  var appendHeap: TextHeap?
  /// Where long texts of changed rows go; of this owner alone.
  var updateHeap: TextHeap?
  /// The elements of lists.
  var elements: ListElements?
  /// Bounds of the values, once the page is full.
  var zone: Zone?

  init(owner: Epoch, storage: MemoryBlock) {
    self.owner = owner
    self.storage = storage
    ownsValues = true
    validity = .allValid
    ownsValidity = true
    heaps = []
  }

  var slot: ColumnSlot {
    ColumnSlot(
      values: PagePointer(storage), validity: validity.words.map { PagePointer($0) } ?? .none,
      decimals: digits.map { Int($0.scale) } ?? -1, width: digits?.stride ?? 0,
      byteCount: storage.byteCount,
      page: UncountedReference(self))
  }

  func copy(owner: Epoch) -> ColumnPage {
    let page = ColumnPage(owner: owner, storage: storage)
    page.digits = digits
    page.ownsValues = false
    page.validity = validity
    page.ownsValidity = false
    page.heaps = heaps
    page.appendHeap = appendHeap
    page.elements = elements
    page.zone = zone
    return page
  }

  /// Gives the page memory of its own for `rows` known rows and room for `room`.
  func moveValues(rows: Int, room: Int, stride: Int) {
    let block = MemoryBlock(byteCount: room * stride)
    block.buffer(of: UInt8.self).copy(
      storage.buffer(of: UInt8.self), count: rows * stride, to: 0)
    storage = block
    ownsValues = true
    elements = elements?.moved()
  }

  /// Makes sure that bits of the validity mask may be cleared.
  func ownValidity() {
    if ownsValidity && !validity.isAllValid { return }
    validity =
      validity.isAllValid
      ? .writable(count: Self.capacity) : validity.copy(count: Self.capacity)
    ownsValidity = true
  }

  /// The heap for texts of changed rows.
  func heapForUpdate() -> TextHeap {
    if let updateHeap { return updateHeap }
    let heap = TextHeap(capacity: 256)
    updateHeap = heap
    heaps.append(heap)
    return heap
  }

  /// The heap for texts of appended rows; the caller holds the claim to them.
  func heapForAppend() -> TextHeap {
    if let appendHeap { return appendHeap }
    let heap = TextHeap(capacity: 1024)
    appendHeap = heap
    heaps.append(heap)
    return heap
  }

  /// The most heaps of texts of a page that stands in one vector with others.
  private static let joinedHeapsMax = 2

  /// Whether the values of a page stand `pages` pages behind those of this one in memory, in one form; never for lists.
  func isFollowed(by other: ColumnPage, after pages: Int, _ type: LogicalType) -> Bool {
    elements == nil && other.elements == nil && digits == other.digits
      && heaps.count <= Self.joinedHeapsMax && other.heaps.count <= Self.joinedHeapsMax
      && storage.isFollowed(by: other.storage, after: pages * Self.capacity * stride(type))
  }

  /// The first `count` values of this page and of those behind it, of which `last` is the last.
  ///
  /// - Precondition: the pages follow one another, and `parts` is of all of them.
  func vector(_ type: LogicalType, _ parts: PageParts, through last: ColumnPage, count: Int)
    -> Vector
  {
    Vector(
      type: type, count: count, storage: storage.through(last.storage), validity: parts.validity,
      heaps: parts.heaps, digits: digits)
  }

  /// The first `count` values.
  func vector(_ type: LogicalType, count: Int) -> Vector {
    Vector(
      type: type, count: count, storage: storage, validity: validity,
      children: elements.map { [$0.vector] } ?? [], heaps: heaps, digits: digits)
  }
}

/// What pages that follow one another have beside their values.
struct PageParts {
  private(set) var validity = ValidityMask.allValid
  private(set) var heaps: [TextHeap] = []
  private var filled = 0

  /// Adds the next page, of pages that have `total` values together.
  mutating func add(_ page: ColumnPage, total: Int) {
    let count = min(total - filled, ColumnPage.capacity)
    validity.write(page.validity, count: count, at: filled, capacity: total)
    filled += count
    for heap in page.heaps where !heaps.contains(where: { $0 === heap }) { heaps.append(heap) }
  }
}

/// The elements of the lists on one page, one list behind another.
///
/// - Invariant: bits of the mask behind the last element are set, so that one that is added is present.
struct ListElements: Sendable {
  private(set) var vector: Vector
  private var room: Int

  init(_ type: LogicalType) {
    // With the parts that even no value of a composite type has.
    vector = VectorBuilder(type, capacity: 0).finish()
    room = 0
  }

  /// Elements that were read, whose memory is not to be written to.
  init(reading elements: Vector) {
    vector = Vector(
      type: elements.type, count: elements.count, storage: elements.storage,
      validity: elements.validity.extended(
        elements.count, to: ValidityMask.wordCount(elements.count) * 64),
      children: elements.children, heaps: elements.heaps, digits: elements.digits)
    room = elements.count
  }

  var count: Int { vector.count }

  /// The same elements in memory of their own.
  func moved() -> ListElements {
    var copy = self
    copy.reserve(0, relocating: true)
    return copy
  }

  private mutating func reserve(_ extra: Int, relocating: Bool = false) {
    if vector.type.hasNestedParts { return }
    guard relocating || vector.count + extra > room else { return }
    let stride = vector.type.physical.stride
    room = max(room, vector.count + extra, vector.count * 2, 16)
    let block = MemoryBlock(byteCount: room * stride)
    block.buffer(of: UInt8.self).copy(
      vector.storage.buffer(of: UInt8.self), count: vector.count * stride, to: 0)
    let validity =
      vector.validity.isAllValid ? vector.validity : vector.validity.copy(count: room)
    vector = Vector(type: vector.type, count: vector.count, storage: block, validity: validity)
  }

  /// Adds the elements of `source` at the positions `indices`, in memory no reader looks at.
  ///
  /// Long texts go to `heap`, which the page keeps.
  mutating func append(_ source: Vector, heap: TextHeap) {
    let flat = source.flattened()
    if vector.type.hasNestedParts {
      // Lists and rows inside of lists are rare: they are put together anew.
      var builder = VectorBuilder(vector.type, capacity: vector.count + flat.count)
      if vector.count > 0 { builder.append(vector) }
      builder.append(flat)
      vector = builder.finish()
      room = vector.count
      return
    }
    reserve(flat.count)
    let stride = vector.type.physical.stride
    let start = vector.count
    var validity = vector.validity
    if flat.mayHaveNulls {
      // Readers may be looking at the words: the mask is copied for each stretch with NULLs in it.
      validity = validity.isAllValid ? .writable(count: room) : validity.copy(count: room)
      for row in 0..<flat.count where !flat.validity.isValid(row) {
        validity.setNull(start + row, count: room)
      }
    }
    if vector.type.physical == .text {
      let target = vector.storage.buffer(of: TextView.self)
      let values = flat.values(TextView.self)
      for row in 0..<flat.count {
        target[start &+ row] = flat.validity.isValid(row) ? heap.adopt(values[row]) : TextView()
      }
    } else {
      vector.storage.buffer(of: UInt8.self).copy(
        flat.storage.buffer(of: UInt8.self), count: flat.count * stride, to: start * stride)
    }
    vector = Vector(
      type: vector.type, count: start + flat.count, storage: vector.storage, validity: validity)
  }
}

extension LogicalType {
  /// Whether values of the type have parts that stand in vectors of their own.
  var hasNestedParts: Bool { physical == .list || physical == .record }
}
