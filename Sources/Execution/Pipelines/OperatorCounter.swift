import Columnar
import Diagnostics

/// Counts what one operator hands up, and times it, for EXPLAIN ANALYZE.
///
/// Chunks are pushed, so the time of a push belongs to the operators above. The time of an operator and its inputs is what
/// passes between its first preparation and its end, less the time of its pushes.
final class OperatorCounter: StreamOperator {
  private(set) var statistics = OperatorStatistics()
  /// Pages that a scan has read and passed over, for each of its runs; one worker at a time adds to it.
  final class PageTally {
    fileprivate(set) var read = 0
    fileprivate(set) var passedOver = 0

    func note(isPassedOver: Bool) {
      if isPassedOver { passedOver += 1 } else { read += 1 }
    }

    func note(passedOver count: Int) { passedOver += count }

    /// Of so many pages all others are passed over.
    func note(restOf count: Int) { passedOver = count - read }
  }
  /// nil for an operator that is no scan.
  var pages: PageTally?
  private var began: ContinuousClock.Instant?
  private var away = Duration.zero
  private let clock = ContinuousClock()

  /// One worker at a time: chunks are counted in the chain of a single worker.
  override var isSequential: Bool { true }

  override func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    began = clock.now
    away = .zero
    statistics.loopCount += 1
    return true
  }

  override func makeStage(next: Stage) throws(SQLError) -> Stage {
    CounterStage(self, next: next)
  }

  private func note() {
    guard let began else { return }
    let busy = clock.now - began - away
    let (seconds, attoseconds) = busy.components
    statistics.pagesRead = pages?.read ?? 0
    statistics.pagesPassedOver = pages?.passedOver ?? 0
    statistics.nanoseconds += seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    self.began = clock.now
    away = .zero
  }

  private final class CounterStage: StreamingStage {
    private let counter: OperatorCounter

    init(_ counter: OperatorCounter, next: Stage) {
      self.counter = counter
      super.init(next: next)
    }

    override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
      counter.statistics.rowCount += chunk.count
      let left = counter.clock.now
      let more = try next.push(chunk)
      counter.away += counter.clock.now - left
      if !more { counter.note() }
      return more
    }

    override func finish() throws(SQLError) {
      counter.note()
      try next.finish()
    }
  }
}
