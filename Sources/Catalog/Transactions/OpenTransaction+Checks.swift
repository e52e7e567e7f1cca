package import Diagnostics

/// What a transaction checks later than it writes.
extension OpenTransaction {
  /// Lets a check run at the end of the statement.
  package func addStatementCheck(_ check: any PendingCheck) { statementChecks.append(check) }

  /// Lets a check run at commit.
  package func addDeferredCheck(_ check: any PendingCheck) {
    content.deferredChecks.append(check)
  }

  /// Whether a constraint waits for the commit.
  package func isDeferred(
    _ deferral: ConstraintDeferral, _ constraint: ConstraintReference
  ) -> Bool {
    guard deferral.isDeferrable else { return false }
    return deferralOverrides[constraint] ?? overrideOfAll ?? deferral.isInitiallyDeferred
  }

  /// SET CONSTRAINTS; nil for ALL.
  ///
  /// - Throws: what checks find that are no longer deferred.
  package func setConstraints(
    _ constraints: [ConstraintReference]?, deferred: Bool
  ) throws(SQLError) {
    if let constraints {
      for constraint in constraints { deferralOverrides[constraint] = deferred }
    } else {
      overrideOfAll = deferred
      deferralOverrides = [:]
    }
    if !deferred { try runDeferredChecks() }
  }

  func runDeferredChecks() throws(SQLError) {
    shareTables()
    let checks = content.deferredChecks
    content.deferredChecks = []
    for check in checks { try check.run(in: self) }
  }
}

/// A constraint of a table by name, as SET CONSTRAINTS knows it.
package struct ConstraintReference: Hashable, Sendable {
  package var table: ObjectID
  package var name: String

  package init(table: ObjectID, name: String) {
    self.table = table
    self.name = name
  }
}
