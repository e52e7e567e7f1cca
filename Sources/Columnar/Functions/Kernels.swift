package import Diagnostics

/// Computes one function for a whole chunk.
///
/// Arguments are flat or constant vectors of `count` rows; the result is flat or constant, of `count` rows.
/// Where every argument is constant the caller passes `count` 1 and spreads the result.
package typealias ScalarKernel =
  @Sendable (_ arguments: [Vector], _ count: Int, _ context: EvaluationContext) throws(SQLError) ->
  Vector

/// Gathers one aggregate for many groups at once.
///
/// Groups are numbered from 0; `update` adds row *i* to group `groups[i]`. Accumulators of two workers
/// are brought together by `merge`.
package protocol AggregateAccumulator: AnyObject {
  /// Makes room for groups below `groupCount`.
  func grow(to groupCount: Int)
  /// Adds `count` rows of `arguments` (flat vectors; none for `count(*)`), row *i* to group `groups[i]`, or all to group 0 where
  /// `groups` is nil.
  func update(groups: Buffer<UInt32>?, arguments: [Vector], count: Int) throws(SQLError)
  /// Adds group *i* of `other` (of the same class) to group `groups[i]`, for all *i* below `count`.
  func merge(_ other: any AggregateAccumulator, groups: Buffer<UInt32>, count: Int) throws(SQLError)
  /// The results of groups `range`.
  func results(_ range: Range<Int>) throws(SQLError) -> Vector
  /// The bytes held, for memory accounting.
  var byteCount: Int { get }
}

/// An accumulator that can take a row for many that are equal.
package protocol WeightedAccumulator: AggregateAccumulator {
  /// Adds row *i* of `argument` `weights[i]` times, none of which is negative.
  func update(
    groups: Buffer<UInt32>?, argument: Vector, weights: Buffer<Int64>, count: Int
  ) throws(SQLError)
}

/// An accumulator of sums of whole numbers, or of numbers that are kept as such.
package protocol SummingAccumulator: AggregateAccumulator {
  /// Adds to group *i*, for all *i* below `count`, a sum of so many values; the last `scale` digits of all sums stand behind the point.
  func add(
    sums: Buffer<Int64>, ofValues counts: Buffer<Int64>, scale: Int16, count: Int
  ) throws(SQLError)
}

/// An accumulator whose states hold what other aggregates of the same values are made of, such as how many there are.
package protocol SharedAccumulator: AggregateAccumulator {
  /// Whether the results of another one, given the same values, can be made from the states of this one.
  func holds(_ other: any AggregateAccumulator) -> Bool
  /// The results that `other` would have of groups `range`.
  ///
  /// - Precondition: this one holds the other.
  func results(
    _ range: Range<Int>, of other: any AggregateAccumulator
  ) throws(SQLError) -> Vector
  /// How many values there are of each of the groups `range`.
  ///
  /// - Complexity: O(groups of the range).
  func valueCounts(_ range: Range<Int>) -> Buffer<Int64>
}

/// Makes the accumulator of an aggregate for arguments of these types.
package typealias AggregateFactory =
  @Sendable (_ argumentTypes: [LogicalType], _ resultType: LogicalType) -> any AggregateAccumulator

/// What gives the rows of a set-returning function.
package enum SetReturningKernel: Sendable {
  /// For one row of arguments after another.
  case rows(RowsKernel)
  /// For all rows of a chunk at once.
  case spans(SpansKernel)
}

/// Rows that a set-returning function gives for one row of arguments, in chunks.
///
/// `arguments` are vectors of one row; `emit` takes a chunk of the result's columns and says whether
/// more are wanted.
package typealias RowsKernel =
  @Sendable (
    _ arguments: [Vector], _ context: EvaluationContext,
    _ emit: (DataChunk) throws(SQLError) -> Bool
  ) throws(SQLError) -> Void

/// What a set-returning function gives for each row of a chunk of arguments, flat or constant ones; nothing for a row with a NULL
/// unless the function is not strict.
package typealias SpansKernel =
  @Sendable (_ arguments: [Vector], _ count: Int, _ context: EvaluationContext) throws(SQLError) ->
  RowSpans

/// How much a function's result depends on besides its arguments.
package enum FunctionVolatility: UInt8, Sendable, Hashable, Comparable {
  case immutable, stable, volatile

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Makes a kernel for arguments whose types are settled.
package typealias KernelFactory =
  @Sendable (_ argumentTypes: [LogicalType], _ resultType: LogicalType) throws(SQLError) ->
  ScalarKernel

/// Makes the kernel of a set-returning function for settled argument types.
package typealias SetReturningFactory =
  @Sendable (_ argumentTypes: [LogicalType]) throws(SQLError) -> SetReturningKernel
