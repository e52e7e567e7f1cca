import Synchronization

/// The kinds of faults that the process has made small already: of each the first few are enough.
enum Acquaintance {
  private static let counts = Mutex<[String: Int]>([:])
  private static let most = 2

  /// Whether a fault is worth the time to make it small.
  static func isNew(_ kind: String) -> Bool {
    counts.withLock { counts in
      counts[kind, default: 0] += 1
      return counts[kind, default: 0] <= most
    }
  }
}
