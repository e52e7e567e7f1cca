extension TextsAsCodes {
  /// The rows that come into an operator, whose number is guessed when the first column with a code is met.
  final class Rows {
    private let inputs: [LogicalPlan]
    private var known: Double?

    init(_ inputs: LogicalPlan...) { self.inputs = inputs }

    func count(_ guess: (LogicalPlan) -> Double) -> Double {
      if let known { return known }
      let count = inputs.reduce(0) { $0 + guess($1) }
      known = count
      return count
    }
  }

  /// Profiles of common table expressions, which are made when the first column with a code asks for the number of some rows.
  final class Profiles {
    private var known: [Int: RelationProfile] = [:]
    /// In the order in which they may refer to each other.
    private var pending: [(id: Int, definition: LogicalPlan)] = []

    func note(_ id: Int, _ definition: LogicalPlan) { pending.append((id, definition)) }

    func profile(of plan: LogicalPlan, _ statistics: StatisticsSource) -> RelationProfile {
      for (id, definition) in pending {
        known[id] = RelationProfile.of(definition, statistics: statistics, commons: known)
          .shared(as: definition.outputs)
      }
      pending = []
      return RelationProfile.of(plan, statistics: statistics, commons: known)
    }
  }
}
