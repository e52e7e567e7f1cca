import Diagnostics
import Junction

extension Shell {
  /// Runs `\d` and its family; false for any other command.
  func runDescription(_ command: MetaCommand) throws(SQLError) -> Bool { false }
}
