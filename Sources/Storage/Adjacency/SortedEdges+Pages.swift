import Columnar
import Diagnostics
import Synchronization

/// Which of the memory that a bulk build gives to an index is the index's alone.
///
/// That is parted, so that what changes have made useless of it goes back to the system, however long the rest stays.
struct BulkMemory {
  static let shared = BulkMemory(ownsTargets: false, ownsRows: false)

  let ownsTargets: Bool
  let ownsRows: Bool
  /// Whether rows are copied to memory in which they are packed, and none of the memory that they were sorted in stays.
  var packsRows = false

  /// The edges of a range, which are let go of together.
  ///
  /// - Precondition: ranges do not overlap.
  func piece(
    _ targets: Buffer<UInt32>, _ rows: Buffer<UInt32>?, _ range: Range<Int>
  ) -> (targets: Buffer<UInt32>, rows: Buffer<UInt32>?) {
    (
      ownsTargets ? targets.part(range) : targets.slice(range),
      ownsRows && !packsRows ? rows?.part(range) : rows?.slice(range)
    )
  }

  /// The rows of some stretches of edges, packed; none where they stay as they are.
  func packed(_ rows: Buffer<UInt32>?, _ stretches: [Range<Int>]) -> [NumberStretch] {
    guard packsRows, let rows else { return [] }
    return NumberStretch.packing(rows, stretches)
  }
}

extension SortedEdges {
  /// Cuts the edges into pages.
  func makePages(epoch: Epoch) throws(SQLError) -> [AdjacencyPage] {
    let width = AdjacencyFrame.wordCount
    let offsets = Buffer<UInt32>(uninitialized: pageCount * width)
    let slots = PageSlots(count: (pageCount + 63) / 64)
    try parallelForThrowing(tasks: (pageCount + 63) / 64) { (task) throws(SQLError) in
      let range = (task * 64)..<min(pageCount, task * 64 + 64)
      let longest = range.map { page in
        fill(page, offsets.slice((page * width)..<((page + 1) * width)))
      }
      slots.set(makeGroup(range, longest, offsets, epoch), at: task)
    }
    targets.block.settle()
    if !memory.packsRows { rows?.block.settle() }
    return slots.pages()
  }

  /// Notes where the lists of a page begin, and gives the length of the longest.
  private func fill(_ page: Int, _ own: Buffer<UInt32>) -> UInt32 {
    let first = page << AdjacencyPage.shift
    let start = starts[first]
    var longest: UInt32 = 0
    for list in 0...AdjacencyPage.sourceCount {
      own[list] = starts[first + list] &- start
      if list > 0 { longest = max(longest, own[list] &- own[list - 1]) }
    }
    return longest
  }

  private func makeGroup(
    _ pages: Range<Int>, _ longest: [UInt32], _ offsets: Buffer<UInt32>, _ epoch: Epoch
  ) -> [AdjacencyPage] {
    let all = edges(pages)
    let isWhole = pages.indices.allSatisfy { page in
      !AdjacencyPage.hasListsApart(edges(page..<(page + 1)).count, longest[page - pages.lowerBound])
    }
    // Pages without lists apart are packed together when they have changed, and so are one piece.
    let piece = isWhole ? memory.piece(targets, rows, all) : nil
    let packed =
      isWhole
      ? memory.packed(rows, pages.map { edges($0..<($0 + 1)) }) : []
    let width = AdjacencyFrame.wordCount
    return pages.map { page in
      let range = edges(page..<(page + 1))
      let own = offsets.slice((page * width)..<((page + 1) * width))
      if let piece {
        let within = (range.lowerBound - all.lowerBound)..<(range.upperBound - all.lowerBound)
        return AdjacencyPage(
          owner: epoch, offsets: own, targets: piece.targets.slice(within),
          rows: packed.isEmpty
            ? piece.rows.map { NumberStretch($0.slice(within)) }
            : packed[page - pages.lowerBound])
      }
      return AdjacencyPage.cut(
        own, longest: longest[page - pages.lowerBound], targets.slice(range), rows?.slice(range),
        memory, epoch)
    }
  }

  private func edges(_ pages: Range<Int>) -> Range<Int> {
    let shift = AdjacencyPage.shift
    return Int(starts[pages.lowerBound << shift])..<Int(starts[pages.upperBound << shift])
  }
}

extension AdjacencyPage {
  /// Whether lists of a page are too long to stand in its stretch.
  static func hasListsApart(_ edgeCount: Int, _ longest: UInt32) -> Bool {
    edgeCount > edgeLimit || longest > UInt32(listLimit)
  }

  /// A page over edges that stand in order, with the lists apart that are too long for it.
  ///
  /// `own` is a frame with the offsets of the lists, of which the longest has `longest` edges.
  static func cut(
    _ own: Buffer<UInt32>, longest: UInt32, _ targets: Buffer<UInt32>, _ rows: Buffer<UInt32>?,
    _ memory: BulkMemory, _ epoch: Epoch
  ) -> AdjacencyPage {
    let edgeCount = Int(own[sourceCount])
    if !hasListsApart(edgeCount, longest) {
      let piece = memory.piece(targets, rows, 0..<edgeCount)
      let packed = memory.packed(piece.rows, [0..<edgeCount]).first
      return AdjacencyPage(
        owner: epoch, offsets: own, targets: piece.targets,
        rows: packed ?? piece.rows.map { NumberStretch($0) })
    }
    let page = AdjacencyPage(
      owner: epoch, offsets: own, targets: targets, rows: rows.map { NumberStretch($0) })
    let limit = UInt32(edgeCount > edgeLimit ? shortLimit : listLimit)
    page.moveApart(memory) { own[$0 + 1] - own[$0] > limit }
    // Lists apart leave the rest of the page where it was made, in the order of the pages.
    page.isStray = false
    return page
  }
}

/// Pages that several threads make, each its own stretch.
final class PageSlots: Sendable {
  private let slots: Mutex<[[AdjacencyPage]?]>

  init(count: Int) { slots = Mutex(Array(repeating: nil, count: count)) }

  func set(_ pages: [AdjacencyPage], at index: Int) { slots.withLock { $0[index] = pages } }

  /// All pages in order.
  func pages() -> [AdjacencyPage] { slots.withLock { $0.flatMap { $0 ?? [] } } }
}
