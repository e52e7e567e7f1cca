/// The columns and relations of a record's rows, to make conditions of.
@dynamicMemberLookup
public struct Columns<R: Record>: Sendable {
  init() {}

  /// The column of a property.
  public subscript<Value>(dynamicMember property: KeyPath<R, Value>) -> Column<R, Value> {
    Column(.property(PropertyReference(property)))
  }

  /// The rows that belong to a row.
  public subscript<To: Record>(
    dynamicMember relation: KeyPath<R.Relations, ToMany<R, To>>
  ) -> RelationTest<R, To> { RelationTest(R.relations[keyPath: relation].declaration) }

  /// The rows that belong to a row, through a junction table.
  public subscript<Link: Record, To: Record>(
    dynamicMember relation: KeyPath<R.Relations, ToManyThrough<R, Link, To>>
  ) -> RelationTest<R, To> { RelationTest(R.relations[keyPath: relation].declaration) }

  /// The row that belongs to a row.
  public subscript<To: Record>(
    dynamicMember relation: KeyPath<R.Relations, ToOne<R, To>>
  ) -> RelationTest<R, To> { RelationTest(R.relations[keyPath: relation].declaration) }

  /// A condition in SQL, in which the table has its own name.
  public func sql(_ condition: SQL) -> Condition<R> { Condition(.sql(condition)) }
}

/// A column of a record's rows, or another value that each of them has.
public struct Column<Root: Record, Value>: Sendable {
  let tree: ColumnTree

  init(_ tree: ColumnTree) { self.tree = tree }

  /// The coding key of its property, or the name that it is mapped to.
  public var name: String {
    switch tree {
    case .property(let property): property.name
    case .count: "count"
    }
  }
}

extension Record {
  /// The column of a property, to be named in SQL: `"SELECT \(Course.column(\.shortCode)) FROM \(Course.self)"`.
  public static func column<Value>(_ property: KeyPath<Self, Value>) -> Column<Self, Value> {
    Column(.property(PropertyReference(property)))
  }
}

/// What can stand as a condition: a condition, or a column that is true or false.
public protocol Conditional<Root>: Sendable {
  /// The record on whose rows it is a condition.
  associatedtype Root: Record
  /// The condition.
  var condition: Condition<Root> { get }
}

/// A condition on the rows of a record's table.
public struct Condition<Root: Record>: Conditional {
  let tree: ConditionTree

  init(_ tree: ConditionTree) { self.tree = tree }

  /// The condition itself.
  public var condition: Condition<Root> { self }
}

extension Conditional {
  /// Both conditions hold.
  public static func && (one: Self, other: some Conditional<Root>) -> Condition<Root> {
    Condition(.all([one.condition.tree, other.condition.tree]))
  }

  /// One of the conditions holds, or both do.
  public static func || (one: Self, other: some Conditional<Root>) -> Condition<Root> {
    Condition(.any([one.condition.tree, other.condition.tree]))
  }

  /// The condition does not hold.
  public static prefix func ! (one: Self) -> Condition<Root> {
    Condition(.not(one.condition.tree))
  }
}

extension Column: Conditional where Value == Bool {
  /// That it is true.
  public var condition: Condition<Root> { Condition(.isTrue(tree)) }
}

extension Column where Value: SQLValueConvertible {
  /// Equal, as Swift has it: nil equals nil.
  public static func == (one: Self, other: Value) -> Condition<Root> {
    Condition(.equal(one.tree, other.sqlValue))
  }
  /// Not equal, as Swift has it.
  public static func != (one: Self, other: Value) -> Condition<Root> {
    Condition(.not(.equal(one.tree, other.sqlValue)))
  }
  /// Equal columns, as Swift has it.
  public static func == (one: Self, other: Self) -> Condition<Root> {
    Condition(.equalColumns(one.tree, other.tree))
  }
  /// Less; not so for nil.
  public static func < (one: Self, other: Value) -> Condition<Root> {
    Condition(.compare(one.tree, .less, other.sqlValue))
  }
  /// Less or equal; not so for nil.
  public static func <= (one: Self, other: Value) -> Condition<Root> {
    Condition(.compare(one.tree, .lessOrEqual, other.sqlValue))
  }
  /// Greater; not so for nil.
  public static func > (one: Self, other: Value) -> Condition<Root> {
    Condition(.compare(one.tree, .greater, other.sqlValue))
  }
  /// Greater or equal; not so for nil.
  public static func >= (one: Self, other: Value) -> Condition<Root> {
    Condition(.compare(one.tree, .greaterOrEqual, other.sqlValue))
  }
  /// One of some values.
  public func isIn(_ values: some Sequence<Value>) -> Condition<Root> {
    Condition(.isIn(tree, values.map(\.sqlValue)))
  }
}

extension Column where Value: SQLValueConvertible & Comparable {
  /// Within a range, both ends included.
  public func between(_ range: ClosedRange<Value>) -> Condition<Root> {
    Condition(
      .all([
        .compare(tree, .greaterOrEqual, range.lowerBound.sqlValue),
        .compare(tree, .lessOrEqual, range.upperBound.sqlValue),
      ]))
  }
}

extension Column {
  /// Like a pattern of SQL, in which `%` stands for any text and `_` for any character.
  public func like(_ pattern: String) -> Condition<Root> { Condition(.like(tree, pattern)) }

  /// NULL.
  public var isNull: Condition<Root> { Condition(.equal(tree, .null)) }
}

/// What can be asked of the rows that belong to a row, without loading one.
public struct RelationTest<Root: Record, To: Record>: Sendable {
  private let declaration: RelationDeclaration

  init(_ declaration: RelationDeclaration) { self.declaration = declaration }

  /// No row belongs to it.
  public var isEmpty: Condition<Root> { Condition(.not(.hasRelated(declaration, nil))) }

  /// How many rows belong to it.
  public var count: Column<Root, Int> { Column(.count(declaration)) }

  /// One of the rows that belong to it meets a condition.
  public func any<C: Conditional>(_ condition: (Columns<To>) -> C) -> Condition<Root>
  where C.Root == To {
    Condition(.hasRelated(declaration, condition(Columns()).condition.tree))
  }

  /// None of the rows that belong to it meets a condition.
  public func none<C: Conditional>(_ condition: (Columns<To>) -> C) -> Condition<Root>
  where C.Root == To {
    Condition(.not(.hasRelated(declaration, condition(Columns()).condition.tree)))
  }

  /// A row belongs to it.
  public func contains(_ row: To) -> Condition<Root> {
    Condition(.contains(declaration, [RowStart(row)]))
  }

  /// All of these rows belong to it; of none all do.
  public func contains(allOf rows: some Sequence<To>) -> Condition<Root> {
    Condition(.contains(declaration, rows.map { RowStart($0) }))
  }
}
