import Catalog
import Columnar
import SQLSyntax

/// A type that is built in, with the numbers that PostgreSQL gives it.
struct SystemType: Sendable {
  let name: String
  let number: UInt32
  let arrayNumber: UInt32
  /// How many bytes a value takes; below zero where that differs.
  let length: Int
  let category: String
}

extension SystemCatalog {
  /// The types that are built in.
  private static let builtins: [(type: LogicalType, system: SystemType)] = [
    (.boolean, "bool 16 1000 1 B"), (.bytea, "bytea 17 1001 -1 U"), (.name, "name 19 1003 64 S"),
    (.bigint, "int8 20 1016 8 N"), (.smallint, "int2 21 1005 2 N"),
    (.integer, "int4 23 1007 4 N"), (.text, "text 25 1009 -1 S"), (.oid, "oid 26 1028 4 N"),
    (.json, "json 114 199 -1 U"), (.real, "float4 700 1021 4 N"),
    (.double, "float8 701 1022 8 N"), (.unknown, "unknown 705 0 -2 X"),
    (.character, "bpchar 1042 1014 -1 S"), (.varchar, "varchar 1043 1015 -1 S"),
    (.date, "date 1082 1182 4 D"), (.time, "time 1083 1183 8 D"),
    (.timestamp, "timestamp 1114 1115 8 D"), (.timestamptz, "timestamptz 1184 1185 8 D"),
    (.interval, "interval 1186 1187 16 T"), (.timetz, "timetz 1266 1270 12 D"),
    (.bit, "bit 1560 1561 -1 V"), (.varbit, "varbit 1562 1563 -1 V"),
    (.numeric, "numeric 1700 1231 -1 N"), (.void, "void 2278 0 4 P"),
    (.uuid, "uuid 2950 2951 16 U"), (.jsonb, "jsonb 3802 3807 -1 U"),
  ].map { type, text in
    let words = text.split(separator: " ").map(String.init)
    return (
      type,
      SystemType(
        name: words[0], number: UInt32(words[1]) ?? 0, arrayNumber: UInt32(words[2]) ?? 0,
        length: Int(words[3]) ?? -1, category: words[4])
    )
  }

  private static let record: UInt32 = 2249

  func builtin(_ type: LogicalType) -> SystemType? {
    Self.builtins.first { $0.type == type }?.system
  }

  /// The definition of an enumeration or a composite type.
  func definition(of type: LogicalType) -> TypeDefinition? {
    guard type.element == nil, builtin(type) == nil else { return nil }
    return catalog.types.values.sorted { $0.id < $1.id }.first { $0.isUsed(by: type) }
  }

  func number(of type: LogicalType) -> UInt32 {
    if let known = builtin(type) { return known.number }
    if let element = type.element {
      return builtin(element)?.arrayNumber ?? arrayNumber(of: number(of: element))
    }
    if let definition = definition(of: type) { return definition.id.number }
    if case .record(let record) = type,
      let table = tables.first(where: { $0.rowType == record })
    {
      return number(.rowType, of: table)
    }
    return Self.record
  }

  /// The number of the arrays of a type that somebody made.
  private func arrayNumber(of element: UInt32) -> UInt32 {
    element < 1 << 31 ? element | 1 << 30 : element &+ 1
  }

  /// How many bytes a value of a type takes; -1 where that differs.
  func length(of type: LogicalType) -> Int {
    if case .enumeration = type { return 4 }
    return builtin(type)?.length ?? -1
  }

  /// The name of a type as `pg_type` has it.
  func name(of type: LogicalType) -> String {
    if let element = type.element { return "_" + name(of: element) }
    return builtin(type)?.name ?? definition(of: type)?.name.name ?? type.name
  }

  func number(_ collation: Collation) -> UInt32 {
    switch collation.name {
    case "default": return 100
    case "C": return 950
    case "POSIX": return 951
    default:
      let names = Collation.names
      return 12500 &+ UInt32(names.firstIndex(of: collation.name) ?? names.count)
    }
  }

  func number(ofCollation type: ColumnType) -> UInt32 {
    guard type.type.isCollatable else { return 0 }
    return number(type.collation ?? (type.type == .name ? .bytes : .standard))
  }

