import Catalog
import Columnar
import SQLSyntax

extension SystemCatalog {
  /// The relations of `pg_catalog` that describe tables and what belongs to them.
  static let relations: [String: SystemRelation] = [
    "pg_class": SystemRelation(
      """
      oid oid,relname name,relnamespace oid,reltype oid,reloftype oid,relowner oid,relam oid,relfilenode oid,reltablespace oid,\
      relpages int4,reltuples float4,relallvisible int4,reltoastrelid oid,relhasindex bool,relisshared bool,relpersistence text,\
      relkind text,relnatts int2,relchecks int2,relhasrules bool,relhastriggers bool,relhassubclass bool,relrowsecurity bool,\
      relforcerowsecurity bool,relispopulated bool,relreplident text,relispartition bool,relrewrite oid,relfrozenxid oid,\
      relminmxid oid,relacl text[],reloptions text[],relpartbound text
      """
    ) { $0.classes },
    "pg_attribute": SystemRelation(
      """
      attrelid oid,attname name,atttypid oid,attstattarget int4,attlen int2,attnum int2,attndims int4,attcacheoff int4,\
      atttypmod int4,attbyval bool,attalign text,attstorage text,attcompression text,attnotnull bool,atthasdef bool,\
      atthasmissing bool,attidentity text,attgenerated text,attisdropped bool,attislocal bool,attinhcount int4,attcollation oid,\
      attacl text[],attoptions text[],attfdwoptions text[],attmissingval text
      """
    ) { $0.attributes },
    "pg_attrdef": SystemRelation("oid oid,adrelid oid,adnum int2,adbin text") { system in
      system.tables.flatMap { table in
        table.columns.enumerated().compactMap { place, column in
          system.defaultText(of: column).map {
            [
              .oid(system.number(.defaultValue(place), of: table)), .oid(table.id),
              .int16(Int16(clamping: place + 1)), .string($0),
            ]
          }
        }
      }
    },
    "pg_constraint": SystemRelation(
      """
      oid oid,conname name,connamespace oid,contype text,condeferrable bool,condeferred bool,convalidated bool,conrelid oid,\
      contypid oid,conindid oid,conparentid oid,confrelid oid,confupdtype text,confdeltype text,confmatchtype text,conislocal bool,\
      coninhcount int4,connoinherit bool,conkey int2[],confkey int2[],conpfeqop oid[],conppeqop oid[],conffeqop oid[],\
      confdelsetcols int2[],conexclop oid[],conbin text
      """
    ) { system in system.constraints.map(system.row) },
    "pg_index": SystemRelation(
      """
      indexrelid oid,indrelid oid,indnatts int2,indnkeyatts int2,indisunique bool,indnullsnotdistinct bool,indisprimary bool,\
      indisexclusion bool,indimmediate bool,indisclustered bool,indisvalid bool,indcheckxmin bool,indisready bool,indislive bool,\
      indisreplident bool,indkey int2[],indcollation oid[],indclass oid[],indoption int2[],indexprs text,indpred text
      """
    ) { system in system.tables.flatMap(system.indexes) },
    "pg_inherits": SystemRelation(
      "inhrelid oid,inhparent oid,inhseqno int4,inhdetachpending bool"
    ) { system in
      system.tables.flatMap { table in
        table.parents.enumerated().map { place, parent in
          [.oid(table.id), .oid(parent), .number(place + 1), .boolean(false)]
        }
      }
    },
    "pg_sequence": SystemRelation(
      "seqrelid oid,seqtypid oid,seqstart int8,seqincrement int8,seqmax int8,seqmin int8,seqcache int8,seqcycle bool"
    ) { system in
      system.catalog.sequences.values.sorted { $0.id < $1.id }.map { sequence in
        [
          .oid(sequence.id), .oid(system.number(of: sequence.type)), .int64(sequence.start),
          .int64(sequence.increment), .int64(sequence.maximum), .int64(sequence.minimum),
          .int64(1), .boolean(sequence.cycles),
        ]
      }
    },
    "pg_tables": SystemRelation(
      "schemaname name,tablename name,tableowner name,tablespace name,hasindexes bool,hasrules bool,hastriggers bool,rowsecurity bool"
    ) { system in
      system.tables.filter { $0.materialized == nil }.map { table in
        [
          .string(table.name.schema), .string(table.name.name), .string(database), .null,
          .boolean(!table.keys.isEmpty || !table.indexes.isEmpty), .boolean(false),
          .boolean(!table.foreignKeys.isEmpty), .boolean(false),
        ]
      }
    },
    "pg_views": SystemRelation(
      "schemaname name,viewname name,viewowner name,definition text"
    ) { system in
      system.views.map { view in
        [
          .string(view.name.schema), .string(view.name.name), .string(database),
          .string(SQLPrinter.text(of: view.query) + ";"),
        ]
      }
    },
    "pg_indexes": SystemRelation(
      "schemaname name,tablename name,indexname name,tablespace name,indexdef text"
    ) { system in
      system.tables.flatMap { table in
        system.indexTexts(of: table).map { name, text in
          [
            .string(table.name.schema), .string(table.name.name), .string(name), .null,
            .string(text),
          ]
        }
      }
    },
  ]

