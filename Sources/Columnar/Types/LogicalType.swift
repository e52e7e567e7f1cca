/// A type as SQL sees it, without its modifier (the 10 of `varchar(10)` belongs to a column or a cast).
package indirect enum LogicalType: Hashable, Sendable {
  case boolean
  case smallint, integer, bigint
  case real, double
  case numeric
  case text, varchar, character, name
  case bytea
  case date, time, timetz, timestamp, timestamptz, interval
  /// Strings of bits, of one length or of any up to one.
  case bit, varbit
  case uuid
  case json, jsonb
  case oid
  /// A one-dimensional array.
  case array(LogicalType)
  /// A row of a table, a composite type or `ROW(…)`.
  case record(RecordType)
  /// A type made by `CREATE TYPE … AS ENUM`.
  case enumeration(EnumerationType)
  /// A literal or parameter whose type nothing has settled yet.
  case unknown
  /// What a function returns that returns nothing.
  case void

  /// How values of the type lie in memory.
  package var physical: PhysicalType {
    switch self {
    case .boolean: .bool
    case .smallint: .int16
    case .integer, .date: .int32
    case .bigint, .time, .timetz, .timestamp, .timestamptz, .oid: .int64
    case .real: .float
    case .double: .double
    case .numeric: .numeric
    case .interval: .interval
    case .uuid: .uuid
    case .enumeration: .int32
    case .text, .varchar, .character, .name, .bytea, .json, .jsonb, .bit, .varbit, .unknown,
      .void:
      .text
    case .array: .list
    case .record: .record
    }
  }

  /// The name that PostgreSQL gives the type in messages, as `format_type` does.
  package var name: String {
    switch self {
    case .boolean: "boolean"
    case .smallint: "smallint"
    case .integer: "integer"
    case .bigint: "bigint"
    case .real: "real"
    case .double: "double precision"
    case .numeric: "numeric"
    case .text: "text"
    case .varchar: "character varying"
    case .character: "character"
    case .name: "name"
    case .bytea: "bytea"
    case .date: "date"
    case .time: "time without time zone"
    case .timetz: "time with time zone"
    case .bit: "bit"
    case .varbit: "bit varying"
    case .timestamp: "timestamp without time zone"
    case .timestamptz: "timestamp with time zone"
    case .interval: "interval"
    case .uuid: "uuid"
    case .json: "json"
    case .jsonb: "jsonb"
    case .oid: "oid"
    case .array(let element): element.name + "[]"
    case .record(let record): record.name ?? "record"
    case .enumeration(let type): type.name
    case .unknown: "unknown"
    case .void: "void"
    }
  }

  /// Whether the type is one of the numbers.
  package var isNumeric: Bool {
    switch self {
    case .smallint, .integer, .bigint, .real, .double, .numeric, .oid: true
    case .boolean, .text, .varchar, .character, .name, .bytea, .date, .time, .timetz, .timestamp,
      .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .array, .record, .enumeration,
      .unknown, .void:
      false
    }
  }

  /// Whether the type is one of the whole numbers.
  package var isInteger: Bool {
    switch self {
    case .smallint, .integer, .bigint: true
    case .boolean, .real, .double, .numeric, .text, .varchar, .character, .name, .bytea, .date,
      .time, .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb,
      .oid, .array, .record, .enumeration, .unknown, .void:
      false
    }
  }

  /// Whether the type is one of the character strings.
  package var isString: Bool {
    switch self {
    case .text, .varchar, .character, .name: true
    case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .bytea, .date, .time,
      .timetz, .timestamp, .timestamptz, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid,
      .array, .record, .enumeration, .unknown, .void:
      false
    }
  }

  /// The type of an array's elements.
  package var element: LogicalType? {
    if case .array(let element) = self { return element }
    return nil
  }
}

/// The shape of a row value.
package final class RecordType: Hashable, Sendable {
  /// One field of a record.
  package struct Field: Hashable, Sendable {
    package var name: String
    package var type: LogicalType
    package init(_ name: String, _ type: LogicalType) {
      self.name = name
      self.type = type
    }
  }
  /// The name of the table or composite type, nil for an anonymous row.
  package let name: String?
  package let fields: [Field]
  /// How many rows and arrays stand around each other; the same type may be a part of many, so it is counted once.
  let nesting: Int

  package init(name: String?, fields: [Field]) {
    self.name = name
    self.fields = fields
    nesting = 1 + fields.reduce(0) { max($0, $1.type.nesting) }
  }

  package static func == (left: RecordType, right: RecordType) -> Bool {
    left === right || (left.name == right.name && left.fields == right.fields)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(fields)
  }
}

