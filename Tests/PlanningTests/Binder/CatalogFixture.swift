import Columnar
import Diagnostics
import SQLSyntax

@testable import Catalog
@testable import Planning

/// A catalog made from CREATE statements, as far as binding needs it.
struct CatalogFixture {
  var catalog = CatalogSnapshot()

  init(_ script: String) throws { try add(script: script) }

  /// Adds what CREATE statements define; others are passed over.
  mutating func add(script: String) throws {
    for parsed in try parseStatements(script) {
      switch parsed.statement {
      case .createTable(let table): try add(table)
      case .createView(let view): try add(view)
      case .createFunction(let function): try add(function)
      case .createType(let type): try add(type)
      default: break
      }
    }
  }

  private var binder: Binder { Binder(catalog: catalog) }

  private mutating func add(_ statement: CreateTypeStatement) throws {
    let id = catalog.makeID()
    let name = ObjectName(statement.name.name)
    let kind: TypeDefinition.Kind
    switch statement.definition {
    case .enumeration(let labels):
      kind = .enumeration(EnumerationType(name: name.name, labels: labels))
    case .composite(let columns):
      let fields = try columns.map {
        RecordType.Field($0.name.name, try binder.columnType($0.type).type)
      }
      kind = .composite(RecordType(name: name.name, fields: fields))
    case .other: return
    }
    catalog.types[id] = TypeDefinition(id: id, name: name, kind: kind)
    catalog.typeNames[name] = id
  }

  private mutating func add(_ statement: CreateTableStatement) throws {
    let name = ObjectName(statement.name.name)
    var table = TableDefinition(id: catalog.makeID(), name: name, columns: [])
    for element in statement.elements {
      switch element {
      case .column(let column): try add(column, to: &table)
      case .constraint(let constraint): add(constraint, to: &table)
      case .like: break
      }
    }
    if let source = statement.source, case .select = source.statement {
      for (index, column) in try binder.bind(source.statement).columns.enumerated() {
        let name = index < source.columnNames.count ? source.columnNames[index].name : column.name
        table.columns.append(TableColumn(name: name, columnType: column.columnType))
      }
    }
    catalog.tables[table.id] = table
    catalog.relations[name] = table.id
  }

  private mutating func add(_ syntax: ColumnDefinition, to table: inout TableDefinition) throws {
    var column = TableColumn(
      name: syntax.name.name, columnType: ColumnType(.integer))
    if syntax.type.name.name.hasPrefix("serial") {
      column.defaultValue = .sequence(addSequence("\(table.name.name)_\(column.name)_seq"))
      column.isNotNull = true
    } else {
      column.columnType = try binder.columnType(syntax.type)
    }
    let index = table.columns.count
    for constraint in syntax.constraints {
      switch constraint.kind {
      case .notNull: column.isNotNull = true
      case .primaryKey:
        table.keys.append(
          KeyConstraint(name: "\(table.name.name)_pkey", columns: [index], isPrimary: true))
      case .unique:
        table.keys.append(
          KeyConstraint(
            name: "\(table.name.name)_\(column.name)_key", columns: [index], isPrimary: false))
      case .defaultValue(let value): column.defaultValue = .expression(value)
      case .generated(let value): column.generated = value
      case .identity(let isAlways, _):
        column.identity = isAlways ? .always : .byDefault
        column.defaultValue = .sequence(addSequence("\(table.name.name)_\(column.name)_seq"))
      case .check(let value):
        table.checks.append(CheckConstraint(name: "check", expression: value))
      case .null, .references: break
      }
    }
    table.columns.append(column)
  }

  private func add(_ constraint: TableConstraint, to table: inout TableDefinition) {
    switch constraint.kind {
    case .primaryKey(let key), .unique(let key):
      var isPrimary = false
      if case .primaryKey = constraint.kind { isPrimary = true }
      table.keys.append(
        KeyConstraint(
          name: constraint.name?.name ?? "\(table.name.name)_key",
          columns: key.columns.compactMap { table.column(named: $0.name) }, isPrimary: isPrimary))
    case .check(let value):
      table.checks.append(CheckConstraint(name: "check", expression: value))
    case .foreignKey, .cardinality, .exclude: break
    }
  }

  private mutating func addSequence(_ name: String) -> ObjectID {
    let id = catalog.makeID()
    catalog.sequences[id] = SequenceDefinition(id: id, name: ObjectName(name))
    catalog.relations[ObjectName(name)] = id
    return id
  }

