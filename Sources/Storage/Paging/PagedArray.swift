import Columnar

/// A page of plain elements.
final class ElementPage<Element: BitwiseCopyable>: VersionedPage, @unchecked Sendable {
  // Sendable by the rule of `VersionedPage`.
  let owner: Epoch
  let elements: Buffer<Element>

  init(owner: Epoch, elements: Buffer<Element>) {
    self.owner = owner
    self.elements = elements
  }

  var slot: PagePointer<Element> { PagePointer(elements) }

  func copy(owner: Epoch) -> ElementPage {
    let copied = Buffer<Element>(uninitialized: elements.count)
    copied.copy(elements, count: elements.count, to: 0)
    return ElementPage(owner: owner, elements: copied)
  }
}

/// A versioned array of plain elements in pages of 2,048.
struct PagedArray<Element: BitwiseCopyable & Sendable>: Sendable {
  static var pageShift: Int { 11 }
  static var pageCapacity: Int { 1 << pageShift }
  private var pages = PageTree<ElementPage<Element>>()
  /// The page that was last written to, which whoever has that epoch may go on writing to.
  private var written = WrittenPage()

  private struct WrittenPage: BitwiseCopyable {
    var index = -1
    var epoch: UInt64 = 0
    var elements = PagePointer<Element>.none
  }

  /// What an element is before it is set.
  let initial: Element
  /// The number of elements: whole pages.
  var count: Int { pages.count &<< Self.pageShift }

  init(initial: Element) { self.initial = initial }

  /// An array over memory that was filled already, whole pages of it.
  init(initial: Element, adopting elements: Buffer<Element>, epoch: Epoch) {
    self.initial = initial
    precondition(elements.count % Self.pageCapacity == 0, "whole pages are adopted")
    for start in stride(from: 0, to: elements.count, by: Self.pageCapacity) {
      let slice = elements.slice(start..<(start + Self.pageCapacity))
      pages.append(ElementPage(owner: epoch, elements: slice), epoch: epoch)
    }
  }

  /// An array of whole pages that are made, 64 at a time, when they are first touched.
  init(
    initial: Element, pageCount: Int, make: @escaping @Sendable (Int) -> [ElementPage<Element>]
  ) {
    self.initial = initial
    pages = PageTree(pageCount: pageCount, make: make)
  }

  /// The pages of a group.
  func pages(ofGroup group: Int) -> [ElementPage<Element>] {
    ((group * 64)..<min(pages.count, group * 64 + 64)).map { pages[$0] }
  }

  /// The element at `index`.
  @inline(__always)
  subscript(index: Int) -> Element {
    pages.slot(index &>> Self.pageShift)[index & (Self.pageCapacity &- 1)]
  }

  /// What readers walk through in loops, once it is all there.
  var directory: Buffer<PagePointer<PagePointer<Element>>> { pages.wholeDirectory }

  /// What readers walk through who ask `lazy` for what they touch.
  var lazyDirectory: Buffer<PagePointer<PagePointer<Element>>> { pages.directory }

  var lazy: LazyGroups? { pages.lazy }

  /// Adds pages until `index` lies inside.
  mutating func grow(toInclude index: Int, epoch: Epoch) {
    while index >= count {
      let page = ElementPage(
        owner: epoch, elements: Buffer(repeating: initial, count: Self.pageCapacity))
      pages.append(page, epoch: epoch)
    }
  }

  /// Sets the element at `index`, which lies inside.
  ///
  /// - Returns: whether readers find the element where they did before.
  @discardableResult
  mutating func set(_ index: Int, _ value: Element, epoch: Epoch) -> Bool {
    let page = index &>> Self.pageShift
    let wasWritten = written.index == page && written.epoch == epoch.number
    if !wasWritten {
      let elements = pages.writable(page, epoch: epoch).elements
      written = WrittenPage(
        index: page, epoch: epoch.number, elements: PagePointer(elements))
    }
    written.elements.store(value, at: index & (Self.pageCapacity &- 1))
    return wasWritten
  }
}
