import Catalog
import Columnar
import Diagnostics
import Planning
import SQLSyntax

extension SystemCatalog {
  /// The relations of `information_schema`.
  static let informationSchema: [String: SystemRelation] = [
    "schemata": SystemRelation(
      """
      catalog_name name,schema_name name,schema_owner name,default_character_set_catalog name,default_character_set_schema name,\
      default_character_set_name name,sql_path varchar
      """
    ) { system in
      system.catalog.schemas.sorted().map { [.string(database), .string($0), .string(database)] }
    },
    "tables": SystemRelation(
      """
      table_catalog name,table_schema name,table_name name,table_type varchar,self_referencing_column_name name,\
      reference_generation varchar,user_defined_type_catalog name,user_defined_type_schema name,user_defined_type_name name,\
      is_insertable_into varchar,is_typed varchar,commit_action varchar
      """
    ) { $0.tableRows },
    "views": SystemRelation(
      """
      table_catalog name,table_schema name,table_name name,view_definition varchar,check_option varchar,is_updatable varchar,\
      is_insertable_into varchar,is_trigger_updatable varchar,is_trigger_deletable varchar,is_trigger_insertable_into varchar
      """
    ) { system in
      system.views.map { view in
        let option =
          switch view.checkOption {
          case .local: "LOCAL"
          case .cascaded: "CASCADED"
          case nil: "NONE"
          }
        let isUpdatable = system.isUpdatable(view)
        return place(view.name) + [
          .string(SQLPrinter.text(of: view.query) + ";"), .string(option), .yes(isUpdatable),
          .yes(isUpdatable), .yes(false), .yes(false), .yes(false),
        ]
      }
    },
    "columns": SystemRelation(
      """
      table_catalog name,table_schema name,table_name name,column_name name,ordinal_position int4,column_default varchar,\
      is_nullable varchar,data_type varchar,character_maximum_length int4,character_octet_length int4,numeric_precision int4,\
      numeric_precision_radix int4,numeric_scale int4,datetime_precision int4,interval_type varchar,interval_precision int4,\
      character_set_catalog name,character_set_schema name,character_set_name name,collation_catalog name,collation_schema name,\
      collation_name name,domain_catalog name,domain_schema name,domain_name name,udt_catalog name,udt_schema name,udt_name name,\
      scope_catalog name,scope_schema name,scope_name name,maximum_cardinality int4,dtd_identifier name,\
      is_self_referencing varchar,is_identity varchar,identity_generation varchar,identity_start varchar,\
      identity_increment varchar,identity_maximum varchar,identity_minimum varchar,identity_cycle varchar,is_generated varchar,\
      generation_expression varchar,is_updatable varchar
      """
    ) { $0.columnRows },
    "table_constraints": SystemRelation(
      """
      constraint_catalog name,constraint_schema name,constraint_name name,table_catalog name,table_schema name,table_name name,\
      constraint_type varchar,is_deferrable varchar,initially_deferred varchar,enforced varchar,nulls_distinct varchar
      """
    ) { $0.constraintRows },
    "key_column_usage": SystemRelation(
      """
      constraint_catalog name,constraint_schema name,constraint_name name,table_catalog name,table_schema name,table_name name,\
      column_name name,ordinal_position int4,position_in_unique_constraint int4
      """
    ) { system in system.standardConstraints.flatMap(system.keyColumns) },
    "referential_constraints": SystemRelation(
      """
      constraint_catalog name,constraint_schema name,constraint_name name,unique_constraint_catalog name,\
      unique_constraint_schema name,unique_constraint_name name,match_option varchar,update_rule varchar,delete_rule varchar
      """
    ) { system in system.standardConstraints.compactMap(system.reference) },
    "constraint_column_usage": SystemRelation(
      """
      table_catalog name,table_schema name,table_name name,column_name name,constraint_catalog name,constraint_schema name,\
      constraint_name name
      """
    ) { system in system.standardConstraints.flatMap(system.usedColumns) },
    "check_constraints": SystemRelation(
      "constraint_catalog name,constraint_schema name,constraint_name name,check_clause varchar"
    ) { system in
      system.standardConstraints.compactMap { constraint in
        guard case .check(let check) = constraint.kind else { return nil }
        return constraint.place + [.string("(\(SQLPrinter.text(of: check.expression)))")]
      }
        + system.tables.flatMap { table in
          system.notNull(table).map { name, column in
            [.string(database), .string(table.name.schema), .string(name)]
              + [.string(SQLPrinter.quoted(column.name) + " IS NOT NULL")]
          }
        }
    },
    "sequences": SystemRelation(
      """
      sequence_catalog name,sequence_schema name,sequence_name name,data_type varchar,numeric_precision int4,\
      numeric_precision_radix int4,numeric_scale int4,start_value varchar,minimum_value varchar,maximum_value varchar,\
      increment varchar,cycle_option varchar
      """
    ) { system in
      let identities = Set(
        system.tables.flatMap(\.columns).compactMap { system.sequence(of: $0)?.id })
      return system.catalog.sequences.values.filter { !identities.contains($0.id) }
        .sorted { $0.id < $1.id }.map { sequence in
          let texts = [
            sequence.start, sequence.minimum, sequence.maximum, sequence.increment,
          ].map { Value.string(String($0)) }
          return place(sequence.name)
            + [
              .string(sequence.type.name), .text(nil), .int32(2), .int32(0),
            ].enumerated().map { place, value in
              place == 1 ? Self.precision(of: ColumnType(sequence.type)) : value
            } + texts + [.yes(sequence.cycles)]
        }
    },
  ]

