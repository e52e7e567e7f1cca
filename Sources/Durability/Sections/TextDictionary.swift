import Columnar

/// The different texts of a row group, where they are few enough that places in a list of them take fewer bytes.
struct TextDictionary {
  /// The most entries: their views stay in the cache.
  private static let entryLimit = 4096

  private var entries: [TextView] = []
  private var lengths: [Int] = []
  /// Places by hash, plus one; 0 for none.
  private var table = Buffer<UInt16>(zeroed: 4 * entryLimit)
  private let mask = 4 * entryLimit - 1

  /// The entries.
  var count: Int { entries.count }
  /// The bits of a place.
  var width: Int { bitWidth(UInt64(max(0, count - 1))) }

  /// nil if texts are better written as they are.
  init?(_ pages: [Vector]) {
    var (rows, bytes) = (0, 0)
    for page in pages {
      let views = page.storage.buffer(of: TextView.self)
      for row in 0..<page.count where page.validity.isValid(row) {
        let view = views[row]
        rows += 1
        bytes += view.count
        if place(of: view) == nil { return nil }
      }
      // A page in which most are new will hardly be followed by others in which they are not.
      if entries.count * 2 > rows { return nil }
    }
    let own = lengths.reduce(0) { $0 + $1 + 4 }
    if rows == 0 || own + rows * width / 8 >= bytes { return nil }
  }

  /// The place of a text, entered if it is new; nil if there is no room for it.
  @inline(__always)
  private mutating func place(of view: TextView) -> Int? {
    var index = Int(truncatingIfNeeded: Self.hash(view)) & mask
    while true {
      let entry = Int(table[index])
      if entry == 0 { break }
      if entries[entry - 1] == view { return entry - 1 }
      index = (index &+ 1) & mask
    }
    if entries.count == Self.entryLimit { return nil }
    entries.append(view)
    lengths.append(view.count)
    table[index] = UInt16(entries.count)
    return entries.count - 1
  }

  /// Of what a view holds itself: long texts with the same beginning and length are told apart by comparing.
  @inline(__always)
  private static func hash(_ view: TextView) -> UInt64 {
    var hash = view.headWord &* 0x9E37_79B1_85EB_CA87
    if view.isInline { hash = (hash ^ view.tailWord) &* 0xC2B2_AE3D_27D4_EB4F }
    return hash ^ hash &>> 29 ^ hash &>> 43
  }

  /// The places of the texts of a page; 0 for NULL.
  func places(of vector: Vector, _ validity: ValidityMask, to result: Buffer<UInt64>) {
    let views = vector.storage.buffer(of: TextView.self)
    for row in 0..<vector.count {
      guard validity.isValid(row) else {
        result[row] = 0
        continue
      }
      let view = views[row]
      var index = Int(truncatingIfNeeded: Self.hash(view)) & mask
      var place = 0
      while true {
        let entry = Int(table[index])
        if entry == 0 { break }
        place = entry - 1
        if entries[place] == view { break }
        index = (index &+ 1) & mask
      }
      result[row] = UInt64(place)
    }
  }

  func write(_ writer: inout SectionWriter) {
    let start = writer.take(4 * entries.count)
    for (index, length) in lengths.enumerated() {
      writer.set(half: UInt32(length), at: start + 4 * index)
    }
    let views = Buffer(entries)
    for index in entries.indices where lengths[index] > 0 { writer.append(views.bytes(at: index)) }
  }
}
