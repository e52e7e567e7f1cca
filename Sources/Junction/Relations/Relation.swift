/// What becomes of the other side when a row is deleted.
public enum DeleteRule: Sendable, Hashable {
  /// The reference becomes NULL; of a junction table the link goes, and both rows stay.
  case nullify
  /// The rows that refer to it go as well.
  case cascade
  /// The row cannot be deleted while others refer to it.
  case deny
  /// Nothing: the reference may lead nowhere.
  case noAction
}

/// At most one row: along a foreign key, or against one that is unique.
public struct ToOne<From: Record, To: Record>: Sendable, DeclaredRelation {
  let declaration: RelationDeclaration

  /// A relation to at most one row, found in the catalog when it is first used.
  ///
  /// - Parameters:
  ///   - column: The column that refers, where several do.
  ///   - deleteRule: What `Schema` makes of it, and compares with the catalog.
  public init(column: String? = nil, deleteRule: DeleteRule? = nil) {
    declaration = RelationDeclaration(
      kind: .one, from: RecordSource(From.self), to: RecordSource(To.self), column: column,
      deleteRule: deleteRule)
  }
}

/// Many rows: against a foreign key, or through a junction table.
public struct ToMany<From: Record, To: Record>: Sendable, DeclaredRelation {
  let declaration: RelationDeclaration

  /// A relation to many rows, found in the catalog when it is first used.
  ///
  /// - Parameters:
  ///   - junction: The junction table, where there are several or none is to be found.
  ///   - from: The junction's, or the child's, column that leads here, where both ends are one table.
  ///   - orderedBy: The column that keeps the order.
  ///   - deleteRule: What `Schema` makes of it, and compares with the catalog.
  ///   - count: How many there may be, as `Schema` says it.
  public init(
    through junction: String? = nil, from: String? = nil, orderedBy: String? = nil,
    deleteRule: DeleteRule? = nil, count: ClosedRange<Int>? = nil
  ) {
    declaration = RelationDeclaration(
      kind: .many, from: RecordSource(From.self), to: RecordSource(To.self), through: junction,
      column: from, order: orderedBy.map { .named($0) }, deleteRule: deleteRule, count: count)
  }
}

/// Many rows through a junction table whose rows are of interest themselves.
public struct ToManyThrough<From: Record, Link: Record, To: Record>: Sendable, DeclaredRelation {
  let declaration: RelationDeclaration

  /// A relation to many rows through the table of a record type.
  ///
  /// - Parameters:
  ///   - from: The junction's column that leads here, where both ends are one table.
  ///   - orderedBy: The property of the link that keeps the order.
  ///   - deleteRule: What `Schema` makes of it, and compares with the catalog.
  ///   - count: How many there may be, as `Schema` says it.
  public init(
    from: String? = nil, orderedBy: PartialKeyPath<Link>? = nil, deleteRule: DeleteRule? = nil,
    count: ClosedRange<Int>? = nil
  ) {
    declaration = RelationDeclaration(
      kind: .through, from: RecordSource(From.self), to: RecordSource(To.self),
      link: RecordSource(Link.self), column: from,
      order: orderedBy.map { .property(PropertyReference($0)) }, deleteRule: deleteRule,
      count: count)
  }
}

/// A property of `Relations`.
protocol DeclaredRelation {
  var declaration: RelationDeclaration { get }
}

/// What a record says of a relation, whatever the types are.
///
/// It is an object, so that handing it on counts one reference.
final class RelationDeclaration: Sendable {
  enum Kind: Sendable, Hashable {
    case one, many, through
  }

  /// The column that keeps the order of rows.
  enum Order: Sendable, Hashable {
    case named(String)
    case property(PropertyReference)
  }

  /// The relationship that it was found to be, kept for as long as the relation itself.
  let known = KnownRoute()
  let kind: Kind
  let from: RecordSource
  let to: RecordSource
  let link: RecordSource?
  /// The junction or child table.
  let through: String?
  /// The column that refers.
  let column: String?
  let order: Order?
  let deleteRule: DeleteRule?
  let count: ClosedRange<Int>?

  init(
    kind: Kind, from: RecordSource, to: RecordSource, link: RecordSource? = nil,
    through: String? = nil, column: String? = nil, order: Order? = nil,
    deleteRule: DeleteRule? = nil, count: ClosedRange<Int>? = nil
  ) {
    self.kind = kind
    self.from = from
    self.to = to
    self.link = link
    self.through = through
    self.column = column
    self.order = order
    self.deleteRule = deleteRule
    self.count = count
  }
}

extension RelationDeclaration: Hashable {
  /// What is said of it; what it was found to be follows from that.
  private var identity: Identity {
    Identity(
      kind: kind, from: from, to: to, link: link, through: through, column: column, order: order,
      deleteRule: deleteRule, count: count)
  }

  private struct Identity: Hashable {
    let kind: Kind
    let from: RecordSource
    let to: RecordSource
    let link: RecordSource?
    let through: String?
    let column: String?
    let order: Order?
    let deleteRule: DeleteRule?
    let count: ClosedRange<Int>?
  }

  static func == (one: RelationDeclaration, other: RelationDeclaration) -> Bool {
    one === other || one.identity == other.identity
  }

  func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// Relations of a record that has none.
public struct NoRelations: Sendable {
  init() {}
}

extension Record {
  /// At most one row of another type.
  public typealias One<To: Record> = ToOne<Self, To>
  /// Many rows of another type.
  public typealias Many<To: Record> = ToMany<Self, To>
  /// Many rows of another type through a junction table with a record of its own.
  public typealias Through<Link: Record, To: Record> = ToManyThrough<Self, Link, To>
}

extension Record where Relations == NoRelations {
  /// None.
  public static var relations: NoRelations { NoRelations() }
}

extension Record {
  /// The rows that belong to this one.
  public subscript<To: Record>(
    dynamicMember relation: KeyPath<Relations, ToMany<Self, To>>
  ) -> Related<Self, To> {
    Related(self, Self.relations[keyPath: relation].declaration)
  }

  /// The rows that belong to this one, with those of the junction table.
  public subscript<Link: Record, To: Record>(
    dynamicMember relation: KeyPath<Relations, ToManyThrough<Self, Link, To>>
  ) -> RelatedLinks<Self, Link, To> {
    RelatedLinks(self, Self.relations[keyPath: relation].declaration)
  }

  /// The row that belongs to this one, if there is one.
  public subscript<To: Record>(
    dynamicMember relation: KeyPath<Relations, ToOne<Self, To>>
  ) -> RelatedOne<Self, To> {
    RelatedOne(self, Self.relations[keyPath: relation].declaration)
  }
}
