/// The open `\if … \elif … \else … \endif` of a script.
struct ConditionStack {
  private struct Branch {
    /// Whether lines of the branch at hand are run.
    var isActive: Bool
    /// Whether some branch of this condition has been taken.
    var wasTaken: Bool
    /// Whether what stands around the condition is run.
    let isEnclosingActive: Bool
    var sawElse = false
  }
  private var branches: [Branch] = []

  /// Whether lines are run now.
  var isActive: Bool { branches.last?.isActive ?? true }

  /// Whether a condition is open.
  var isOpen: Bool { !branches.isEmpty }

  /// Whether `\if` or `\elif` looks at its expression here; in a branch that is passed over none is.
  func isEvaluated(by command: String) -> Bool {
    guard command == "elif" else { return isActive }
    return branches.last.map { $0.isEnclosingActive && !$0.wasTaken && !$0.sawElse } ?? false
  }

  /// `\if`.
  mutating func begin(_ condition: Bool) {
    let enclosing = isActive
    branches.append(
      Branch(
        isActive: enclosing && condition, wasTaken: condition, isEnclosingActive: enclosing))
  }

  /// `\elif`; false where no `\if` is open.
  mutating func otherwise(if condition: Bool) -> Bool {
    guard var branch = branches.popLast(), !branch.sawElse else { return false }
    branch.isActive = branch.isEnclosingActive && !branch.wasTaken && condition
    branch.wasTaken = branch.wasTaken || condition
    branches.append(branch)
    return true
  }

  /// `\else`; false where no `\if` is open.
  mutating func otherwise() -> Bool {
    guard otherwise(if: true), var branch = branches.popLast() else { return false }
    branch.sawElse = true
    branches.append(branch)
    return true
  }

  /// `\endif`; false where no `\if` is open.
  mutating func end() -> Bool { branches.popLast() != nil }
}
