extension SQLError {
  /// What an error is about, in the fields that PostgreSQL's protocol has for it; so a program need not take names out of messages.
  public struct Object: Sendable, Hashable {
    /// The schema of the table or type.
    public var schema: String?
    /// The table.
    public var table: String?
    /// The column, where a single one is at fault.
    public var column: String?
    /// The data type, for an error of a domain.
    public var dataType: String?
    /// The constraint.
    public var constraint: String?

    /// An object with these names.
    public init(
      schema: String? = nil, table: String? = nil, column: String? = nil, dataType: String? = nil,
      constraint: String? = nil
    ) {
      self.schema = schema
      self.table = table
      self.column = column
      self.dataType = dataType
      self.constraint = constraint
    }
  }

  /// An object and the rule that it stands for.
  final class Subject: Sendable, Hashable {
    let object: Object
    let rule: RelationshipRule?

    init(_ object: Object, _ rule: RelationshipRule?) {
      self.object = object
      self.rule = rule
    }

    static func == (left: Subject, right: Subject) -> Bool {
      left.object == right.object && left.rule == right.rule
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(object)
      hasher.combine(rule)
    }
  }
}

/// What relationships between rows have to keep to.
public enum RelationshipRule: Sendable, Hashable {
  /// A pair is linked once, and a key stands for one row.
  case unique
  /// What a row refers to is there.
  case reference
  /// A row that others refer to stays.
  case deny
  /// At most so many rows refer to one.
  case maximum(Int)
  /// At least so many rows refer to one.
  case minimum(Int)
}
