public import Diagnostics

/// What gives rows: a query, the rows related to a row, a path over several relations.
public protocol Selection<Row>: Sendable {
  /// What the rows become.
  associatedtype Row: Decodable & Sendable
  /// The query that it stands for.
  var query: Query<Row> { get }
}

/// A query as a value; nothing is read before it is fetched.
public struct Query<Row: Decodable & Sendable>: Selection {
  var tree: QueryTree

  init(_ tree: QueryTree) { self.tree = tree }

  /// The query itself.
  public var query: Query<Row> { self }

  /// The same with another tree.
  func changed(_ change: (inout QueryTree) -> Void) -> Query<Row> {
    var result = self
    change(&result.tree)
    return result
  }
}

extension Selection {
  /// The rows.
  ///
  /// - Throws: 42703, 42725, 42830 for relations that the catalog does not have; 42804 for rows that do not fit.
  /// - Complexity: of the query, and O(*n*) in its values.
  public func fetch(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> [Row] {
    let tree = query.tree
    if tree.links != nil || tree.reach != nil {
      // Which columns are whose is said by the catalog.
      let view = try CatalogView.of(db)
      return try values(of: try db.query(QueryRenderer.select(tree, view)), view)
    }
    let request = Request(
      .made { (view) throws(SQLError) in try QueryRenderer.select(tree, view) })
    return try db.run(request).decode(Row.self)
  }

  /// What the rows of a result become; `view` says which columns are whose.
  func values(of rows: ResultSet, _ view: CatalogView) throws(SQLError) -> [Row] {
    if let type = Row.self as? any ComposedRow.Type,
      let found = try type.rows(of: rows, view) as? [Row]
    {
      return found
    }
    return try rows.decode(Row.self)
  }

  /// The first row, nil if there is none.
  ///
  /// - Throws: as `fetch`.
  public func first(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Row? {
    try limit(min(query.tree.limit ?? 1, 1), offset: query.tree.offset).fetch(db).first
  }

  /// The one row that there is.
  ///
  /// - Throws: P0002 if there is no row, P0003 if there are several; as `fetch`.
  public func one(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Row {
    let rows = try limit(min(query.tree.limit ?? 2, 2), offset: query.tree.offset).fetch(db)
    if rows.count > 1 {
      throw SQLError(
        .tooManyRows, "query returned more than one row", hint: "first(_:) gives any of them.")
    }
    guard let row = rows.first else {
      throw SQLError(
        .noDataFound, "query returned no rows", hint: "first(_:) gives nil where there is none.")
    }
    return row
  }

  /// How many rows there are.
  ///
  /// - Throws: as `fetch`.
  public func count(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Int {
    let sql = try QueryRenderer.count(query.tree, CatalogView.of(db))
    return try db.fetchOne(Int.self, sql)
  }

  /// Whether there is no row.
  ///
  /// - Throws: as `fetch`.
  public func isEmpty(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> Bool {
    var tree = query.tree
    tree.limit = min(tree.limit ?? 1, 1)
    tree.orders = []
    tree.ordersByKey = false
    return try db.query(QueryRenderer.select(tree, CatalogView.of(db), list: "1")).isEmpty
  }

  /// The first rows behind some that are left out.
  public func limit(_ count: Int, offset: Int = 0) -> Query<Row> {
    query.changed {
      $0.limit = max(0, count)
      $0.offset = max(0, offset)
    }
  }

  /// The rows without making values of them.
  ///
  /// - Throws: as `fetch`.
  public func result(_ db: borrowing some Reader & ~Copyable) throws(SQLError) -> ResultSet {
    try db.query(sql(in: db))
  }

  /// The SQL that it stands for in a database, whose catalog knows the relations.
  ///
  /// - Throws: 42703, 42725, 42830 for relations that the catalog does not have.
  public func sql(in db: borrowing some Reader & ~Copyable) throws(SQLError) -> SQL {
    try QueryRenderer.select(query.tree, CatalogView.of(db))
  }
}

extension Record {
  /// All rows of the table.
  public static var all: Query<Self> { Query(QueryTree(RecordSource(Self.self))) }

  /// The rows that meet a condition: `Course.where { $0.name == "Drama" }`.
  public static func `where`<C: Conditional>(_ condition: (Columns<Self>) -> C) -> Query<Self>
  where C.Root == Self { all.where(condition) }

  /// All rows, in the order of a property.
  public static func order<Value>(
    by property: KeyPath<Self, Value>, _ direction: Direction = .ascending
  ) -> Query<Self> { all.order(by: property, direction) }
}

extension Selection where Row: Record {
  /// Those rows that meet a condition as well.
  public func `where`<C: Conditional>(_ condition: (Columns<Row>) -> C) -> Query<Row>
  where C.Root == Row {
    let tree = condition(Columns()).condition.tree
    return query.changed { $0.conditions.append(tree) }
  }

  /// The rows in the order of a property; within the orders asked for before.
  public func order<Value>(
    by property: KeyPath<Row, Value>, _ direction: Direction = .ascending
  ) -> Query<Row> {
    let column = ColumnTree.property(PropertyReference(property))
    return query.changed { $0.orders.append(.column(column, direction)) }
  }

  /// The rows in an order in SQL.
  public func order(_ sql: SQL) -> Query<Row> { query.changed { $0.orders.append(.sql(sql)) } }

  /// The rows but this one.
  public func excluding(_ row: Row) -> Query<Row> {
    query.changed { $0.conditions.append(.not(.isRow(RowStart(row)))) }
  }

  /// Rows after this one in the order asked for, and then in that of the key: pages that do not shift.
  public func after(_ row: Row) -> Query<Row> {
    query.changed { tree in
      tree.conditions.append(.after(RowStart(row), tree.orders))
      tree.ordersByKey = true
    }
  }

  /// Deletes the rows.
  ///
  /// - Returns: How many there were.
  /// - Throws: what a constraint says; as `fetch`.
  @discardableResult
  public func deleteAll(_ db: borrowing some Writer & ~Copyable) throws(SQLError) -> Int {
    let view = try CatalogView.of(db)
    let table = QueryRenderer.Table(try query.tree.root.layout(view))
    return try db.execute(
      QueryRenderer.change(SQL(raw: "DELETE FROM \(table.from)"), query.tree, view))
  }

  /// Changes properties of all rows.
  ///
  /// ```swift
  /// try Course.where { $0.shortCode == nil }.updateAll(db) { $0.name = "?" }
  /// ```
  ///
  /// - Returns: How many rows there were.
  /// - Throws: what a constraint says; 42703 for a property without a column; as `fetch`.
  @discardableResult
  public func updateAll(
    _ db: borrowing some Writer & ~Copyable, _ assign: (inout Assignments<Row>) -> Void
  ) throws(SQLError) -> Int {
    var assignments = Assignments<Row>()
    assign(&assignments)
    let view = try CatalogView.of(db)
    let table = QueryRenderer.Table(try query.tree.root.layout(view))
    let values = try assignments.values(in: table.layout)
    if values.isEmpty { return try count(db) }
    var head = SQL(raw: "UPDATE \(table.from) SET ")
    for (index, value) in values.enumerated() {
      head.write((index == 0 ? "" : ", ") + value.column.name + " = ")
      head.bind(value.value)
    }
    return try db.execute(QueryRenderer.change(head, query.tree, view))
  }
}

/// New values of a record's properties.
@dynamicMemberLookup
public struct Assignments<R: Record> {
  private var changes: [(property: PropertyReference, value: SQLValue)] = []

  init() {}

  /// The value that a property is to have; what was not set before is nil.
  public subscript<Value: SQLValueConvertible>(
    dynamicMember property: KeyPath<R, Value>
  ) -> Value? {
    get {
      let name = PropertyReference(property).name
      return changes.last { $0.property.name == name }.flatMap {
        try? Value(sqlValue: $0.value)
      }
    }
    set { changes.append((PropertyReference(property), newValue.sqlValue)) }
  }

  /// The columns and their values; of several for one column the last one counts.
  func values(
    in layout: RecordLayout
  ) throws(SQLError) -> [(column: RecordColumn, value: SQLValue)] {
    var result: [(column: RecordColumn, value: SQLValue)] = []
    for change in changes {
      let column = layout.columns[try change.property.place(in: layout)]
      result.removeAll { $0.column.index == column.index }
      result.append((column, change.value))
    }
    return result
  }
}
