import Columnar

/// The offsets of a page's lists, and behind them what else a change in place needs.
///
/// ```
/// word 0 … 64  where each list begins, and where the last ends
/// word 65      how many edges fit the stretch
/// word 66, 67  the writer that may change the stretch, 0 for nobody
/// word 68, 69  where the table of long lists stands, none where there is no long list
/// word 70, 71  which lists have edges: a bit for each
/// ```
///
/// Where bounds are checked a pointer takes more than two words, and what is behind it stands further on.
struct AdjacencyFrame: BitwiseCopyable {
  let words: PagePointer<UInt32>

  /// A multiple of eight, so that numbers of 64 bits are aligned in frames that stand behind each other.
  static let wordCount = (linkedWord + 2 + 7) & ~7
  private static let longsWord = 68
  private static let linkedWord =
    longsWord + MemoryLayout<PagePointer<UInt32>>.stride / MemoryLayout<UInt32>.stride

  @inline(__always)
  var room: Int { Int(truncatingIfNeeded: words[65]) }

  @inline(__always)
  var owner: UInt64 { words.bound(to: UInt64.self)[33] }

  @inline(__always)
  var longs: PagePointer<PagePointer<LongHeader>> {
    words.advanced(by: Self.longsWord).bound(to: PagePointer<PagePointer<LongHeader>>.self)[0]
  }

  /// How many words of 64 bits the table of long lists takes: where each has its header, and the degrees.
  static let longTableCount = AdjacencyPage.sourceCount * 3 / 2

  /// The number of edges of each list that stands apart, 0 for others; none where there is no long list.
  ///
  /// They stand one behind another, so that the degrees of many sources are read in the order of memory.
  @inline(__always)
  var degrees: PagePointer<UInt32> {
    let longs = longs
    return longs.isNone
      ? .none : longs.advanced(by: AdjacencyPage.sourceCount).bound(to: UInt32.self)
  }

  /// Which lists have edges.
  ///
  /// One load tells it of all, and of many pages it is what stays in a cache.
  @inline(__always)
  var linked: UInt64 { words.bound(to: UInt64.self)[Self.linkedWord / 2] }

  func set(linked: UInt64) {
    words.bound(to: UInt64.self).store(linked, at: Self.linkedWord / 2)
  }

  /// Notes whether a list has edges.
  @inline(__always)
  func note(_ list: Int, isLinked: Bool) {
    let mask: UInt64 = 1 &<< UInt64(truncatingIfNeeded: list)
    set(linked: isLinked ? linked | mask : linked & ~mask)
  }

  func set(owner: UInt64, room: Int) {
    words.store(UInt32(truncatingIfNeeded: room), at: 65)
    words.bound(to: UInt64.self).store(owner, at: 33)
  }

  func set(longs: PagePointer<PagePointer<LongHeader>>) {
    words.advanced(by: Self.longsWord).bound(to: PagePointer<PagePointer<LongHeader>>.self)
      .store(longs, at: 0)
  }
}
