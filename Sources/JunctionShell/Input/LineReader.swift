import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines of a file or pipe, as bytes with their line ends, handed out as soon as they have come.
final class LineReader {
  private let descriptor: Int32
  private let closesDescriptor: Bool
  private var pending: [UInt8] = []
  /// Where the next line starts in `pending`.
  private var start = 0
  private var isAtEnd = false
  /// Called before a read that may have to wait.
  var willWait: () -> Void = {}

  /// Where lines come from if not from a descriptor.
  private let supply: (() -> [UInt8]?)?

  init(descriptor: Int32) {
    self.descriptor = descriptor
    closesDescriptor = false
    supply = nil
  }

  /// A reader of lines that a closure gives, each with its line end.
  init(_ supply: @escaping () -> [UInt8]?) {
    descriptor = -1
    closesDescriptor = false
    self.supply = supply
  }

  /// Opens a file.
  ///
  /// - Throws: 58P01 with the system's reason.
  init(path: String) throws(SQLError) {
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else {
      throw SQLError(.undefinedFile, "\(path): \(SystemError.current)")
    }
    descriptor = opened
    closesDescriptor = true
    supply = nil
  }

  deinit { if closesDescriptor { close(descriptor) } }

  /// The next line with its line end, which only the last may lack; nil at the end.
  func next() -> [UInt8]? {
    if let supply { return supply() }
    var searched = start
    while true {
      if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(pending[start...end])
        start = end + 1
        return line
      }
      searched = pending.count
      if isAtEnd {
        guard start < pending.count else { return nil }
        let line = Array(pending[start...])
        start = pending.count
        return line
      }
      searched -= start
      pending.removeFirst(start)
      start = 0
      willWait()
      readMore()
    }
  }

  private func readMore() {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = SystemRead.read(descriptor, into: &piece)
    if count <= 0 { isAtEnd = true } else { pending += piece[..<count] }
  }
}
