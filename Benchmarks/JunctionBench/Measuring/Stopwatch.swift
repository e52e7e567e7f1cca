#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clocks that runs are timed with, in seconds.
enum Stopwatch {
  /// Time since some fixed moment; reading it takes some 20 nanoseconds.
  @inline(__always) static var now: Double { read(CLOCK_MONOTONIC) }

  /// The processor time of all threads of this process.
  static var processorTime: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

  @inline(__always) private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe _ = clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Keeps the optimiser from leaving out the reading of rows whose sum nobody looks at.
  @inline(never) static func keep(_ value: Int) { if value == .min { StandardError.write("") } }
}

/// Some executions of one query by one engine, one after another, between those of other engines.
struct SampleBlock {
  /// The parameter set that the next execution takes.
  var next = 0
  /// Seconds after which no further execution begins.
  var budget: Double
  /// The most executions.
  var most: Int
  /// Whether executions that take less than a microsecond are timed sixteen at a time, for every engine alike.
  ///
  /// Reading the clock takes a tenth of such an execution, and keeps it from overlapping the one before. The first ones
  /// of a block may find nothing in the caches, so any of the first thousand decides.
  var mayBatch = false
  /// Seconds of each execution.
  var seconds: [Double] = []
  var rows = 0
  var executions = 0
  var processorSeconds = 0.0

  /// Executes at least once; `execute` gets the number of the parameter set and gives the number of rows.
  mutating func fill(
    parameterCount: Int, _ execute: (Int) throws(EngineFailure) -> Int
  ) throws(EngineFailure) {
    let processorStart = Stopwatch.processorTime
    let start = Stopwatch.now
    var last = start
    var batch = 1
    repeat {
      for _ in 0..<batch {
        rows &+= try execute(next)
        next &+= 1
        if next >= parameterCount { next = 0 }
      }
      executions &+= batch
      let now = Stopwatch.now
      seconds.append((now - last) / Double(batch))
      if batch == 1 && mayBatch && seconds.count <= 1_000 && now - last < 1e-6 {
        batch = 16
        seconds = []
      }
      // What appending took is not the engine's.
      last = Stopwatch.now
    } while last - start < budget && seconds.count < most
    processorSeconds += Stopwatch.processorTime - processorStart
  }
}
