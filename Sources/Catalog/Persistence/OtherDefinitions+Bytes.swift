import Columnar
package import Diagnostics
package import SQLSyntax

// MARK: Views and sequences

extension CatalogWriter {
  mutating func write(_ view: ViewDefinition) {
    write(view.id)
    write(view.name)
    write(list: view.columnNames) { $0.write($1) }
    write(list: view.columnTypes) { $0.write($1) }
    write(view.query)
    write(optional: view.checkOption) { $0.write(tag: $1 == .local ? 1 : 2) }
    write(list: view.columnDefaults.sorted { $0.key < $1.key }) { writer, entry in
      writer.write(place: entry.key)
      writer.write(entry.value)
    }
    write(ids: view.dependencies)
    write(optional: view.comment) { $0.write($1) }
  }

  mutating func write(_ sequence: SequenceDefinition) {
    write(sequence.id)
    write(sequence.name)
    write(sequence.type)
    write(sequence.start)
    write(sequence.increment)
    write(sequence.minimum)
    write(sequence.maximum)
    write(sequence.cycles)
    write(optional: sequence.owner) { writer, owner in
      writer.write(owner.table)
      writer.write(place: owner.column)
    }
  }
}

extension CatalogReader {
  mutating func view() throws(SQLError) -> ViewDefinition {
    let id = try id()
    let name = try name()
    let columnNames = try list { reader throws(SQLError) in try reader.text() }
    let columnTypes = try list { reader throws(SQLError) in try reader.columnType() }
    var view = ViewDefinition(
      id: id, name: name, columnNames: columnNames, columnTypes: columnTypes, query: try query(),
      dependencies: [])
    view.checkOption = try optional { reader throws(SQLError) in
      switch try reader.tag() {
      case 1: .local
      case 2: .cascaded
      case let tag: throw reader.damage("\(tag) is no check option's tag")
      }
    }
    let defaults = try list { reader throws(SQLError) in
      let column = try reader.place()
      return (column, try reader.expression())
    }
    for (column, value) in defaults {
      guard view.columnDefaults.updateValue(value, forKey: column) == nil else {
        throw damage("a column has two defaults")
      }
    }
    view.dependencies = try ids()
    view.comment = try optional { reader throws(SQLError) in try reader.text() }
    return view
  }

  mutating func sequence() throws(SQLError) -> SequenceDefinition {
    let id = try id()
    let name = try name()
    let type = try type()
    let start = try number()
    let increment = try number()
    let minimum = try number()
    let maximum = try number()
    let cycles = try flag()
    return SequenceDefinition(
      id: id, name: name, type: type, start: start, increment: increment, minimum: minimum,
      maximum: maximum, cycles: cycles,
      owner: try optional { reader throws(SQLError) in
        let table = try reader.id()
        return (table: table, column: try reader.place())
      })
  }
}

// MARK: Functions

extension CatalogWriter {
  mutating func write(_ function: FunctionDefinition) {
    write(function.id)
    write(function.name)
    write(list: function.parameters) { writer, parameter in
      writer.write(optional: parameter.name) { $0.write($1) }
      writer.write(parameter.type)
      writer.write(optional: parameter.defaultValue) { $0.write($1) }
      writer.write(parameter.isVariadic)
    }
    switch function.result {
    case .scalar(let type):
      write(tag: 1)
      write(type)
    case .set(let type):
      write(tag: 2)
      write(type)
    case .table(let record, let isSet):
      write(tag: 3)
      write(record)
      write(isSet)
    case .void: write(tag: 4)
    }
    write(function.isStrict)
    write(function.isVolatile)
    write(function.language)
    write(function.source)
    writeBody(of: function)
    write(optional: function.comment) { $0.write($1) }
  }

  private mutating func writeBody(of function: FunctionDefinition) {
    if let text = function.atomicBody {
      write(tag: 2)
      return write(text)
    }
    if !function.source.isEmpty { return write(tag: 1) }
    let queries = function.body.compactMap { statement -> SelectStatement? in
      if case .select(let query) = statement { return query }
      return nil
    }
    write(tag: 3)
    write(list: queries) { $0.write($1) }
  }
}

