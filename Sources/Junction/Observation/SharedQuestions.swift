import Diagnostics
import Execution
import Synchronization

/// The questions that are watched in a database, each once, however many watch it.
final class SharedQuestions: Sendable {
  /// What is asked.
  enum Question: Hashable, Sendable {
    case sql(SQL)
    case rows(QueryTree)
    case first(QueryTree)
    case count(QueryTree)
  }
  /// What is asked, and what becomes of the rows.
  struct Key: Hashable, Sendable {
    let question: Question
    let type: ObjectIdentifier
  }
  private struct Place: Sendable { weak var question: (any AnyObject & Sendable)? }

  private let known = Mutex<[Key: Place]>([:])

  /// One more who asks a question.
  func asker<Value: Sendable>(
    of question: Question, as type: Value.Type
  ) -> SharedQuestion<Value>.Asker {
    let key = Key(question: question, type: ObjectIdentifier(type))
    let shared = known.withLock { known in
      if let shared = known[key]?.question as? SharedQuestion<Value> { return shared }
      let shared = SharedQuestion<Value>(key, in: self)
      known[key] = Place(question: shared)
      return shared
    }
    return SharedQuestion.Asker(shared)
  }

  /// Lets go of a question that nobody asks any more.
  fileprivate func forget(_ key: Key) {
    // Somebody may have begun to ask it again. What is found is let go of behind the lock, as it may be the last to hold it.
    let found = known.withLock { known in
      let found = known[key]?.question
      if found == nil { known[key] = nil }
      return found
    }
    withExtendedLifetime(found) {}
  }
}

/// A question that several may ask: whoever asks a state first evaluates it, and the others get what came of it.
///
/// The answer is kept only while several ask; it holds the values alone, and no version of the database.
final class SharedQuestion<Value: Sendable>: Sendable {
  /// What came of asking a state.
  private struct Answer: Sendable {
    let version: UInt64
    let value: Value
    let digest: UInt64
    let reads: ReadSet
  }
  private struct State {
    var askerCount = 0
    var last: Answer?
  }
  private let state = Mutex(State())
  private let key: SharedQuestions.Key
  private let questions: SharedQuestions

  init(_ key: SharedQuestions.Key, in questions: SharedQuestions) {
    self.key = key
    self.questions = questions
  }

  deinit { questions.forget(key) }

  /// One who asks it, as long as it is held.
  final class Asker: Sendable {
    private let question: SharedQuestion

    init(_ question: SharedQuestion) {
      self.question = question
      question.state.withLock { $0.askerCount += 1 }
    }

    deinit {
      // What is let go of may run the program's code, which must not happen under the lock.
      let last = question.state.withLock { state -> Answer? in
        state.askerCount -= 1
        if state.askerCount > 1 { return nil }
        defer { state.last = nil }
        return state.last
      }
      withExtendedLifetime(last) {}
    }

    /// The answer of a state, and what tells it apart from others.
    ///
    /// - Returns: The values that `read` gives, or gave somebody else who has asked the same state.
    /// - Throws: what `read` throws.
    func answer(
      _ snapshot: Snapshot, _ read: (Snapshot) throws(SQLError) -> Value
    ) throws(SQLError) -> (value: Value, digest: UInt64) {
      let last = question.state.withLock { $0.last }
      if let last, last.version == snapshot.version {
        snapshot.observed?.adopt(last.reads, digest: last.digest)
        return (last.value, last.digest)
      }
      let value = try read(snapshot)
      guard let observed = snapshot.observed else { return (value, 0) }
      let digest = observed.digest
      let answer = Answer(
        version: snapshot.version, value: value, digest: digest, reads: observed.reads.take())
      let old = question.state.withLock { state -> Answer? in
        guard state.askerCount > 1, state.last.map({ $0.version < snapshot.version }) ?? true
        else { return nil }
        defer { state.last = answer }
        return state.last
      }
      withExtendedLifetime(old) {}
      return (value, digest)
    }
  }
}
