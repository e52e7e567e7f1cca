public import Diagnostics

/// The answers to a question, as the database changes: first the one there is, then each that differs from the one before.
///
/// ```swift
/// for try await courses in john.courses.order(by: \.shortCode).updates(in: database) {
///   show(courses)
/// }
/// ```
///
/// `next()` waits until a commit has changed something that the question had read, and then asks the newest state, in the task that
/// waits. So a slow reader costs nothing, many commits meanwhile are one answer, and the writer waits for nobody. Cancelling the
/// task ends the sequence, and the statement that is running; an error ends it as well.
///
/// - Complexity: waiting costs nothing but the memory for what was read, which is noted row by row: an answer of few rows found by
///   keys and links is not asked for again when others change.
public struct LiveValues<Value: Sendable>: AsyncSequence, Sendable {
  /// An answer.
  public typealias Element = Value
  /// What ends the answers.
  public typealias Failure = SQLError

  /// Asks a state; nil where the answer is the one before.
  typealias Read = (Snapshot) throws(SQLError) -> Value?

  let database: Database
  /// Makes what asks, which knows the answer before.
  let makeRead: @Sendable () -> Read
  private var interval: Duration?

  init(_ database: Database, _ makeRead: @escaping @Sendable () -> Read) {
    self.database = database
    self.makeRead = makeRead
  }

  /// The same with this much time between two answers, at least.
  public func throttled(_ interval: Duration) -> LiveValues<Value> {
    var result = self
    result.interval = interval
    return result
  }

  /// Begins to watch.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(Subscription(database), makeRead(), interval)
  }

  /// Waits for answers one by one; letting go of it ends the watch.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var subscription: Subscription?
    private let read: Read
    private let interval: Duration?
    private var earliest: ContinuousClock.Instant?

    init(_ subscription: Subscription, _ read: @escaping Read, _ interval: Duration?) {
      self.subscription = subscription
      self.read = read
      self.interval = interval
    }

    /// The next answer; nil when the task is cancelled.
    ///
    /// - Throws: the question's error, which ends the sequence.
    public mutating func next() async throws(SQLError) -> Value? {
      try await next(isolation: nil)
    }

    /// The next answer; nil when the task is cancelled.
    ///
    /// - Throws: the question's error, which ends the sequence.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(SQLError) -> Value? {
      while let subscription {
        if let earliest, earliest > .now { try? await Task.sleep(until: earliest) }
        guard await subscription.watcher.wait() else { break }
        if let value = try await ask(subscription, isolation: actor) {
          earliest = interval.map { .now + $0 }
          return value
        }
      }
      subscription = nil
      return nil
    }

    /// What came of looking without waiting.
    package enum Look {
      /// Nothing that was read has changed.
      case quiet
      /// The question was asked, and the answer is the one before.
      case same
      case changed(Value)
    }

    /// Asks if a commit may have changed the answer, and does not wait for one.
    ///
    /// - Throws: the question's error.
    package mutating func look() throws(SQLError) -> Look {
      guard let subscription, subscription.watcher.isBehind else { return .quiet }
      guard let value = try subscription.ask(nil, read) else { return .same }
      return .changed(value)
    }

    /// Asks once; nil where the answer is the one before, and at the end.
    private mutating func ask(
      _ subscription: Subscription, isolation actor: isolated (any Actor)?
    ) async throws(SQLError) -> Value? {
      let cancellation = StatementCancellation()
      let result = await withTaskCancellationHandler {
        () -> Result<Value?, SQLError> in
        do throws(SQLError) {
          return .success(try subscription.ask(cancellation, read))
        } catch {
          return .failure(error)
        }
      } onCancel: {
        cancellation.cancel()
      }
      switch result {
      case .success(let value): return value
      case .failure(let error):
        self.subscription = nil
        if cancellation.isCancelled && error.state == .queryCanceled { return nil }
        throw error
      }
    }
  }
}
