import Columnar

/// The different texts of a row group, where they are few enough that places in a list of them take fewer bytes.
struct TextDictionary {
  /// The most entries: their views stay in the cache.
  private static let entryLimit = 4096

  private let entries = Buffer<TextView>(uninitialized: entryLimit)
  /// The entries.
  private(set) var count = 0
  /// Places by hash, plus one; 0 for none.
  private var table = Buffer<UInt16>(zeroed: 4 * entryLimit)
  private let mask = 4 * entryLimit - 1
  /// The place of each text, 0 for NULL, and where each page begins.
  private let numbers: Buffer<UInt32>
  private var starts = [0]

  /// The bits of a place.
  var width: Int { bitWidth(UInt64(max(0, count - 1))) }

  /// nil if texts are better written as they are.
  init?(_ pages: [Vector]) {
    numbers = Buffer(uninitialized: max(1, pages.reduce(0) { $0 + $1.count }))
    var (rows, bytes, next) = (0, 0, 0)
    for page in pages {
      let views = page.storage.buffer(of: TextView.self)
      for row in 0..<page.count {
        guard page.validity.isValid(row) else {
          numbers[next &+ row] = 0
          continue
        }
        let view = views[row]
        rows &+= 1
        bytes &+= view.count
        guard let place = place(of: view) else { return nil }
        numbers[next &+ row] = UInt32(truncatingIfNeeded: place)
      }
      next += page.count
      starts.append(next)
      // A page in which most are new will hardly be followed by others in which they are not.
      if count * 2 > rows { return nil }
    }
    let own = (0..<count).reduce(0) { $0 + entries[$1].count + 4 }
    if rows == 0 || own + rows * width / 8 >= bytes { return nil }
  }

  /// The place of a text, entered if it is new; nil if there is no room for it.
  @inline(__always)
  private mutating func place(of view: TextView) -> Int? {
    var index = Int(truncatingIfNeeded: Self.hash(view)) & mask
    while true {
      let entry = Int(truncatingIfNeeded: table[index])
      if entry == 0 { break }
      if entries[entry &- 1] == view { return entry &- 1 }
      index = (index &+ 1) & mask
    }
    if count == Self.entryLimit { return nil }
    entries[count] = view
    count &+= 1
    table[index] = UInt16(truncatingIfNeeded: count)
    return count &- 1
  }

  /// Of what a view holds itself: long texts with the same beginning and length are told apart by comparing.
  @inline(__always)
  private static func hash(_ view: TextView) -> UInt64 {
    var hash = view.headWord &* 0x9E37_79B1_85EB_CA87
    if view.isInline { hash = (hash ^ view.tailWord) &* 0xC2B2_AE3D_27D4_EB4F }
    return hash ^ hash &>> 29 ^ hash &>> 43
  }

  /// The places of texts, and the bits that each takes.
  struct Places {
    let numbers: Buffer<UInt32>
    let width: Int
  }

  /// The places of the texts of a page; 0 for NULL.
  func places(ofPage page: Int) -> Places {
    Places(numbers: numbers.slice(starts[page]..<starts[page + 1]), width: width)
  }

  func write(_ writer: inout SectionWriter) {
    let start = writer.take(4 * count)
    for index in 0..<count {
      writer.set(half: UInt32(entries[index].count), at: start + 4 * index)
    }
    for index in 0..<count where entries[index].count > 0 {
      writer.append(entries.bytes(at: index))
    }
  }
}
