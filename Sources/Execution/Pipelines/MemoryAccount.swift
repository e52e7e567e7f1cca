import Columnar
import Diagnostics

/// What one operator holds of a budget, given back when it starts anew or goes.
final class MemoryAccount {
  private var held = 0
  private var budget: MemoryBudget?

  deinit { budget?.release(held) }

  /// Gives everything back and goes on with the budget of another run.
  func reset(_ context: ExecutionContext) {
    budget?.release(held)
    held = 0
    budget = context.memory
  }

  /// Hands over everything: what was held is somebody else's now.
  func handOver() -> HeldMemory? {
    if held == 0 { return nil }
    defer { held = 0 }
    return budget?.hand(over: held)
  }

  /// Holds `byteCount` more bytes.
  func charge(_ byteCount: Int) throws(SQLError) {
    held += byteCount
    try budget?.charge(byteCount)
  }

  /// Holds `byteCount` bytes in all.
  func set(_ byteCount: Int) throws(SQLError) {
    let change = byteCount - held
    if change > 0 {
      try charge(change)
    } else {
      held = byteCount
      budget?.release(-change)
    }
  }
}