  private func classRow(
    _ number: UInt32, _ name: ObjectName, _ kind: String, type: UInt32 = 0, columns: Int = 0,
    of table: TableDefinition? = nil
  ) -> [Value] {
    let isTable = kind == "r" || kind == "m"
    let isTemporary = name.schema == "pg_temp"
    return [
      .oid(number), .string(name.name), .oid(self.number(ofSchema: name.schema)), .oid(type),
      .oid(0), .oid(Self.owner), .oid(isTable ? 2 : kind == "i" ? 405 : 0), .oid(number), .oid(0),
      .int32(0), .float(-1), .int32(0), .oid(0),
      .boolean(isTable && table.map { !$0.keys.isEmpty || !$0.indexes.isEmpty } ?? false),
      .boolean(false), .string(isTemporary ? "t" : "p"), .string(kind),
      .int16(Int16(clamping: columns)),
      .int16(Int16(clamping: isTable ? table?.checks.count ?? 0 : 0)),
      .boolean(kind == "v"), .boolean(false),
      .boolean(isTable && table.map { !catalog.children(of: $0.id).isEmpty } ?? false),
      .boolean(false), .boolean(false), .boolean(table?.materialized?.isPopulated != false),
      .string(isTable ? "d" : "n"), .boolean(false), .oid(0), .oid(0), .oid(0),
    ]
  }

  /// The rows of `pg_class`.
  fileprivate var classes: [[Value]] {
    var rows: [[Value]] = []
    for table in tables {
      rows.append(
        classRow(
          table.id.number, table.name, table.materialized == nil ? "r" : "m",
          type: number(.rowType, of: table), columns: table.columns.count, of: table))
      for (place, key) in table.keys.enumerated() {
        rows.append(
          classRow(
            number(.keyIndex(place), of: table), ObjectName(schema: table.name.schema, key.name),
            "i", columns: key.columns.count, of: table))
      }
      for (place, index) in table.indexes.enumerated() {
        rows.append(
          classRow(
            number(.index(place), of: table), ObjectName(schema: table.name.schema, index.name),
            "i", columns: index.keys.count, of: table))
      }
    }
    for view in views {
      rows.append(classRow(view.id.number, view.name, "v", columns: view.columnNames.count))
    }
    for sequence in catalog.sequences.values.sorted(by: { $0.id < $1.id }) {
      rows.append(classRow(sequence.id.number, sequence.name, "S", columns: 3))
    }
    return rows
  }

  private func attribute(
    _ relation: ObjectID, _ place: Int, _ name: String, _ type: ColumnType,
    of column: TableColumn? = nil
  ) -> [Value] {
    let length = length(of: type.type)
    let modifier = column?.domain == nil ? type.type.numberOfModifier(type.modifier) : -1
    let hasDefault = column.map { defaultText(of: $0) != nil } ?? false
    let identity: String =
      switch column?.identity {
      case .always: "a"
      case .byDefault: "d"
      case nil: ""
      }
    return [
      .oid(relation), .string(name), .oid(column?.domain?.number ?? number(of: type.type)),
      .int32(-1), .int16(Int16(clamping: length)), .int16(Int16(clamping: place + 1)),
      .int32(type.type.element == nil ? 0 : 1), .int32(-1),
      .int32(modifier),
      .boolean((1...8).contains(length)),
      .string(length == 8 ? "d" : length == 2 ? "s" : length == 1 ? "c" : "i"),
      .string(length < 0 ? "x" : "p"), .string(""), .boolean(column?.isNotNull ?? false),
      .boolean(hasDefault), .boolean(false), .string(identity),
      .string(column?.generated == nil ? "" : "s"), .boolean(false), .boolean(true), .int32(0),
      .oid(number(ofCollation: type)),
    ]
  }

  /// The rows of `pg_attribute`.
  fileprivate var attributes: [[Value]] {
    tables.flatMap { table in
      table.columns.enumerated().map { place, column in
        attribute(table.id, place, column.name, column.columnType, of: column)
      }
    }
      + views.flatMap { view in
        zip(view.columnNames, view.columnTypes).enumerated().map { place, column in
          attribute(view.id, place, column.0, column.1)
        }
      }
  }

