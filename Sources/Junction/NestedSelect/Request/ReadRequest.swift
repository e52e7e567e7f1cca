/// A nested select as it was asked for, before anything of the catalog is known.
struct ReadRequest: Sendable {
  /// The table or view that the rows are of.
  var table: String
  /// What each row has.
  var items: [RequestItem]
  /// Conditions, each with the path of the level that it is about.
  var filters: [Placed<RequestCondition>] = []
  /// Orders of levels.
  var orders: [Placed<[RequestOrder]>] = []
  /// The most rows of levels.
  var limits: [Placed<Int64>] = []
  /// Rows of levels that are passed over.
  var offsets: [Placed<Int64>] = []

  /// Something about one level of a request.
  struct Placed<Content: Sendable>: Sendable {
    /// The names of the embeds that lead to the level; empty for the outermost.
    var path: [String]
    var content: Content

    init(_ content: Content, at path: [String] = []) {
      self.path = path
      self.content = content
    }
  }
}

/// One entry of a select list.
indirect enum RequestItem: Sendable {
  case column(RequestColumn)
  case embed(RequestEmbed)
}

/// A column, or a step into one that holds JSON.
struct RequestField: Sendable, Hashable {
  var name: String
  var path: [RequestJSONStep] = []
}

/// `->key`, `->0`, `->>key` or `->>0`.
struct RequestJSONStep: Sendable, Hashable {
  enum Key: Sendable, Hashable {
    case name(String)
    case index(Int64)
  }
  var key: Key
  /// Whether it gives text: `->>`.
  var isText: Bool
}

/// `alias:column->path::cast.aggregate()::cast`.
struct RequestColumn: Sendable {
  /// The functions over all rows of a level.
  enum Aggregate: String, Sendable, CaseIterable {
    case average = "avg"
    case count, max, min, sum
  }
  /// What is wanted; nil for `count()` by itself.
  var field: RequestField?
  var alias: String?
  var cast: String?
  var aggregate: Aggregate?
  var aggregateCast: String?

  /// Whether it is `*`: all columns of the table.
  var isStar: Bool { field?.name == "*" && field?.path.isEmpty == true }
}

/// `alias:table!hint!inner(…)`, or with `...` before it.
struct RequestEmbed: Sendable {
  enum Join: Sendable { case left, inner }
  /// A table, a foreign key or a column of one.
  var name: String
  var alias: String?
  var hint: String?
  var join: Join?
  /// Whether its columns become those of the level above.
  var isSpread: Bool
  var items: [RequestItem]
}

/// One key of an order.
struct RequestOrder: Sendable {
  enum Nulls: Sendable { case first, last }
  /// The embed whose column it is; nil for a column of the level itself.
  var embed: String?
  var field: RequestField
  var isDescending = false
  var nulls: Nulls?
}

/// A tree of conditions.
indirect enum RequestCondition: Sendable {
  case all([RequestCondition], isNegated: Bool)
  case any([RequestCondition], isNegated: Bool)
  case test(RequestTest)
}

/// A condition on one field, or on the presence of an embed.
struct RequestTest: Sendable {
  var field: RequestField
  var operation: RequestOperation
  var isNegated = false
}

/// What a field is compared with.
enum RequestOperation: Sendable {
  /// Operators that may be asked of any or all of several values.
  enum Comparison: String, Sendable, CaseIterable {
    case equal = "eq"
    case greaterOrEqual = "gte"
    case greater = "gt"
    case lessOrEqual = "lte"
    case less = "lt"
    case like, ilike, match, imatch

    /// The operator of SQL.
    var symbol: String {
      switch self {
      case .equal: "="
      case .greaterOrEqual: ">="
      case .greater: ">"
      case .lessOrEqual: "<="
      case .less: "<"
      case .like: "~~"
      case .ilike: "~~*"
      case .match: "~"
      case .imatch: "~*"
      }
    }

    /// Whether `*` stands for any text in its values.
    var hasWildcards: Bool { self == .like || self == .ilike }
  }
  enum Quantifier: String, Sendable { case any, all }
  enum Truth: String, Sendable, CaseIterable {
    case null
    case notNull = "not_null"
    case yes = "true"
    case no = "false"
    case unknown
  }

  case compare(Comparison, String)
  /// `eq(any).{…}`, with the text of an array.
  case compareEach(Comparison, Quantifier, String)
  /// One of the other operators of SQL, by its symbol.
  case symbol(String, String)
  case isIn([String])
  case isTruth(Truth)
  case isDistinct(String)
  /// Text search, which the engine does not have.
  case textSearch

  /// Operators without quantifiers, by their names in a request.
  static let symbols = [
    "neq": "<>", "cs": "@>", "cd": "<@", "ov": "&&", "sl": "<<", "sr": ">>", "nxr": "&<",
    "nxl": "&>", "adj": "-|-",
  ]
}
