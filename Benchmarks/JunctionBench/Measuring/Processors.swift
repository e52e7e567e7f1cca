#if canImport(Glibc)
  import Glibc
#endif

/// The processors that this process may run on.
enum Processors {
  /// Keeps to so many of them, where the system lets a process choose; threads that are started later do, too.
  static func keep(_ count: Int) {
    #if canImport(Glibc)
      // Extensions of glibc, which its module for Swift does not show.
      typealias Get = @convention(c) (Int32, Int, UnsafeMutableRawPointer) -> Int32
      typealias Set = @convention(c) (Int32, Int, UnsafeRawPointer) -> Int32
      guard let getter = unsafe dlsym(nil, "sched_getaffinity"),
        let setter = unsafe dlsym(nil, "sched_setaffinity")
      else { return }
      let get = unsafe unsafeBitCast(getter, to: Get.self)
      let set = unsafe unsafeBitCast(setter, to: Set.self)
      // A bit for each of 1,024 processors.
      var words = [UInt64](repeating: 0, count: 16)
      let size = words.count * MemoryLayout<UInt64>.size
      guard unsafe get(0, size, &words) >= 0 else { return }
      var left = max(1, count)
      for place in words.indices {
        for bit in 0..<64 where words[place] & (1 << UInt64(bit)) != 0 {
          if left > 0 { left -= 1 } else { words[place] &= ~(1 << UInt64(bit)) }
        }
      }
      _ = unsafe set(0, size, words)
    #endif
  }
}
