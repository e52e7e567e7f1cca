import Diagnostics
import Junction

extension Shell {
  /// `\schema sql|swift`: the statements that make everything but rows, or record types for the tables.
  ///
  /// - Throws: 22023 for another word.
  func showSchema(_ command: MetaCommand) throws(SQLError) {
    switch try command.required(0) {
    case "sql": for statement in connection.definitions { output.writeLine(statement) }
    case "swift": output.write(connection.swiftRecords)
    case let word:
      throw SQLError(
        .invalidParameterValue, "\\schema: \"\(word)\" is neither sql nor swift",
        hint: "Write \\schema sql or \\schema swift; \\erd draws it, \\dump writes rows as well.")
    }
  }
}
