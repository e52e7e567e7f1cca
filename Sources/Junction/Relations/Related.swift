public import Diagnostics

/// The rows that belong to a row.
///
/// It holds the row's key and no rows; it is the same whichever side it is looked at from. What was fetched before is a value and stays as
/// it was.
@dynamicMemberLookup
public struct Related<From: Record, To: Record>: Selection {
  /// The rows that belong to it.
  public typealias Row = To
  private let path: LinkPath

  init(_ row: From, _ declaration: RelationDeclaration) {
    path = LinkPath(start: RowStart(row), hops: [declaration])
  }

  /// The query that it stands for.
  public var query: Query<To> { path.query() }

  /// All rows that do not belong to it.
  public var available: Query<To> { path.others() }

  /// Whether a row belongs to it.
  ///
  /// - Throws: 55000 for a row that has no id yet; 42703, 42725, 42830 where the catalog does not have the relation.
  public func contains(_ row: To, _ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Bool
  {
    try path.contains(RowStart(row), db)
  }

  /// Lets a row belong to it.
  ///
  /// - Returns: Whether it did not before; one that does already is no error.
  /// - Throws: 23503 if one of the rows is not there; what other constraints say; 55000 for a row that has no id yet.
  @discardableResult
  public func add(_ row: To, _ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Bool {
    try path.add([RowStart(row)], db) > 0
  }

  /// Lets rows belong to it, in one statement.
  ///
  /// - Returns: How many did not before.
  /// - Throws: as `add` of one row.
  @discardableResult
  public func add(
    _ rows: some Sequence<To>, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    try path.add(rows.map { RowStart($0) }, db)
  }

  /// Lets a row no longer belong to it; both rows stay.
  ///
  /// - Returns: Whether it did before.
  /// - Throws: 55000 for a row that has no id yet; what constraints say.
  @discardableResult
  public func remove(_ row: To, _ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Bool {
    try path.remove([RowStart(row)], db) > 0
  }

  /// Lets rows no longer belong to it.
  ///
  /// - Returns: How many did before.
  /// - Throws: as `remove` of one row.
  @discardableResult
  public func remove(
    _ rows: some Sequence<To>, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> Int {
    try path.remove(rows.map { RowStart($0) }, db)
  }

  /// Lets no row belong to it.
  ///
  /// - Returns: How many did before.
  /// - Throws: as `remove` of one row.
  @discardableResult
  public func removeAll(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Int {
    try LinkChange(path, db).set([], db).removed
  }

  /// Makes these the rows that belong to it, and changes no link that stays; in this order if the relation keeps one.
  ///
  /// - Throws: as `add` and `remove`.
  @discardableResult
  public func set(
    _ rows: some Sequence<To>, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> LinkChanges {
    try LinkChange(path, db).set(rows.map { RowStart($0) }, db)
  }

  /// Moves a row to a place in the order that the relation keeps, or lets it belong to it there.
  ///
  /// - Throws: 55000 for a relation without an order; as `add`.
  public func place(
    _ row: To, at index: Int, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) {
    try LinkChange(path, db).place(RowStart(row), at: index, db)
  }

  /// The rows that belong to these rows, each once.
  public subscript<Next: Record>(
    dynamicMember relation: KeyPath<To.Relations, ToMany<To, Next>>
  ) -> Path<From, Next> { Path(path.longer(To.relations[keyPath: relation].declaration)) }

  /// The rows that belong to these rows through a junction table, each once.
  public subscript<Link: Record, Next: Record>(
    dynamicMember relation: KeyPath<To.Relations, ToManyThrough<To, Link, Next>>
  ) -> Path<From, Next> { Path(path.longer(To.relations[keyPath: relation].declaration)) }
}

/// How many links came and went.
public struct LinkChanges: Sendable, Hashable {
  /// How many rows did not belong to it before.
  public var added: Int
  /// How many rows no longer belong to it.
  public var removed: Int

  /// Numbers of links.
  public init(added: Int, removed: Int) {
    self.added = added
    self.removed = removed
  }
}

/// Rows that are reached over several relations, each once.
@dynamicMemberLookup
public struct Path<From: Record, To: Record>: Selection {
  /// The rows at its end.
  public typealias Row = To
  private let path: LinkPath

  init(_ path: LinkPath) { self.path = path }

  /// The query that it stands for.
  public var query: Query<To> { path.query() }

  /// One relation more.
  public subscript<Next: Record>(
    dynamicMember relation: KeyPath<To.Relations, ToMany<To, Next>>
  ) -> Path<From, Next> {
    Path<From, Next>(path.longer(To.relations[keyPath: relation].declaration))
  }

  /// One relation more, through a junction table.
  public subscript<Link: Record, Next: Record>(
    dynamicMember relation: KeyPath<To.Relations, ToManyThrough<To, Link, Next>>
  ) -> Path<From, Next> {
    Path<From, Next>(path.longer(To.relations[keyPath: relation].declaration))
  }
}

extension LinkPath {
  /// The rows at its end.
  func query<Row: Record>() -> Query<Row> {
    var tree = QueryTree(RecordSource(Row.self))
    tree.conditions = [.reached(self)]
    if hops.count == 1, hops[0].order != nil { tree.orders = [.links(self)] }
    return Query(tree)
  }

  /// The rows that are not at its end.
  func others<Row: Record>() -> Query<Row> {
    var tree = QueryTree(RecordSource(Row.self))
    tree.conditions = [.not(.reached(self))]
    return Query(tree)
  }

  func longer(_ hop: RelationDeclaration) -> LinkPath {
    LinkPath(start: start, hops: hops + [hop])
  }
}

/// The row that belongs to a row, if there is one.
public struct RelatedOne<From: Record, To: Record>: Selection {
  /// The row that belongs to it.
  public typealias Row = To
  private let path: LinkPath

  init(_ row: From, _ declaration: RelationDeclaration) {
    path = LinkPath(start: RowStart(row), hops: [declaration])
  }

  /// The query that it stands for.
  public var query: Query<To> { path.query() }

  /// The row; nil if there is none, also where a reference leads nowhere.
  ///
  /// - Throws: 42703, 42725 where the catalog does not have the relation.
  public func fetch(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> To? {
    try query.first(db)
  }

  /// Makes a row its partner, or nil for none; a partner that either had before is let go of.
  ///
  /// - Throws: 55000 for a row that has no id yet; 23503 for one that is not there; what other constraints say.
  public func set(_ row: To?, _ db: borrowing some Writer & ~Copyable) throws(SQLError) {
    try LinkChange(path, db).setPartner(row.map { RowStart($0) }, db)
  }
}
