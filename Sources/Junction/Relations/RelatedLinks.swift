import Catalog
public import Diagnostics

/// The rows that belong to a row through a junction table, and the rows of that table.
@dynamicMemberLookup
public struct RelatedLinks<From: Record, Link: Record, To: Record>: Selection {
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

  /// The rows of the junction table.
  public var links: Query<Link> {
    var tree = QueryTree(RecordSource(Link.self))
    tree.conditions = [.linksFrom(path, to: nil)]
    return Query(tree)
  }

  /// The rows with those of the junction table, in the order that the relation keeps, else in that of the key.
  public var linked: Query<Linked<Link, To>> {
    var tree: QueryTree = (path.query() as Query<To>).tree
    tree.conditions = []
    tree.links = path
    tree.ordersByKey = true
    return Query(tree)
  }

  /// Whether a row belongs to it.
  ///
  /// - Throws: 55000 for a row that has no id yet; 42703, 42725, 42830 where the catalog does not have the relation.
  public func contains(_ row: To, _ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Bool
  {
    try path.contains(RowStart(row), db)
  }

  /// The row of the junction table that links a row, nil if there is none.
  ///
  /// - Throws: as `contains`.
  public func link(
    to row: To, _ db: borrowing some Reader & ~Copyable
  ) throws(SQLError) -> Link? {
    var tree = QueryTree(RecordSource(Link.self))
    tree.conditions = [.linksFrom(path, to: RowStart(row))]
    return try Query<Link>(tree).first(db)
  }

  /// Links a row, or changes the link that there is.
  ///
  /// ```swift
  /// try john.enrolments.add(drama, db) { $0.mark = 92.5 }
  /// ```
  ///
  /// - Throws: 23503 if one of the rows is not there; what other constraints say; 55000 for a row that has no id yet.
  public func add(
    _ row: To, _ db: borrowing some Writer & ~Copyable,
    _ assign: (inout Assignments<Link>) -> Void = { _ in }
  ) throws(SQLError) {
    var assignments = Assignments<Link>()
    assign(&assignments)
    try LinkChange(path, db).add(
      RowStart(row), { (layout) throws(SQLError) in try assignments.values(in: layout) }, db)
  }

  /// Links rows, or changes the links that there are: all of them or none.
  ///
  /// - Returns: How many rows.
  /// - Throws: as `add` of one row.
  @discardableResult
  public func add(
    _ rows: some Sequence<To>, _ db: borrowing some Writer & ~Copyable,
    _ assign: (To, inout Assignments<Link>) -> Void = { _, _ in }
  ) throws(SQLError) -> Int {
    let change = try LinkChange(path, db)
    var statements: [SQL] = []
    for row in rows {
      var assignments = Assignments<Link>()
      assign(row, &assignments)
      statements.append(
        try change.addition(of: RowStart(row)) { (layout) throws(SQLError) in
          try assignments.values(in: layout)
        })
    }
    _ = try db.run(Request(.unit(statements)))
    return statements.count
  }

  /// Lets a row no longer belong to it; both rows stay.
  ///
  /// - Returns: Whether it did before.
  /// - Throws: 55000 for a row that has no id yet; what constraints say.
  @discardableResult
  public func remove(_ row: To, _ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Bool {
    try path.remove([RowStart(row)], db) > 0
  }

  /// Makes these the rows that belong to it, and changes no link that stays.
  ///
  /// - Throws: as `add` and `remove`.
  @discardableResult
  public func set(
    _ rows: some Sequence<To>, _ db: borrowing some Writer & ~Copyable
  ) throws(SQLError) -> LinkChanges {
    try LinkChange(path, db).set(rows.map { RowStart($0) }, db)
  }

  /// The rows that belong to these rows, each once.
  public subscript<Next: Record>(
    dynamicMember relation: KeyPath<To.Relations, ToMany<To, Next>>
  ) -> Path<From, Next> { Path(path.longer(To.relations[keyPath: relation].declaration)) }

  /// The rows that belong to these rows through a junction table, each once.
  public subscript<NextLink: Record, Next: Record>(
    dynamicMember relation: KeyPath<To.Relations, ToManyThrough<To, NextLink, Next>>
  ) -> Path<From, Next> { Path(path.longer(To.relations[keyPath: relation].declaration)) }
}

extension Writer where Self: ~Copyable {
  /// Links many pairs of keys at once: a bulk load of the junction table.
  ///
  /// ```swift
  /// try db.link(\Student.Relations.courses, pairs)
  /// ```
  ///
  /// - Returns: How many were not linked before.
  /// - Throws: 23503 for a key that is not there; 22023 for keys of several columns; 42703, 42725, 42830 where the catalog does
  ///   not have the relation through a junction table. Nothing of the call stays then.
  /// - Complexity: O(*n*) in the pairs.
  @discardableResult
  public func link<From: Record, To: Record>(
    _ relation: KeyPath<From.Relations, ToMany<From, To>>,
    _ pairs: some Sequence<(any SQLValueConvertible, any SQLValueConvertible)>
  ) throws(SQLError) -> Int {
    let declaration = From.relations[keyPath: relation].declaration
    let route = try RelationRoute.of(declaration, CatalogView.of(self))
    guard let junction = route.junction, route.nearColumns.count == 1, route.farColumns.count == 1
    else {
      throw SQLError(
        .invalidParameterValue,
        "pairs of keys are linked through a junction table with keys of one column",
        hint: "Add rows by `add`.")
    }
    let (near, far) = (route.nearColumns[0], route.farColumns[0])
    let writers = [near, far].map {
      ColumnWriter(junction.columns[$0].name, junction.columns[$0].type)
    }
    let load = try ValueLoad(pairs, writers, into: junction)
    return try run(Request(.load(load))).rowCount
  }
}
