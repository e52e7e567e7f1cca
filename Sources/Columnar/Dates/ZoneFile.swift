#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of the system's time zone database (RFC 8536).
enum ZoneFile {
  static let directory = "/usr/share/zoneinfo/"

  /// A name as the database spells it, found whatever the case of its letters; nil for one that is not there.
  static func spelling(of name: String) -> String? {
    var path = ""
    for part in name.lowercased().split(separator: "/", omittingEmptySubsequences: false) {
      guard !part.isEmpty, !part.hasPrefix("."),
        let found = entries(of: directory + path).first(where: { $0.lowercased() == part })
      else { return nil }
      path += path.isEmpty ? found : "/" + found
    }
    return path
  }

  /// The names in a directory.
  private static func entries(of path: String) -> [String] {
    guard let stream = unsafe opendir(path) else { return [] }
    defer { unsafe _ = closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
    return names
  }

  /// The bytes of a file, nil where there is none or it is no zone's.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // The greatest file of the database has some 4 KB.
    let limit = 1 << 17
    var failed = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { target, count in
      while count < limit {
        guard let start = target.baseAddress else { break }
        let got = unsafe readBytes(descriptor, start + count, limit - count)
        if got < 0 { failed = true }
        if got <= 0 { break }
        count += got
      }
    }
    return failed ? nil : bytes
  }

  /// The zone in a file's bytes; nil where they are damaged.
  static func decode(_ bytes: [UInt8], name: String) -> TimeZoneRules? {
    guard bytes.count >= 44, bytes[0..<4].elementsEqual([84, 90, 105, 102]) else { return nil }
    func word(_ at: Int) -> Int {
      Int(bytes[at]) << 24 | Int(bytes[at + 1]) << 16 | Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
    }
    var header = 0
    var width = 4
    if bytes[4] >= 50 {
      // The first block has times of 32 bits; the second one says the same and more.
      header =
        44 + word(32) * 5 + word(36) * 6 + word(40) + word(28) * 8 + word(24) + word(20)
      width = 8
      guard header >= 44, bytes.count >= header + 44 else { return nil }
    }
    let (isUT, isStandard, leaps) = (word(header + 20), word(header + 24), word(header + 28))
    let (times, types, letters) = (word(header + 32), word(header + 36), word(header + 40))
    let start = header + 44
    let typesAt = start + times * (width + 1)
    let lettersAt = typesAt + types * 6
    let end = lettersAt + letters + leaps * (width + 4) + isStandard + isUT
    guard types > 0, end <= bytes.count else { return nil }
    var known: [TimeZoneRules.Period] = []
    for index in 0..<types {
      let at = typesAt + index * 6
      let from = lettersAt + Int(bytes[at + 5])
      guard from <= bytes.count else { return nil }
      let letters = bytes[from...].prefix { $0 != 0 }
      known.append(
        .init(
          offset: Int(Int32(truncatingIfNeeded: word(at))), isDaylight: bytes[at + 4] != 0,
          abbreviation: String(decoding: letters, as: UTF8.self)))
    }
    var transitions: [Int64] = []
    var periods = [known.first { !$0.isDaylight } ?? known[0]]
    for index in 0..<times {
      let at = start + index * width
      let time =
        width == 8
        ? Int64(word(at)) << 32 | Int64(word(at + 4))
        : Int64(Int32(truncatingIfNeeded: word(at)))
      let type = Int(bytes[start + times * width + index])
      guard type < known.count, transitions.last.map({ $0 < time }) ?? true else { return nil }
      transitions.append(time)
      periods.append(known[type])
    }
    var tail: PosixZone?
    if width == 8, end + 1 < bytes.count {
      let rule = bytes[(end + 1)...].prefix { $0 != 10 }
      tail = PosixZone(String(decoding: rule, as: UTF8.self))
      if tail?.daylight == nil && !transitions.isEmpty { tail = nil }
    }
    return TimeZoneRules(name: name, transitions: transitions, periods: periods, tail: tail)
  }
}

/// The system's `read`, by a name that no method hides.
private func readBytes(_ descriptor: Int32, _ target: UnsafeMutablePointer<UInt8>, _ count: Int)
  -> Int
{
  #if canImport(Glibc)
    unsafe Glibc.read(descriptor, target, count)
  #else
    unsafe Darwin.read(descriptor, target, count)
  #endif
}
