/// A row and what an algorithm says of it: how central it is, in how many triangles, how far away.
public struct Ranked<Row: Record, Value: SQLValueConvertible>: Sendable {
  /// The row.
  public var row: Row
  /// What is said of it.
  public var value: Value
}

extension Ranked: Equatable where Row: Equatable, Value: Equatable {}
extension Ranked: Hashable where Row: Hashable, Value: Hashable {}

/// A row and the number of the component or community that it is in, from 1 in the order of their first rows.
public struct Grouped<Row: Record>: Sendable {
  /// The row.
  public var row: Row
  /// The number of its group.
  public var group: Int
}

extension Grouped: Equatable where Row: Equatable {}
extension Grouped: Hashable where Row: Hashable {}

/// How many links a row has.
public struct Degree<Row: Record>: Sendable {
  /// The row.
  public var row: Row
  /// All of its links.
  public var count: Int
  /// Those that lead to it.
  public var incoming: Int
  /// Those that lead from it.
  public var outgoing: Int
}

extension Degree: Equatable where Row: Equatable {}
extension Degree: Hashable where Row: Hashable {}

/// How good a row is at leading to others, and at being led to.
public struct HubAndAuthority<Row: Record>: Sendable {
  /// The row.
  public var row: Row
  /// How good the rows are that it leads to.
  public var hub: Double
  /// How good the rows are that lead to it.
  public var authority: Double
}

extension HubAndAuthority: Equatable where Row: Equatable {}
extension HubAndAuthority: Hashable where Row: Hashable {}

/// Two rows that belong together.
public struct RowPair<Row: Record, Other: Record>: Sendable {
  /// The one row, from which an edge leads where it has a direction.
  public var row: Row
  /// The other row.
  public var other: Other
}

extension RowPair: Equatable where Row: Equatable, Other: Equatable {}
extension RowPair: Hashable where Row: Hashable, Other: Hashable {}

/// Two rows and what an algorithm says of them: what the way between them costs, in which component their edge is.
public struct RankedPair<Row: Record, Value: SQLValueConvertible>: Sendable {
  /// The one row, from which an edge leads where it has a direction.
  public var row: Row
  /// The other row.
  public var other: Row
  /// What is said of them.
  public var value: Value
}

extension RankedPair: Equatable where Row: Equatable, Value: Equatable {}
extension RankedPair: Hashable where Row: Hashable, Value: Hashable {}

/// Two rows that are alike by what belongs to both.
public struct Alike<Row: Record>: Sendable {
  /// The one row.
  public var row: Row
  /// The other row.
  public var other: Row
  /// How alike they are, by the measure asked for.
  public var similarity: Double
  /// How many rows belong to both.
  public var common: Int
}

extension Alike: Equatable where Row: Equatable {}
extension Alike: Hashable where Row: Hashable {}

/// A way over rows, and what it costs.
public struct Way<Row: Record>: Sendable {
  /// What its edges cost together; the number of them without weights.
  public var cost: Double
  /// The rows on it, its ends included.
  public var path: [Row]
}

extension Way: Equatable where Row: Equatable {}
extension Way: Hashable where Row: Hashable {}

/// How much flows along an edge.
public struct Flow<Row: Record>: Sendable {
  /// The row that the edge leads from.
  public var row: Row
  /// The row that it leads to.
  public var other: Row
  /// How much flows.
  public var flow: Double
  /// How much could.
  public var capacity: Double
}

extension Flow: Equatable where Row: Equatable {}
extension Flow: Hashable where Row: Hashable {}

/// Where a row stands in a picture of the graph.
public struct Placed<Row: Record>: Sendable {
  /// The row.
  public var row: Row
  /// How far to the right.
  public var x: Double
  /// How far down.
  public var y: Double
}

extension Placed: Equatable where Row: Equatable {}
extension Placed: Hashable where Row: Hashable {}

/// One of the ways to join three rows, and how often it occurs.
public struct Motif: Decodable, Sendable, Hashable {
  /// Its name in the literature: `021D`, `030T`, `300` and so on.
  public var kind: String
  /// How often it occurs.
  public var count: Int
}
