/// What completion offers for the arguments of a command.
enum CommandCompletion: Sendable {
  case nothing
  case words([String])
  case files
  case relations, tables, views, indexes, drawableTables
  case functions, types, schemas, graphs
  /// The names of variables, and of one with its values.
  case variables, assignment
  /// The options of `\pset`, and the values of one.
  case printOption
  /// The settings of the session.
  case settings
  /// The statements that `\h` knows.
  case statements
  /// `\erd`, `\copy`, `\plot` and `\graph`, where several things stand one after another.
  case drawing, copy, plot, graph
  /// The relationships of the row at hand.
  case relationships
}
