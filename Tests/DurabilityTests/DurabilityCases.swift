import Foundation

/// How many cases the long tests run, and from which seed.
///
/// The full run is `JUNCTION_DURABILITY_CASES=1000000 swift test -c release --filter DurabilityTests`;
/// `JUNCTION_DURABILITY_SEED` repeats the one workload that a failure names.
enum DurabilityCases {
  private static let environment = ProcessInfo.processInfo.environment

  static func count(usually count: Int) -> Int {
    environment["JUNCTION_DURABILITY_CASES"].flatMap(Int.init) ?? count
  }

  static let isLong = environment["JUNCTION_DURABILITY_CASES"] != nil
  static let seed = environment["JUNCTION_DURABILITY_SEED"].flatMap(UInt64.init)

  /// Says what a long run has done.
  static func report(_ text: String) {
    if isLong || seed != nil { print(text) }
  }

  /// Says how many cases there were in how much time.
  static func report(_ what: String, _ count: Int, since start: ContinuousClock.Instant) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    report("\(what): \(count) in \(Int(seconds)) s, \(Int(Double(count) / max(seconds, 0.001)))/s")
  }
}
