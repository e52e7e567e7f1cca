#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time of day.
enum Clock {
  /// Seconds from 1970-01-01 to 2000-01-01, where PostgreSQL's time begins.
  private static let epoch: Int64 = 946_684_800

  /// Microseconds since 2000-01-01 UTC.
  static func microseconds() -> Int64 {
    var now = timespec()
    unsafe _ = clock_gettime(CLOCK_REALTIME, &now)
    return (Int64(now.tv_sec) - epoch) * 1_000_000 + Int64(now.tv_nsec) / 1000
  }
}

extension Clock {
  /// Lets the thread rest.
  static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