  /// The relations of `pg_catalog` that describe types, and what else there is little of.
  static let types: [String: SystemRelation] = [
    "pg_namespace": SystemRelation("oid oid,nspname name,nspowner oid,nspacl text[]") { system in
      system.catalog.schemas.sorted().map {
        [.oid(system.number(ofSchema: $0)), .string($0), .oid(owner)]
      }
    },
    "pg_type": SystemRelation(
      """
      oid oid,typname name,typnamespace oid,typowner oid,typlen int2,typbyval bool,typtype text,typcategory text,\
      typispreferred bool,typisdefined bool,typdelim text,typrelid oid,typsubscript text,typelem oid,typarray oid,typinput text,\
      typoutput text,typreceive text,typsend text,typmodin text,typmodout text,typanalyze text,typalign text,typstorage text,\
      typnotnull bool,typbasetype oid,typtypmod int4,typndims int4,typcollation oid,typdefaultbin text,typdefault text,typacl text[]
      """
    ) { $0.typeRows },
    "pg_enum": SystemRelation("oid oid,enumtypid oid,enumsortorder float4,enumlabel name") {
      system in
      var rows: [[Value]] = []
      for type in system.catalog.types.values.sorted(by: { $0.id < $1.id }) {
        guard case .enumeration(let enumeration) = type.kind else { continue }
        for (place, label) in enumeration.labels.enumerated() {
          rows.append([
            .oid(3 << 29 &+ UInt32(rows.count)), .oid(type.id), .float(Float(place + 1)),
            .string(label),
          ])
        }
      }
      return rows
    },
    "pg_collation": SystemRelation(
      """
      oid oid,collname name,collnamespace oid,collowner oid,collprovider text,collisdeterministic bool,collencoding int4,\
      collcollate text,collctype text,colliculocale text,collversion text
      """
    ) { system in
      let plain = ["default", "C", "POSIX"].map { name -> [Value] in
        let locale = Value.text(name == "default" ? nil : name)
        return [
          .oid(Collation.named(name).map(system.number) ?? 0), .string(name), .oid(11),
          .oid(owner), .string(name == "default" ? "d" : "c"), .boolean(true), .int32(-1), locale,
          locale,
        ]
      }
      return plain
        + Collation.names.enumerated().map { place, name in
          [
            .oid(12500 &+ UInt32(place)), .string(name), .oid(11), .oid(owner), .string("i"),
            .boolean(true), .int32(-1), .null, .null, .string(String(name.dropLast(6))),
          ]
        }
    },
    "pg_database": SystemRelation(
      """
      oid oid,datname name,datdba oid,encoding int4,datlocprovider text,datistemplate bool,datallowconn bool,datconnlimit int4,\
      datfrozenxid oid,datminmxid oid,dattablespace oid,datcollate text,datctype text,daticulocale text,datcollversion text,\
      datacl text[]
      """
    ) { system in
      let collation = system.catalog.defaultCollation
      return [
        [
          .oid(1), .string(database), .oid(owner), .int32(6),
          .string(collation == nil ? "c" : "i"), .boolean(false), .boolean(true), .int32(-1),
          .oid(0), .oid(0), .oid(1663), .string("C"), .string("C"),
          .text(collation.map { String($0.name.dropLast(6)) }),
        ]
      ]
    },
    "pg_am": SystemRelation("oid oid,amname name,amhandler text,amtype text") { _ in
      [
        [.oid(2), .string("heap"), .string("heap_tableam_handler"), .string("t")],
        [.oid(405), .string("hash"), .string("hashhandler"), .string("i")],
      ]
    },
    "pg_roles": SystemRelation(
      """
      rolname name,rolsuper bool,rolinherit bool,rolcreaterole bool,rolcreatedb bool,rolcanlogin bool,rolreplication bool,\
      rolconnlimit int4,rolpassword text,rolvaliduntil text,rolbypassrls bool,rolconfig text[],oid oid
      """
    ) { _ in
      [
        [.string(database)] + Array(repeating: .boolean(true), count: 6)
          + [.int32(-1), .string("********"), .null, .boolean(true), .null, .oid(owner)]
      ]
    },
    "pg_description": SystemRelation("objoid oid,classoid oid,objsubid int4,description text") {
      system in
      system.tables.flatMap { table in
        func row(_ place: Int, _ comment: String?) -> [Value]? {
          comment.map { [.oid(table.id), .oid(1259), .number(place), .string($0)] }
        }
        return
          ([row(0, table.comment)]
          + table.columns.enumerated().map { row($0 + 1, $1.comment) }).compactMap { $0 }
      }
    },
  ]

