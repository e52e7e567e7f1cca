import Diagnostics

/// When an algorithm that comes nearer to its result with each iteration ends.
struct IterationLimits {
  /// It ends when values change by less.
  let tolerance: Double
  /// It ends after so many.
  let count: Int

  /// The arguments `tolerance` and `iterations`, from a place on.
  ///
  /// - Throws: 22023 where one is negative.
  init(_ arguments: GraphArgumentValues, at place: Int) throws(SQLError) {
    tolerance = arguments.double(place)
    count = arguments.integer(place + 1)
    try arguments.require(tolerance >= 0, "tolerance must not be negative")
    try arguments.require(count >= 0, "iterations must not be negative")
  }
}
