import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// One level of a nested select with everything found that it names: the outermost rows, or those of an embed.
struct ReadLevel {
  /// The table or view that the rows are of.
  var table: ReadTable
  /// Tells the level apart from all others of the request.
  var number: Int
  /// Where the rows are read.
  var source = Source.table
  /// The name in the rows of the level above; empty for the outermost level.
  var name: String
  /// How the level hangs on the one above; nil for the outermost level.
  var embedding: Embedding?
  var items: [Item] = []
  /// The embeds, those that show nothing included.
  var children: [ReadLevel] = []
  var filters: [Condition] = []
  var order: [Order] = []
  var limit: Int64?
  var offset: Int64?

  struct Embedding {
    var relationship: Relationship
    /// The number of the level above.
    var parent: Int
    /// The alias of the embed, if it has one.
    var alias: String?
    /// What was asked for: a table, a foreign key or a column of one.
    var target: String
    /// Whether rows of the level above without any row here are left out.
    var isInner: Bool
    /// Whether the columns become those of the level above.
    var isSpread: Bool
  }

  /// Where rows of a level are read.
  enum Source {
    /// In the level's table.
    case table
    /// In a query of WITH under this name.
    case query(String)
    /// In what a call of a function gives.
    case function(Expression)
  }

  /// What an entry of the select list shows.
  enum Item {
    case column(Column)
    /// A child, by its place among the children.
    case embed(Int)
  }

  struct Column {
    var name: String
    /// What is wanted; nil for a count of rows.
    var field: RequestField?
    var cast: TypeName?
    var aggregate: RequestColumn.Aggregate?
    var aggregateCast: TypeName?
  }

  indirect enum Condition {
    case all([Condition], isNegated: Bool)
    case any([Condition], isNegated: Bool)
    case test(RequestTest)
    /// Whether a child, by its place, has a row.
    case presence(child: Int, isPresent: Bool)
  }

  struct Order {
    /// The child whose column it is, by its place; nil for a column of the level itself.
    var child: Int?
    var field: RequestField
    var isDescending: Bool
    var nulls: RequestOrder.Nulls?
  }

  /// Whether the level gives one row at most for each row of the level above.
  var isToOne: Bool { embedding?.relationship.isToOne ?? false }

  /// Whether it adds anything to the rows of the level above: an empty embed only filters them.
  var isVisible: Bool {
    items.contains { item in
      switch item {
      case .column: true
      case .embed(let child): children[child].isVisible
      }
    }
  }

  /// The child that a name is for: by alias, else as it was asked for, else by its table.
  func child(named name: String) -> Int? {
    children.firstIndex { $0.embedding?.alias == name }
      ?? children.firstIndex { $0.embedding?.target == name }
      ?? children.firstIndex { $0.table.name.name == name }
  }
}

/// A table or view whose rows a level shows.
struct ReadTable {
  struct Column {
    var name: String
    var type: LogicalType
  }
  var id: ObjectID
  var name: ObjectName
  var columns: [Column]

  init(id: ObjectID, name: ObjectName, columns: [Column]) {
    self.id = id
    self.name = name
    self.columns = columns
  }

  init(_ table: TableDefinition) {
    id = table.id
    name = table.name
    columns = table.columns.map { Column(name: $0.name, type: $0.columnType.type) }
  }

  init(_ view: ViewDefinition) {
    id = view.id
    name = view.name
    columns = zip(view.columnNames, view.columnTypes).map { Column(name: $0, type: $1.type) }
  }

  func column(named name: String) -> Column? { columns.first { $0.name == name } }
}
