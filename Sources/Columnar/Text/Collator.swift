import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The functions of ICU, the library of Unicode, that orders by language need.
///
/// Foundation brings the library along, and it is in the process already; but no module that may be linked by name declares it, so
/// that the functions are looked up when they are first needed.
///
/// Source: the headers `ucol.h` and `uloc.h` of ICU 74.
@safe private struct UnicodeLibrary: Sendable {
  typealias Text = UnsafePointer<CChar>
  typealias Room = UnsafeMutablePointer<CChar>
  typealias Status = UnsafeMutablePointer<Int32>

  let open: @convention(c) @Sendable (Text, Status) -> OpaquePointer?
  let sortKey:
    @convention(c) @Sendable (
      OpaquePointer, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<UInt8>, Int32
    ) -> Int32
  let identifier:
    @convention(c) @Sendable (Text, Room, Int32, UnsafeMutablePointer<Int32>, Status) -> Int32
  let tag: @convention(c) @Sendable (Text, Room, Int32, Int8, Status) -> Int32
  let count: @convention(c) @Sendable () -> Int32
  let available: @convention(c) @Sendable (Int32) -> Text?

  /// nil where the process has no such library.
  static let shared = UnicodeLibrary()

  /// What stands for all that the process has loaded.
  private static var process: UnsafeMutableRawPointer? {
    #if canImport(Darwin)
      unsafe UnsafeMutableRawPointer(bitPattern: -2)
    #else
      nil
    #endif
  }

  private init?() {
    // Foundation's own copy has names of its own.
    for prefix in ["swift_", ""] {
      guard let open = unsafe dlsym(Self.process, prefix + "ucol_open"),
        let sortKey = unsafe dlsym(Self.process, prefix + "ucol_getSortKey"),
        let identifier = unsafe dlsym(Self.process, prefix + "uloc_forLanguageTag"),
        let tag = unsafe dlsym(Self.process, prefix + "uloc_toLanguageTag"),
        let count = unsafe dlsym(Self.process, prefix + "uloc_countAvailable"),
        let available = unsafe dlsym(Self.process, prefix + "uloc_getAvailable")
      else { continue }
      unsafe self.open = unsafeBitCast(open, to: type(of: self.open))
      unsafe self.sortKey = unsafeBitCast(sortKey, to: type(of: self.sortKey))
      unsafe self.identifier = unsafeBitCast(identifier, to: type(of: self.identifier))
      unsafe self.tag = unsafeBitCast(tag, to: type(of: self.tag))
      unsafe self.count = unsafeBitCast(count, to: type(of: self.count))
      unsafe self.available = unsafeBitCast(available, to: type(of: self.available))
      return
    }
    return nil
  }
}

/// The rules of a language, as the library holds them.
///
/// The library lets several threads ask one that nobody changes. It is never closed, as languages are few.
struct Collator: Sendable {
  private let address: UInt

  /// The rules of a language; nil for one that the library does not know.
  init?(language: String) {
    guard let library = UnicodeLibrary.shared, let base = Self.base(of: language),
      Self.languageSet.contains(base)
    else { return nil }
    var identifier = [CChar](repeating: 0, count: 256)
    var parsed: Int32 = 0
    var status: Int32 = 0
    // Numbers above zero are errors, those below warnings.
    let length = unsafe library.identifier(
      language, &identifier, Int32(identifier.count), &parsed, &status)
    guard status <= 0, Int(parsed) == language.utf8.count, length < 256,
      let opened = unsafe library.open(identifier, &status), status <= 0
    else { return nil }
    address = UInt(bitPattern: opened)
  }

  /// A tag without the keywords behind it.
  private static func base(of language: String) -> String? {
    let parts = language.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 < 128 } }) else { return nil }
    return parts.prefix { $0 != "u" }.joined(separator: "-")
  }

  private static let languageSet = Set(languages)

  /// The tags of all languages that the library has rules of.
  static let languages: [String] = {
    guard let library = UnicodeLibrary.shared else { return [] }
    var tags = ["und"]
    for index in 0..<library.count() {
      var tag = [CChar](repeating: 0, count: 128)
      var status: Int32 = 0
      guard let name = unsafe library.available(index) else { continue }
      let length = unsafe library.tag(name, &tag, Int32(tag.count), 1, &status)
      guard status <= 0, length > 0, length < 128 else { continue }
      let bytes = tag.prefix(Int(length)).map { UInt8(bitPattern: $0) }
      tags.append(String(decoding: bytes, as: UTF8.self))
    }
    return tags
  }()

  func worker() -> Worker { Worker(address: address) }

  /// Makes keys, in memory that it uses again.
  struct Worker {
    private let address: UInt
    private var units = Buffer<UInt16>(uninitialized: 128)

    init(address: UInt) { self.address = address }

    mutating func appendKey(
      of bytes: TextBytes, to output: inout ByteBuilder
    ) throws(SQLError) {
      // A byte is at most one unit of UTF-16.
      if units.count < bytes.count { units = Buffer(uninitialized: bytes.count * 2) }
      let length = decode(bytes)
      output.reserve(length * 4 + 64)
      var size = sortKey(length, into: output)
      if size > output.buffer.count - output.count {
        guard size <= TextLoop.byteCountMax else { throw TextLoop.tooLong }
        output.reserve(size)
        size = sortKey(length, into: output)
      }
      // The zero at its end is not a part of it.
      output.advance(by: max(0, size - 1))
    }

    /// Writes as much of the key as there is room, and says how long it is.
    private func sortKey(_ length: Int, into output: ByteBuilder) -> Int {
      guard let library = UnicodeLibrary.shared,
        let handle = unsafe OpaquePointer(bitPattern: address)
      else { return 0 }
      let room = output.buffer.count - output.count
      return unsafe Int(
        output.buffer.fill(at: output.count, count: room) { target in
          unsafe units.fill(at: 0, count: length) { source in
            unsafe library.sortKey(
              handle, source.assumingMemoryBound(to: UInt16.self), Int32(length),
              target.assumingMemoryBound(to: UInt8.self), Int32(clamping: room))
          }
        })
    }

    /// Makes UTF-16 of a text; says how many units that are.
    private func decode(_ bytes: TextBytes) -> Int {
      var length = 0
      var index = 0
      while index < bytes.count {
        let (value, width) = bytes.codePoint(at: index)
        index &+= width
        if value < 0x10000 {
          units[length] = UInt16(truncatingIfNeeded: value)
          length &+= 1
        } else {
          units[length] = UInt16(truncatingIfNeeded: 0xD7C0 &+ value &>> 10)
          units[length &+ 1] = UInt16(truncatingIfNeeded: 0xDC00 | value & 0x3FF)
          length &+= 2
        }
      }
      return length
    }
  }
}
