/// A struct that stands for the rows of a table.
///
/// ```swift
/// struct Course: Record {
///   var id: Int?
///   var shortCode: String?
///   var name: String?
/// }
/// ```
///
/// That is all: the table is `course`, the snake case of the type's name, and its columns are found by the coding keys of the properties, or
/// by their snake case. Columns that the struct lacks are left alone; a property without a column is an error that says how to add it.
@dynamicMemberLookup
public protocol Record: Codable, Sendable {
  /// The relations to rows of other types: a struct with properties of type `One`, `Many` and `Through`.
  associatedtype Relations: Sendable = NoRelations
  /// The relations of the type.
  static var relations: Relations { get }
  /// The table's name, with its schema and a point before it where that is needed; the type's name in snake case unless it is given.
  static var table: String { get }
  /// The columns of properties; found by themselves unless they are given.
  static var columns: ColumnMap<Self> { get }
}

extension Record {
  /// The type's name in snake case.
  public static var table: String { ColumnNames.snakeCase(String(describing: Self.self)) }
  /// The columns by the coding keys.
  public static var columns: ColumnMap<Self> { .derived }
}

/// The columns that the properties of a record stand for.
///
/// It is needed where they are not found by themselves: for a property that cannot be made for a try, such as an enum without
/// `CaseIterable`, for columns of other names, and for options.
///
/// ```swift
/// static let columns = ColumnMap<Self> {
///   ColumnMapping("student_id", \.studentID, .primaryKey)
///   ColumnMapping("course_id", \.courseID, .primaryKey)
///   ColumnMapping("mark", \.mark)
/// }
/// ```
///
/// Rows are still decoded by coding keys, or by `RowDecodable` in the order that stands here.
public struct ColumnMap<R: Record>: Sendable {
  /// nil: they are found by the coding keys.
  let mappings: [ColumnMapping<R>]?

  private init(_ mappings: [ColumnMapping<R>]?) { self.mappings = mappings }

  /// Columns that are found by the coding keys.
  public static var derived: ColumnMap<R> { ColumnMap(nil) }

  /// Columns that are given one by one.
  public init(@ColumnMapBuilder<R> _ columns: () -> [ColumnMapping<R>]) { self.init(columns()) }
}

/// A column and the property that stands for it.
public struct ColumnMapping<R: Record>: Sendable {
  let name: String
  let property: any PartialKeyPath<R> & Sendable
  let type: any SQLValueConvertible.Type
  let value: @Sendable (R) -> SQLValue
  let options: Set<ColumnOption>

  /// The column of a property.
  ///
  /// - Parameters:
  ///   - name: The name of the column, as it is in the table.
  ///   - property: The property.
  ///   - options: What there is to know of it.
  public init<Value: SQLValueConvertible>(
    _ name: String, _ property: any KeyPath<R, Value> & Sendable, _ options: ColumnOption...
  ) {
    self.name = name
    self.property = property
    type = Value.self
    value = { $0[keyPath: property].sqlValue }
    self.options = Set(options)
  }
}

/// What there is to know of a record's column.
public enum ColumnOption: Sendable, Hashable {
  /// A part of the key by which a row is found; without any, it is the table's primary key.
  case primaryKey
  /// A key of its own, by which `upserted` may find the row.
  case unique
  /// What the engine makes: never sent, read back after an insert.
  case generated
  /// A number that each update raises, and looks at first.
  case version
}

/// Puts a `ColumnMap` together.
@resultBuilder
public enum ColumnMapBuilder<R: Record> {
  /// One column.
  public static func buildExpression(_ column: ColumnMapping<R>) -> ColumnMapping<R> { column }
  /// All columns.
  public static func buildBlock(_ columns: ColumnMapping<R>...) -> [ColumnMapping<R>] { columns }
}