  private mutating func add(_ statement: CreateViewStatement) throws {
    let bound = try binder.bind(.select(statement.query))
    let id = catalog.makeID()
    let name = ObjectName(statement.name.name)
    var names = bound.columns.map(\.name)
    for (index, column) in statement.columnNames.enumerated() { names[index] = column.name }
    catalog.views[id] = ViewDefinition(
      id: id, name: name, columnNames: names, columnTypes: bound.columns.map(\.columnType),
      query: statement.query, dependencies: bound.dependencies)
    catalog.relations[name] = id
  }

  private mutating func add(_ statement: CreateFunctionStatement) throws {
    let id = catalog.makeID()
    let name = ObjectName(statement.name.name)
    var parameters: [FunctionDefinition.Parameter] = []
    var fields: [RecordType.Field] = []
    for parameter in statement.parameters {
      let type = try binder.columnType(parameter.type)
      switch parameter.mode {
      case .table, .out: fields.append(RecordType.Field(parameter.name?.name ?? "", type.type))
      default:
        parameters.append(
          FunctionDefinition.Parameter(
            name: parameter.name?.name, type: type, defaultValue: parameter.defaultValue))
      }
    }
    let result: FunctionDefinition.Result
    if let returns = statement.returns {
      let type = try binder.columnType(returns)
      if case .record(let record) = type.type, record.name != nil {
        result = .table(record, isSet: returns.isSetOf)
      } else {
        result = returns.isSetOf ? .set(type) : .scalar(type)
      }
    } else {
      result = .table(RecordType(name: nil, fields: fields), isSet: statement.returnsTable)
    }
    var body: [Statement] = []
    if case .text(let text, _)? = statement.body {
      if statement.language == "plpgsql" {
        if case .query(let query) = try PlpgsqlBody(text) { body = [.select(query)] }
      } else {
        body = try parseStatements(text).map(\.statement)
      }
    }
    catalog.functions[id] = FunctionDefinition(
      id: id, name: name, parameters: parameters, result: result, body: body,
      isStrict: statement.isStrict, isVolatile: statement.volatility != .immutable,
      language: statement.language ?? "sql", source: "")
    catalog.functionNames[name, default: []].append(id)
  }

  /// The statement bound over this catalog.
  func bind(_ sql: String) throws -> BoundStatement {
    try Binder(catalog: catalog).bind(try parseStatement(sql).statement)
  }

  static let school = """
    CREATE TABLE student (id SERIAL PRIMARY KEY, first_name VARCHAR(50), last_name VARCHAR(50));
    CREATE TABLE course (
      id SERIAL PRIMARY KEY, short_code VARCHAR(10) UNIQUE, name VARCHAR(100));
    CREATE TABLE enrols_in (
      student_id INT REFERENCES student(id), course_id INT REFERENCES course(id),
      PRIMARY KEY (student_id, course_id));
    CREATE TABLE thing (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label text NOT NULL DEFAULT 'x',
      amount int CHECK (amount > 0), twice int GENERATED ALWAYS AS (amount * 2) STORED,
      data json, tags text[]);
    CREATE VIEW roster AS SELECT s.last_name, c.short_code AS code FROM student s
      JOIN enrols_in e ON e.student_id = s.id JOIN course c ON c.id = e.course_id;
    CREATE VIEW early AS SELECT name AS title, id, id + 1 AS following FROM course WHERE id < 5;
    CREATE VIEW counted AS SELECT count(*) AS n FROM course;
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE FUNCTION get_available_courses(for_student_id int)
      RETURNS TABLE (id int, short_code varchar, name varchar) LANGUAGE plpgsql AS $$
      BEGIN RETURN QUERY SELECT course.id AS "id", course.short_code AS "short_code", course.name
        AS "name" FROM course WHERE course.id NOT IN (SELECT enrols_in.course_id AS "e"
        FROM enrols_in WHERE enrols_in.student_id = for_student_id) ORDER BY course.name;
      END; $$;
    CREATE FUNCTION available(sid int) RETURNS SETOF course LANGUAGE sql AS $$
      SELECT c.* FROM course c WHERE NOT EXISTS (SELECT FROM enrols_in e
        WHERE e.student_id = sid AND e.course_id = c.id) $$;
    CREATE FUNCTION plus_one(n int, by int DEFAULT 1) RETURNS int LANGUAGE sql AS
      $$ SELECT n + by $$;
    """
}
