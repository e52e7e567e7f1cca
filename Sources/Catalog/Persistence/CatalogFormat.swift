/// How a catalog lies in bytes: in the snapshots of a database and in the records of its log.
///
/// ```
/// half    the format's number
/// count   the greatest number given to an object so far
/// list    the table of types: records and enumerations, each once, behind those that it is made of
/// list    schemas: text, in order
/// list    types, by number
/// list    sequences, by number
/// list    tables, by number
/// list    views, by number
/// list    property graphs, by number
/// list    functions, by number
/// list    orders: names of functions whose overloads are not looked at by number
/// list    orders: parents whose foreign keys are not looked at by number
/// list    comments, by kind, name and part
/// [text]  the collation of the database
/// ```
///
/// What stands in brackets is behind a flag that says whether it is there. A type with its modifier ends with a collation in
/// brackets, and so do the keys of an index. Layout 1 had no collations, and layout 2 no
/// cardinality constraints, which stand last in a table, nor whether a foreign key is enforced.
///
/// `half`, `count`, `text` and `list` are those of `ByteWriter`. An object begins with its number (count) and its name
/// (schema and name, two texts). What may be missing stands behind a flag. Expressions, queries and bodies of functions are
/// SQL, which is parsed again and bound only when it is used.
///
/// A type is a tag, behind which arrays have their elements' type and records and enumerations their place in the table of
/// types (count). The table's entries are a tag (32 or 33), then a record's name (if it has one) and its fields, names
/// and types, or an enumeration's name and labels. Entries lead only to those before them, and no two are equal. So a type
/// that came from one place is one object again wherever it occurs, and is equal to itself at once.
///
/// | Tag | Type | Tag | Type | Tag | Type |
/// |---|---|---|---|---|---|
/// | 1 | boolean | 11 | name | 21 | uuid |
/// | 2 | smallint | 12 | bytea | 22 | json |
/// | 3 | integer | 13 | date | 23 | jsonb |
/// | 4 | bigint | 14 | time | 24 | oid |
/// | 5 | real | 15 | time with time zone | 25 | unknown |
/// | 6 | double precision | 16 | timestamp | 26 | void |
/// | 7 | numeric | 17 | timestamp with time zone | 31 | array, of the type that follows |
/// | 8 | text | 18 | interval | 32 | record, with its place |
/// | 9 | varchar | 19 | bit | 33 | enumeration, with its place |
/// | 10 | character | 20 | bit varying | | |
///
/// | What | Tags |
/// |---|---|
/// | modifier | 0 none, 1 length, 2 precision and scale, 3 precision (each a half) |
/// | default | 1 expression, 2 sequence |
/// | identity | 1 always, 2 by default |
/// | referential action | 1 none, 2 restrict, 3 cascade, 4 set null, 5 set default (columns) |
/// | index key | 1 column, 2 expression |
/// | check option | 1 local, 2 cascaded |
/// | graph property | 1 column, 2 expression |
/// | function's result | 1 scalar, 2 set, 3 table, 4 void |
/// | function's body | 1 its source, 2 BEGIN ATOMIC, 3 queries |
/// | kind of type | 1 enumeration, 2 composite, 3 domain |
///
/// No tag changes its meaning, and none is used again. Another order of the parts, or a new part, is another number.
enum CatalogFormat {
  /// The number of the layout that is written; that and all lower ones are read.
  static let number: UInt32 = 3

  /// The first layout in which types, keys of indices and the database have a collation.
  static let collations: UInt32 = 2

  /// The first layout in which tables have cardinality constraints, and foreign keys say whether they are enforced.
  static let cardinalities: UInt32 = 3

  /// How deep records and arrays may lie in each other where they are read.
  static let typeHeightMax = 200
}

/// The tags of types; see `CatalogFormat`.
enum TypeTag: UInt8 {
  case boolean = 1
  case smallint = 2
  case integer = 3
  case bigint = 4
  case real = 5
  case double = 6
  case numeric = 7
  case text = 8
  case varchar = 9
  case character = 10
  case name = 11
  case bytea = 12
  case date = 13
  case time = 14
  case timetz = 15
  case timestamp = 16
  case timestamptz = 17
  case interval = 18
  case bit = 19
  case varbit = 20
  case uuid = 21
  case json = 22
  case jsonb = 23
  case oid = 24
  case unknown = 25
  case void = 26
  case array = 31
  case record = 32
  case enumeration = 33
}
