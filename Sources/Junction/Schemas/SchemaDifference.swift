/// Something that a database lacks, or has otherwise, in words and as the statements that settle it.
///
/// ```swift
/// for difference in try Schema(Student.self, Course.self).differences(db) {
///   print(difference)                                            // table "course" lacks column "name" of …
///   for statement in difference.statements { print(statement) }  // ALTER TABLE course ADD COLUMN name text;
/// }
/// ```
public struct SchemaDifference: Sendable, Hashable, CustomStringConvertible {
  /// What differs, in words.
  public let description: String
  /// The statements that settle it, to be run in this order and after those of the differences before.
  public let statements: [String]

  init(_ description: String, _ statements: [String]) {
    self.description = description
    self.statements = statements
  }
}
