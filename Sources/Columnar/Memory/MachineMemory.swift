#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the machine has of memory, and what the process takes of it.
package enum MachineMemory {
  /// The bytes that the process may take: those of the machine, of its control group or of its address space, whichever
  /// are fewest.
  package static let byteCount: Int = {
    let pages = max(1, sysconf(Int32(_SC_PHYS_PAGES)))
    var least = pages * max(1, sysconf(Int32(_SC_PAGESIZE)))
    var limit = rlimit()
    #if canImport(Glibc)
      let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    #else
      let status = unsafe getrlimit(RLIMIT_AS, &limit)
    #endif
    if status == 0 { least = min(least, Int(clamping: limit.rlim_cur)) }
    for path in controlGroupFiles {
      if let number = firstNumber(of: path), number > 0 { least = min(least, number) }
    }
    return least
  }()

  /// What statements may take unless they are told otherwise: four fifths.
  package static var defaultLimit: Int { byteCount / 5 * 4 }

  /// The files in which the limits of control groups stand: of both versions, as seen from within a container.
  private static var controlGroupFiles: [String] {
    var files = [
      "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    ]
    // A line is `0::/path` in the second version, and `8:memory:/path` in the first.
    for line in text(of: "/proc/self/cgroup").split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].count > 1 else { continue }
      if parts[1].isEmpty {
        files.append("/sys/fs/cgroup\(parts[2])/memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        files.append("/sys/fs/cgroup/memory\(parts[2])/memory.limit_in_bytes")
      }
    }
    return files
  }

  private static func firstNumber(of path: String) -> Int? {
    text(of: path).split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
  }

  /// The bytes of memory that the process has at present, but for pages of files, which the system may take back at any
  /// time; nil where the system does not say.
  package static var residentByteCount: Int? {
    let fields = text(of: "/proc/self/statm").split(separator: " ")
    guard fields.count > 2, let resident = Int(fields[1]), let ofFiles = Int(fields[2]) else {
      return nil
    }
    return (resident - ofFiles) * max(1, sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The first bytes of a small file of the system's; empty if there is none.
  private static func text(of path: String) -> String {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  #if canImport(Glibc)
    private static let mallocTrim: (@convention(c) (Int) -> Int32)? = {
      guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return nil }
      return unsafe unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)
    }()
  #endif

  /// Gives back to the system what the process holds without use.
  static func trim() {
    SpareMemory.releaseAll()
    #if canImport(Glibc)
      // The module of the C library does not declare it.
      if let trim = mallocTrim { _ = trim(0) }
    #endif
  }
}
