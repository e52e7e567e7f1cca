import Diagnostics

/// What a query asks for, whatever its rows are decoded as.
struct QueryTree: Sendable, Hashable {
  /// The record type from whose table the rows come.
  let root: RecordSource
  var conditions: [ConditionTree] = []
  var orders: [OrderTree] = []
  /// Whether the key decides where all orders are equal.
  var ordersByKey = false
  var limit: Int?
  var offset = 0
  /// The links that the rows are given with, of the relation that leads to them.
  var links: LinkPath?
  /// The way on which the rows are reached, with which they are given.
  var reach: Reach?
  /// What is given of each row beside its columns.
  var embeds: [Embed] = []
  /// What the rows are to become, if it is not the record.
  var shape: Result<ShapeTree, SQLError>?

  init(_ root: RecordSource) { self.root = root }

  /// The relation that the rows belong to, or do not, if they are asked for by nothing else.
  var onlyPath: (path: LinkPath, isNegated: Bool)? {
    guard conditions.count == 1, links == nil, reach == nil, embeds.isEmpty, shape == nil else {
      return nil
    }
    if case .reached(let path) = conditions[0], path.hops.count == 1 { return (path, false) }
    if case .not(let condition) = conditions[0], case .reached(let path) = condition,
      path.hops.count == 1
    {
      return (path, true)
    }
    return nil
  }

  /// Whether the rows are asked for in any order, and all of them.
  var isUnordered: Bool { orders.isEmpty && !ordersByKey && limit == nil && offset == 0 }
}

/// How the rows of a relation are asked for, whatever row it leads from: questions of equal forms differ in values alone.
struct RelatedForm: Hashable, Sendable {
  /// An order without the row that the relation leads from.
  enum Order: Hashable, Sendable {
    case column(ColumnTree, Direction)
    case sql(SQL)
    /// The order that the relation itself keeps.
    case links
  }

  let isNegated: Bool
  private var orders: [Order] = []
  private let ordersByKey: Bool
  private let limit: Int?
  private let offset: Int

  /// nil where the order is that of another relation.
  init?(_ tree: QueryTree, _ path: LinkPath, isNegated: Bool) {
    self.isNegated = isNegated
    ordersByKey = tree.ordersByKey
    (limit, offset) = (tree.limit, tree.offset)
    for order in tree.orders {
      switch order {
      case .column(let column, let direction): orders.append(.column(column, direction))
      case .sql(let sql): orders.append(.sql(sql))
      case .links(let own):
        if own !== path { return nil }
        orders.append(.links)
      }
    }
  }
}

/// An order of rows.
enum OrderTree: Sendable, Hashable {
  case column(ColumnTree, Direction)
  case sql(SQL)
  /// The order that an ordered relation keeps.
  case links(LinkPath)
}

/// The direction of an order; NULL is the greatest value.
public enum Direction: Sendable, Hashable {
  case ascending, descending
}

/// A value of a row.
enum ColumnTree: Sendable, Hashable {
  case property(PropertyReference)
  /// How many rows belong to it.
  case count(RelationDeclaration)
}

/// A comparison as SQL has it.
enum ComparisonTree: String, Sendable {
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

/// A condition on the rows of a query.
indirect enum ConditionTree: Sendable, Hashable {
  /// Equal as Swift has it: nil equals nil.
  case equal(ColumnTree, SQLValue)
  case equalColumns(ColumnTree, ColumnTree)
  case compare(ColumnTree, ComparisonTree, SQLValue)
  case isIn(ColumnTree, [SQLValue])
  case like(ColumnTree, String)
  case isTrue(ColumnTree)
  case all([ConditionTree])
  case any([ConditionTree])
  case not(ConditionTree)
  case sql(SQL)
  /// Some of the rows that belong to it meet a condition, or there are some.
  case hasRelated(RelationDeclaration, ConditionTree?)
  /// All of these rows belong to it.
  case contains(RelationDeclaration, [RowStart])
  /// It is reached from a row.
  case reached(LinkPath)
  /// Rows belong to it that a path leads to as well.
  case shares(LinkPath)
  /// It is a row of the junction table that leads from a row, and to another one if that is said.
  case linksFrom(LinkPath, to: RowStart?)
  /// It is this row.
  case isRow(RowStart)
  /// It comes behind a row in the order of the query.
  case after(RowStart, [OrderTree])
}

/// A way from a row over relations.
///
/// It is an object, so that handing it on counts one reference.
final class LinkPath: Sendable, Hashable {
  let start: RowStart
  let hops: [RelationDeclaration]

  init(start: RowStart, hops: [RelationDeclaration]) {
    self.start = start
    self.hops = hops
  }

  static func == (one: LinkPath, other: LinkPath) -> Bool {
    one === other || (one.hops == other.hops && one.start == other.start)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(start)
    hasher.combine(hops)
  }
}