  private func typeRow(
    _ number: UInt32, _ name: ObjectName, kind: String, category: String, length: Int = -1,
    element: UInt32 = 0, array: UInt32 = 0, relation: UInt32 = 0, base: ColumnType? = nil,
    isNotNull: Bool = false, defaultText: String? = nil, collation: UInt32 = 0
  ) -> [Value] {
    [
      .oid(number), .string(name.name), .oid(self.number(ofSchema: name.schema)),
      .oid(Self.owner), .int16(Int16(clamping: length)), .boolean((1...8).contains(length)),
      .string(kind), .string(category),
      .boolean(
        ["bool", "text", "oid", "float8", "timestamptz", "interval", "varbit"]
          .contains(name.name)),
      .boolean(true), .string(","), .oid(relation), .null, .oid(element), .oid(array),
      .string(name.name + "in"), .string(name.name + "out"), .string(name.name + "recv"),
      .string(name.name + "send"), .null, .null, .null,
      .string(length == 8 ? "d" : length == 2 ? "s" : length == 1 ? "c" : "i"),
      .string(length < 0 ? "x" : "p"), .boolean(isNotNull),
      .oid(base.map { self.number(of: $0.type) } ?? 0),
      .int32(base?.type.numberOfModifier(base?.modifier) ?? -1), .int32(0), .oid(collation),
      .null, .text(defaultText),
    ]
  }

  /// The rows of `pg_type`.
  private var typeRows: [[Value]] {
    var rows: [[Value]] = []
    func add(arraysOf name: ObjectName, _ element: UInt32, _ number: UInt32, _ collation: UInt32) {
      rows.append(
        typeRow(
          number, ObjectName(schema: name.schema, "_" + name.name), kind: "b", category: "A",
          element: element, collation: collation))
    }
    for (type, system) in Self.builtins {
      let name = ObjectName(schema: "pg_catalog", system.name)
      let collation = number(ofCollation: ColumnType(type))
      let isPseudo = system.arrayNumber == 0
      rows.append(
        typeRow(
          system.number, name, kind: isPseudo ? "p" : "b", category: system.category,
          length: system.length, array: system.arrayNumber, collation: collation))
      if !isPseudo { add(arraysOf: name, system.number, system.arrayNumber, collation) }
    }
    for type in catalog.types.values.sorted(by: { $0.id < $1.id }) {
      let number = type.id.number
      let array = arrayNumber(of: number)
      switch type.kind {
      case .enumeration:
        rows.append(
          typeRow(number, type.name, kind: "e", category: "E", length: 4, array: array))
      case .composite:
        rows.append(typeRow(number, type.name, kind: "c", category: "C", array: array))
      case .domain(let base, let isNotNull, let value, _):
        rows.append(
          typeRow(
            number, type.name, kind: "d", category: builtin(base.type)?.category ?? "U",
            length: builtin(base.type)?.length ?? -1, array: array, base: base,
            isNotNull: isNotNull, defaultText: value.map { SQLPrinter.text(of: $0) },
            collation: self.number(ofCollation: base)))
      }
      add(arraysOf: type.name, number, array, 0)
    }
    for table in tables {
      let (number, array) = (number(.rowType, of: table), self.number(.rowArray, of: table))
      rows.append(
        typeRow(
          number, table.name, kind: "c", category: "C", array: array, relation: table.id.number))
      add(arraysOf: table.name, number, array, 0)
    }
    return rows
  }
}

extension LogicalType {
  /// The modifier as `atttypmod` has it; -1 for none.
  func numberOfModifier(_ modifier: TypeModifier?) -> Int32 {
    switch modifier {
    case nil, .some(.none): return -1
    case .length(let length): return (element ?? self).isBitString ? length : length + 4
    case .numeric(let precision, let scale): return (precision << 16 | scale & 0x7FF) + 4
    case .precision(let digits): return digits
    case .interval(_, let digits): return digits ?? -1
    }
  }
}