/// A type made by `CREATE TYPE … AS ENUM`; a value is the index of its label.
package final class EnumerationType: Hashable, Sendable {
  package let name: String
  /// The labels in their order, which is the order of the values.
  package let labels: [String]

  package init(name: String, labels: [String]) {
    self.name = name
    self.labels = labels
  }

  package static func == (left: EnumerationType, right: EnumerationType) -> Bool {
    left === right || (left.name == right.name && left.labels == right.labels)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What stands in parentheses behind a type's name.
package enum TypeModifier: Hashable, Sendable {
  case none
  /// The most characters of `varchar(n)`, the exact ones of `char(n)`.
  case length(Int32)
  /// The digits in all and behind the point of `numeric(p, s)`.
  case numeric(precision: Int32, scale: Int32)
  /// The digits of a second's fraction of `timestamp(p)`, `time(p)`, `interval(p)`.
  case precision(Int32)
  /// The fields of `interval year to month`; for those that end in seconds perhaps with the digits of their fraction.
  case interval(IntervalRange, precision: Int32?)
}

/// A type with its modifier and collation, as a column or a cast has it.
package struct ColumnType: Hashable, Sendable {
  package var type: LogicalType
  package var modifier: TypeModifier
  /// What orders the texts; nil where nothing but the database says.
  package var collation: Collation?

  package init(
    _ type: LogicalType, _ modifier: TypeModifier = .none, collation: Collation? = nil
  ) {
    self.type = type
    self.modifier = modifier
    self.collation = collation
  }

  /// Whether only the collation may be another.
  package func isSameBeforeCollation(_ other: ColumnType) -> Bool {
    type == other.type && modifier == other.modifier
  }

  /// The name with the modifier, as `\d` shows it.
  package var name: String {
    if case .array(let element) = type { return ColumnType(element, modifier).name + "[]" }
    switch modifier {
    case .none: return type.name
    case .length(let length): return "\(type.name)(\(length))"
    case .numeric(let precision, let scale): return "\(type.name)(\(precision),\(scale))"
    case .precision(let digits):
      switch type {
      case .time: return "time(\(digits)) without time zone"
      case .timetz: return "time(\(digits)) with time zone"
      case .timestamp: return "timestamp(\(digits)) without time zone"
      case .timestamptz: return "timestamp(\(digits)) with time zone"
      case .boolean, .smallint, .integer, .bigint, .real, .double, .numeric, .text, .varchar,
        .character, .name, .bytea, .date, .interval, .bit, .varbit, .uuid, .json, .jsonb, .oid,
        .array, .record, .enumeration, .unknown, .void:
        return "\(type.name)(\(digits))"
      }
    case .interval(let range, let precision):
      return "\(type.name) \(range.name)" + (precision.map { "(\($0))" } ?? "")
    }
  }
}

extension LogicalType {
  /// Whether values are texts, or arrays of texts, which a collation orders.
  package var isCollatable: Bool { isString || element?.isString == true }
}

/// How a value lies in memory.
package enum PhysicalType: UInt8, Sendable {
  /// One byte, 0 or 1.
  case bool
  case int16, int32, int64
  case float, double
  /// `Numeric`.
  case numeric
  /// `Interval`.
  case interval
  /// `UUIDValue`.
  case uuid
  /// `TextView`.
  case text
  /// `ListSlice` into the vector's one child.
  case list
  /// Nothing of its own: one child vector for each field.
  case record

  /// The bytes from one value to the next; 0 for a record.
  package var stride: Int {
    switch self {
    case .bool: 1
    case .int16: 2
    case .int32, .float: 4
    case .int64, .double: 8
    case .numeric: MemoryLayout<Numeric>.stride
    case .interval: MemoryLayout<Interval>.stride
    case .uuid: MemoryLayout<UUIDValue>.stride
    case .text: MemoryLayout<TextView>.stride
    case .list: MemoryLayout<ListSlice>.stride
    case .record: 0
    }
  }
}