  /// The database, schema and name of a relation.
  static func place(_ name: ObjectName) -> [Value] {
    [.string(database), .string(name.schema), .string(name.name)]
  }

  /// Whether rows can be written through a view.
  private func isUpdatable(_ view: ViewDefinition) -> Bool {
    let name = SQLPrinter.quoted(view.name.schema) + "." + SQLPrinter.quoted(view.name.name)
    guard let parsed = try? parseStatement("DELETE FROM \(name)") else { return false }
    return (try? Binder(catalog: catalog).bind(parsed.statement)) != nil
  }

  private var tableRows: [[Value]] {
    func row(_ name: ObjectName, _ kind: String, isInsertable: Bool) -> [Value] {
      let isTemporary = name.schema == "pg_temp"
      return Self.place(name) + [
        .string(kind == "BASE TABLE" && isTemporary ? "LOCAL TEMPORARY" : kind), .null, .null,
        .null, .null, .null, .yes(isInsertable), .yes(false),
        .text(isTemporary && kind == "BASE TABLE" ? "PRESERVE" : nil),
      ]
    }
    return tables.filter { $0.materialized == nil }
      .map { row($0.name, "BASE TABLE", isInsertable: true) }
      + views.map { row($0.name, "VIEW", isInsertable: isUpdatable($0)) }
  }

  // MARK: Constraints

  /// Columns that may not be NULL, and what PostgreSQL calls the conditions that say so.
  fileprivate func notNull(_ table: TableDefinition) -> [(name: String, column: TableColumn)] {
    table.columns.enumerated().filter(\.element.isNotNull).map { place, column in
      let schema = number(ofSchema: table.name.schema)
      return ("\(schema)_\(table.id.number)_\(place + 1)_not_null", column)
    }
  }

  /// The constraints that the standard knows of.
  fileprivate var standardConstraints: [SystemConstraint] {
    constraints.filter { constraint in
      if case .cardinality = constraint.kind { false } else { true }
    }
  }

  private var constraintRows: [[Value]] {
    func row(
      _ place: [Value], _ table: TableDefinition, _ kind: String, _ deferral: ConstraintDeferral,
      _ nulls: Bool? = nil, isEnforced: Bool = true
    ) -> [Value] {
      place + Self.place(table.name) + [
        .string(kind), .yes(deferral.isDeferrable), .yes(deferral.isInitiallyDeferred),
        .yes(isEnforced), nulls.map(Value.yes) ?? .null,
      ]
    }
    let named = standardConstraints.map { constraint in
      let (kind, nulls): (String, Bool?) =
        switch constraint.kind {
        case .key(let key):
          key.isPrimary ? ("PRIMARY KEY", nil) : ("UNIQUE", !key.nullsNotDistinct)
        case .foreignKey: ("FOREIGN KEY", nil)
        case .check, .cardinality: ("CHECK", nil)
        }
      return row(
        constraint.place, constraint.table, kind, constraint.deferral, nulls,
        isEnforced: constraint.isEnforced)
    }
    return named
      + tables.filter { $0.materialized == nil }.flatMap { table in
        notNull(table).map { name, _ in
          row(
            [.string(Self.database), .string(table.name.schema), .string(name)], table, "CHECK",
            ConstraintDeferral())
        }
      }
  }

  private func keyColumns(_ constraint: SystemConstraint) -> [[Value]] {
    if case .check = constraint.kind { return [] }
    var positions: [Int?] = []
    if case .foreignKey(let foreign) = constraint.kind, let key = key(of: foreign) {
      let columns = key.table.keys[key.index].columns
      positions = foreign.parentColumns.map { columns.firstIndex(of: $0).map { $0 + 1 } }
    }
    return constraint.columns.enumerated().map { place, column in
      constraint.place + Self.place(constraint.table.name) + [
        .string(constraint.table.columns[column].name), .number(place + 1),
        (place < positions.count ? positions[place] : nil).map(Value.number) ?? .null,
      ]
    }
  }

  private static func rule(_ action: ReferentialAction) -> String {
    switch action {
    case .noAction: "NO ACTION"
    case .restrict: "RESTRICT"
    case .cascade: "CASCADE"
    case .setNull: "SET NULL"
    case .setDefault: "SET DEFAULT"
    }
  }

  private func reference(_ constraint: SystemConstraint) -> [Value]? {
    guard case .foreignKey(let foreign) = constraint.kind else { return nil }
    let key = key(of: foreign).flatMap { found in
      let key = found.table.keys[found.index]
      return key.isIndexOnly
        ? nil : Self.place(ObjectName(schema: found.table.name.schema, key.name))
    }
    return constraint.place + (key ?? [.null, .null, .null]) + [
      .string(foreign.isMatchFull ? "FULL" : "NONE"), .string(Self.rule(foreign.onUpdate)),
      .string(Self.rule(foreign.onDelete)),
    ]
  }

  private func usedColumns(_ constraint: SystemConstraint) -> [[Value]] {
    var (table, columns) = (constraint.table, constraint.columns)
    if case .foreignKey(let foreign) = constraint.kind {
      guard let parent = catalog.tables[foreign.parent] else { return [] }
      (table, columns) = (parent, foreign.parentColumns)
    }
    return columns.map { column in
      Self.place(table.name) + [.string(table.columns[column].name)] + constraint.place
    }
  }
}

extension SystemConstraint {
  /// The database, schema and name of the constraint.
  var place: [Value] { SystemCatalog.place(ObjectName(schema: table.name.schema, name)) }
}