extension CatalogReader {
  mutating func function() throws(SQLError) -> FunctionDefinition {
    let id = try id()
    let name = try name()
    let parameters = try list { reader throws(SQLError) in
      let name = try reader.optional { reader throws(SQLError) in try reader.text() }
      let type = try reader.columnType()
      let value = try reader.optional { reader throws(SQLError) in try reader.expression() }
      return FunctionDefinition.Parameter(
        name: name, type: type, defaultValue: value, isVariadic: try reader.flag())
    }
    let result = try functionResult()
    let isStrict = try flag()
    let isVolatile = try flag()
    let language = try text()
    let source = try text()
    var function = FunctionDefinition(
      id: id, name: name, parameters: parameters, result: result, body: [], isStrict: isStrict,
      isVolatile: isVolatile, language: language, source: source)
    try readBody(of: &function)
    function.comment = try optional { reader throws(SQLError) in try reader.text() }
    return function
  }

  private mutating func functionResult() throws(SQLError) -> FunctionDefinition.Result {
    switch try tag() {
    case 1: .scalar(try columnType())
    case 2: .set(try columnType())
    case 3: .table(try recordType(), isSet: try flag())
    case 4: .void
    case let tag: throw damage("\(tag) is no result's tag")
    }
  }

  private mutating func readBody(of function: inout FunctionDefinition) throws(SQLError) {
    let tag = try tag()
    do throws(SQLError) {
      switch tag {
      case 1:
        function.body = try FunctionDefinition.statements(
          of: function.source, language: function.language)
      case 2:
        let text = try text()
        function.body = try parseAtomicBody(text)
        function.atomicBody = text
      case 3:
        function.body = try list { reader throws(SQLError) in .select(try reader.query()) }
      default: throw damage("\(tag) is no body's tag")
      }
    } catch {
      if error.state == .dataCorrupted { throw error }
      throw damage("the body of a function is no SQL (\(error.message))")
    }
  }
}

extension FunctionDefinition {
  /// The statements of a body by its source text.
  ///
  /// - Throws: 42601 for what is no SQL, 0A000 for PL/pgSQL that does more than give a query or a value.
  package static func statements(
    of source: String, language: String
  ) throws(SQLError) -> [Statement] {
    guard language == "plpgsql" else { return try parseStatements(source).map(\.statement) }
    switch try PlpgsqlBody(source) {
    case .query(let query): return [.select(query)]
    case .expression(let expression):
      let core = SelectCore(items: [SelectItem(.expression(expression))])
      return [.select(SelectStatement(body: .select(core)))]
    }
  }
}

// MARK: Types

extension CatalogWriter {
  mutating func write(_ type: TypeDefinition) {
    write(type.id)
    write(type.name)
    switch type.kind {
    case .enumeration(let type):
      write(tag: 1)
      write(LogicalType.enumeration(type))
    case .composite(let record):
      write(tag: 2)
      write(record)
    case .domain(let type, let isNotNull, let value, let checks):
      write(tag: 3)
      write(type)
      write(isNotNull)
      write(optional: value) { $0.write($1) }
      write(list: checks) { $0.write($1) }
    }
  }
}

extension CatalogReader {
  mutating func typeDefinition() throws(SQLError) -> TypeDefinition {
    let id = try id()
    let name = try name()
    switch try tag() {
    case 1:
      guard case .enumeration(let type) = try type() else {
        throw damage("a type is no enumeration")
      }
      return TypeDefinition(id: id, name: name, kind: .enumeration(type))
    case 2: return TypeDefinition(id: id, name: name, kind: .composite(try recordType()))
    case 3:
      let type = try columnType()
      let isNotNull = try flag()
      let value = try optional { reader throws(SQLError) in try reader.expression() }
      let checks = try list { reader throws(SQLError) in try reader.check() }
      return TypeDefinition(
        id: id, name: name,
        kind: .domain(type, isNotNull: isNotNull, defaultValue: value, checks: checks))
    case let tag: throw damage("\(tag) is no kind of type")
    }
  }
}