  private static func letter(_ action: ReferentialAction) -> String {
    switch action {
    case .noAction: "a"
    case .restrict: "r"
    case .cascade: "c"
    case .setNull: "n"
    case .setDefault: "d"
    }
  }

  /// A row of `pg_constraint`.
  fileprivate func row(_ constraint: SystemConstraint) -> [Value] {
    var kind: String
    var (parent, isValid) = (UInt32(0), true)
    var (update, delete, match) = (" ", " ", " ")
    var (others, some, condition): (Value, Value, Value) = (.null, .null, .null)
    switch constraint.kind {
    case .key(let key): kind = key.isPrimary ? "p" : "u"
    case .check(let check):
      kind = "c"
      condition = .string(SQLPrinter.text(of: check.expression))
    // PostgreSQL looks at such things by constraint triggers.
    case .cardinality: kind = "t"
    case .foreignKey(let key):
      kind = "f"
      (parent, isValid) = (key.parent.number, key.isValidated)
      (update, delete) = (Self.letter(key.onUpdate), Self.letter(key.onDelete))
      match = key.isMatchFull ? "f" : "s"
      others = .places(key.parentColumns)
      switch key.onDelete {
      case .setNull(let columns), .setDefault(let columns):
        if columns != key.columns { some = .places(columns) }
      case .noAction, .restrict, .cascade: break
      }
    }
    let table = constraint.table
    return [
      .oid(constraint.number), .string(constraint.name), .oid(number(ofSchema: table.name.schema)),
      .string(kind), .boolean(constraint.deferral.isDeferrable),
      .boolean(constraint.deferral.isInitiallyDeferred), .boolean(isValid), .oid(table.id),
      .oid(0), .oid(constraint.index), .oid(0), .oid(parent), .string(update), .string(delete),
      .string(match), .boolean(true), .int32(0), .boolean(kind != "c"),
      .places(constraint.columns), others, .null, .null, .null, some, .null, condition,
    ]
  }

  /// The rows of `pg_index` for one table.
  fileprivate func indexes(of table: TableDefinition) -> [[Value]] {
    func row(
      _ number: UInt32, _ columns: [Int?], isUnique: Bool, _ key: KeyConstraint?,
      descending: [Bool], collations: [UInt32], _ expressions: Value, _ predicate: Value
    ) -> [Value] {
      let count = Value.int16(Int16(clamping: columns.count))
      return [
        .oid(number), .oid(table.id), count, count, .boolean(isUnique),
        .boolean(key?.nullsNotDistinct ?? false), .boolean(key?.isPrimary ?? false),
        .boolean(false), .boolean(key?.deferral.isDeferrable != true), .boolean(false),
        .boolean(true), .boolean(false), .boolean(true), .boolean(true), .boolean(false),
        .list(columns.map { .int16(Int16(clamping: ($0 ?? -1) + 1)) }),
        .list(collations.map(Value.oid)), .list(columns.map { _ in .oid(0) }),
        .list(descending.map { .int16($0 ? 3 : 0) }), expressions, predicate,
      ]
    }
    return table.keys.enumerated().map { place, key in
      row(
        number(.keyIndex(place), of: table), key.columns, isUnique: true, key,
        descending: key.columns.map { _ in false },
        collations: key.columns.map { number(ofCollation: table.columns[$0].columnType) }, .null,
        .null)
    }
      + table.indexes.enumerated().map { place, index in
        var columns: [Int?] = []
        var descending: [Bool] = []
        var collations: [UInt32] = []
        var expressions: [String] = []
        for (place, key) in index.keys.enumerated() {
          let own = index.collations[place].map(number)
          switch key {
          case .column(let column, let isDescending):
            columns.append(column)
            descending.append(isDescending)
            collations.append(own ?? number(ofCollation: table.columns[column].columnType))
          case .expression(let expression, let isDescending):
            columns.append(nil)
            descending.append(isDescending)
            collations.append(own ?? 0)
            expressions.append(SQLPrinter.text(of: expression))
          }
        }
        return row(
          number(.index(place), of: table), columns, isUnique: index.isUnique, nil,
          descending: descending, collations: collations,
          .text(expressions.isEmpty ? nil : expressions.joined(separator: ", ")),
          .text(index.predicate.map { SQLPrinter.text(of: $0) }))
      }
  }

  /// The names of the indices of a table, and the statements that make them.
  fileprivate func indexTexts(of table: TableDefinition) -> [(String, String)] {
    table.keys.map { key in
      var index = key
      index.isIndexOnly = true
      return (key.name, String(text.statement(of: index, table).dropLast()))
    } + table.indexes.map { ($0.name, String(text.statement(of: $0, table).dropLast())) }
  }
}
