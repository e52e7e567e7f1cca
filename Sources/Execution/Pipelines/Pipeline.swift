import Columnar
import Diagnostics
import Planning

/// A source and the streaming operators over it: what stands between two pipeline breakers.
struct Stream {
  var source: Source
  var operators: [StreamOperator] = []
  /// The columns that come out.
  var outputs: [PlanColumn]

  var types: [LogicalType] { outputs.map(\.type) }

  /// The stages of all operators for one worker, ending in `last`.
  func makeChain(into last: Stage) throws(SQLError) -> Stage {
    var stage = last
    for index in operators.indices.reversed() {
      stage = try operators[index].makeStage(next: stage)
    }
    return stage
  }

  /// Runs what the operators and the source depend on; false where nothing can come out.
  func prepare(_ context: ExecutionContext) throws(SQLError) -> Bool {
    var givesOwnRows = false
    for index in operators.indices.reversed() {
      let possible = try operators[index].prepare(context)
      // An operator further on may give rows of its own at the end, also where none come to it.
      if !possible && !givesOwnRows { return false }
      givesOwnRows = givesOwnRows || operators[index].givesOwnRows
    }
    try source.prepare(context)
    return true
  }
}

/// A stream whose chunks go, in order and in the calling thread, into whatever stage a run names.
final class StreamRunner {
  let stream: Stream
  private var chain: Stage?
  private let last = RelayStage()

  init(_ stream: Stream) { self.stream = stream }

  /// Pushes all chunks of the stream into `target`, and says whether it wants more.
  ///
  /// The target is neither started nor finished.
  func run(into target: Stage, _ context: ExecutionContext) throws(SQLError) -> Bool {
    let chain: Stage
    if let known = self.chain {
      chain = known
    } else {
      chain = try stream.makeChain(into: last)
      self.chain = chain
    }
    guard try stream.prepare(context) else { return true }
    last.target = target
    last.wantsMore = true
    defer {
      last.target = nil
      chain.letGo()
    }
    try chain.start(context)
    var more = true
    var morsel = 0
    while more && morsel < stream.source.morselCount {
      more = try stream.source.produce(morsel, into: chain, context)
      if more { more = try chain.endMorsel() }
      morsel += 1
    }
    if last.wantsMore { try chain.finish() }
    return last.wantsMore
  }
}

/// The end of a chain whose target changes from run to run.
private final class RelayStage: Stage {
  var target: Stage?
  var wantsMore = true

  override func push(_ chunk: DataChunk) throws(SQLError) -> Bool {
    guard let target, wantsMore else { return false }
    wantsMore = try target.push(chunk)
    return wantsMore
  }
}

/// A stream with its sink.
final class Pipeline {
  let stream: Stream
  let sink: Sink
  private let isSequential: Bool
  /// Worker 0's chain, kept from run to run.
  private var chain: (first: Stage, last: SinkStage)?
  /// The end of that chain, which the sink knows also where the rest of it could not be made, as in a statement that was cancelled.
  private var ownLast: SinkStage?

  init(_ stream: Stream, into sink: Sink) {
    self.stream = stream
    self.sink = sink
    isSequential = sink.isSequential || stream.operators.contains { $0.isSequential }
  }

  /// The chain that is kept: a sink that made its end twice would take the first, which nothing comes to, for a worker's.
  private func ownChain() throws(SQLError) -> (first: Stage, last: SinkStage) {
    if let chain { return chain }
    let last: SinkStage
    if let ownLast { last = ownLast } else { last = try sink.makeStage(worker: 0) }
    ownLast = last
    let made = (first: try stream.makeChain(into: last), last: last)
    chain = made
    return made
  }

  private func makeChain(worker: Int) throws(SQLError) -> (first: Stage, last: SinkStage) {
    let last = try sink.makeStage(worker: worker)
    return (try stream.makeChain(into: last), last)
  }

  /// Runs the source dry, or until the sink has enough.
  func run(_ context: ExecutionContext) throws(SQLError) {
    let possible = try stream.prepare(context)
    let morselCount = possible ? stream.source.morselCount : 0
    let workerCount =
      isSequential || morselCount < 2
      ? 1 : max(1, min(morselCount, Workers.parallelism, context.workerLimit))
    try sink.start(context, workerCount: workerCount)
    let own = try ownChain()
    // A sink keeps what other workers gathered until it is run again.
    var others: [(first: Stage, last: SinkStage)] = []
    defer { for chain in [own] + others { chain.first.letGo() } }
    try own.first.start(context)
    let isShort = stream.source.startsAlone || stream.operators.isEmpty && sink.onlyKeeps
    let alone = workerCount == 1 || isShort
    let start = alone ? try runAlone(own, workerCount, morselCount, context) : 0
    if start < morselCount {
      for worker in 1..<workerCount {
        others.append(try makeChain(worker: worker))
        try others[worker - 1].first.start(context)
      }
      try runParallel([own] + others, start..<morselCount, context)
    }
    own.last.morsel = morselCount
    if possible { try own.first.finish() }
    try sink.combine(context)
  }

  /// How long one worker goes on before others join it: to make their stages, start them and put together what they have
  /// gathered takes a hundred microseconds and more.
  private static let aloneTime = Duration.microseconds(500)

  /// Runs morsels in this thread, and says for how many turns there is nothing more to do.
  private func runAlone(
    _ own: (first: Stage, last: SinkStage), _ workerCount: Int, _ morselCount: Int,
    _ context: ExecutionContext
  ) throws(SQLError) -> Int {
    let begin = workerCount > 1 ? ContinuousClock.now : nil
    var turn = 0
    while turn < morselCount {
      let morsel = stream.source.morsel(inTurn: turn)
      own.last.morsel = morsel
      var more = try stream.source.produce(morsel, into: own.first, context)
      if more { more = try own.first.endMorsel() }
      if !more { return morselCount }
      turn += 1
      if let begin, ContinuousClock.now - begin > Self.aloneTime { return turn }
    }
    return morselCount
  }

  private func runParallel(
    _ workers: [(first: Stage, last: SinkStage)], _ turns: Range<Int>,
    _ context: ExecutionContext
  ) throws(SQLError) {
    let progress = MorselProgress(turns)
    let chains = workers.map { (source: stream.source, first: $0.first, last: $0.last) }
    Workers.run(chains) { chain in
      while let turn = progress.next() {
        let morsel = chain.source.morsel(inTurn: turn)
        do throws(SQLError) {
          chain.last.morsel = morsel
          var more = try chain.source.produce(morsel, into: chain.first, context)
          if more { more = try chain.first.endMorsel() }
          if !more { progress.stop() }
        } catch {
          progress.fail(error, at: morsel)
        }
      }
    }
    if let error = progress.error { throw error }
  }
}
