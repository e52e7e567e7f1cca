public import Diagnostics
public import Observation

/// The newest answer to a question, for views: it changes on the main actor, and observation tells who has read it.
///
/// ```swift
/// let favorites = Live([], Fact.where { !$0.isArchived }.updates(in: database))
/// let archived = Live(0, Fact.where { $0.isArchived }.countUpdates(in: database))
/// ```
///
/// All values of one database are renewed from one state in one turn of the main actor. An error leaves `value` as it is and is shown
/// in `error` until the question can be answered again.
@MainActor
public final class Live<Value: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private var stored: Value
  private var failure: SQLError?
  private var subscription: Subscription
  private var read: LiveValues<Value>.Read

  /// The newest answer.
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return stored
  }

  /// Why the newest answer could not be had; nil where it could.
  public var error: SQLError? {
    registrar.access(self, keyPath: \.error)
    return failure
  }

  /// Shows a question's answers.
  ///
  /// - Parameters:
  ///   - initial: What is shown until the first answer is there, a turn of the main actor from now.
  ///   - updates: The question.
  public init(_ initial: Value, _ updates: LiveValues<Value>) {
    stored = initial
    subscription = Self.subscription(updates.database)
    read = updates.makeRead()
    updates.database.pump.add(self)
  }

  /// Asks another question from now on; what is shown stays until it is answered.
  public func follow(_ updates: LiveValues<Value>) {
    subscription = Self.subscription(updates.database)
    read = updates.makeRead()
    updates.database.pump.add(self)
  }

  private static func subscription(_ database: Database) -> Subscription {
    let pump = database.pump
    let watcher = Watcher {
      pump.schedule()
    } noteMark: {
      pump.note($0)
    }
    return Subscription(database, watcher)
  }

  private func show(_ value: Value) {
    registrar.withMutation(of: self, keyPath: \.value) { stored = value }
  }

  private func show(_ error: SQLError?) {
    if failure == nil && error == nil { return }
    registrar.withMutation(of: self, keyPath: \.error) { failure = error }
  }
}

extension Live: LiveMember {
  var watcher: Watcher { subscription.watcher }
  var pump: LivePump { subscription.database.pump }

  func renew(from snapshot: Snapshot) {
    subscription.database.registry.begin()
    do throws(SQLError) {
      let value = try subscription.answer(snapshot, read)
      show(nil)
      if let value { show(value) }
    } catch {
      show(error)
    }
  }
}
