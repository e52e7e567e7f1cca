import Columnar

/// The different texts of a row group, where they are few enough that places in a list of them take fewer bytes.
struct TextDictionary {
  /// The most entries: their views stay in the cache.
  private static let entryLimit = 4096

  private let entries = Buffer<TextView>(uninitialized: entryLimit)
  /// The entries.
  private(set) var count = 0
  /// Places by hash, plus one; 0 for none.
  private let table = Buffer<UInt16>(zeroed: 4 * entryLimit)
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
      guard
        let read = enter(
          page.storage.buffer(of: TextView.self), page.count, page.validity, from: next)
      else { return nil }
      rows += read.rows
      bytes += read.bytes
      next += page.count
      starts.append(next)
      // A page in which most are new will hardly be followed by others in which they are not.
      if count * 2 > rows { return nil }
    }
    let own = (0..<count).reduce(0) { $0 + entries[$1].count + 4 }
    if rows == 0 || own + rows * width / 8 >= bytes { return nil }
  }

  /// Notes the places of texts, of which those that are new are entered, and says how many there are and how long they
  /// are; nil if there is no room for them.
  private mutating func enter(
    _ views: Buffer<TextView>, _ viewCount: Int, _ validity: ValidityMask, from start: Int
  ) -> (rows: Int, bytes: Int)? {
    // Copies, which nothing that is stored below can change.
    let (table, entries, numbers) = (
      PagePointer(table), PagePointer(entries), PagePointer(numbers).advanced(by: start)
    )
    let (mask, isAllValid) = (mask, validity.isAllValid)
    var (count, rows, bytes) = (count, 0, 0)
    defer { self.count = count }
    for row in 0..<viewCount {
      guard isAllValid || validity.isValid(row) else {
        numbers.store(0, at: row)
        continue
      }
      let view = views[row]
      rows &+= 1
      bytes &+= view.count
      var index = Int(truncatingIfNeeded: Self.hash(view)) & mask
      var place = Int(truncatingIfNeeded: table[index]) &- 1
      while place >= 0, entries[place] != view {
        index = (index &+ 1) & mask
        place = Int(truncatingIfNeeded: table[index]) &- 1
      }
      if place < 0 {
        if count == Self.entryLimit { return nil }
        place = count
        entries.store(view, at: place)
        count &+= 1
        table.store(UInt16(truncatingIfNeeded: count), at: index)
      }
      numbers.store(UInt32(truncatingIfNeeded: place), at: row)
    }
    return (rows, bytes)
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
