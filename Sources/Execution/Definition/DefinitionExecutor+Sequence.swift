import Catalog
import Columnar
import Diagnostics
import SQLSyntax

extension DefinitionExecutor {
  mutating func createSequence(_ statement: CreateSequenceStatement) throws(SQLError) -> String {
    let name = try newName(statement.name, isTemporary: statement.persistence == .temporary)
    if catalog.isRelationNameTaken(name) {
      guard statement.ifNotExists else {
        throw SQLError(.duplicateTable, "relation \"\(name.name)\" already exists")
      }
      notice("relation \"\(name.name)\" already exists, skipping", state: .duplicateTable)
      return "CREATE SEQUENCE"
    }
    var sequence = SequenceDefinition(id: transaction.makeID(), name: name)
    _ = try apply(statement.options, to: &sequence, isNew: true)
    transaction.catalog.put(sequence)
    return "CREATE SEQUENCE"
  }

  mutating func alterSequence(_ statement: AlterSequenceStatement) throws(SQLError) -> String {
    guard let found = relation(statement.name) else {
      guard statement.ifExists else { throw missingRelation(statement.name) }
      notice("relation \"\(statement.name.name)\" does not exist, skipping")
      return "ALTER SEQUENCE"
    }
    guard case .sequence(var sequence) = found else {
      throw SQLError(
        .wrongObjectType, "\"\(statement.name.name)\" is not a sequence", at: statement.name.range)
    }
    try alter(&sequence, statement.options)
    return "ALTER SEQUENCE"
  }

  /// Changes a sequence, and lets it restart if an option says so.
  func alter(
    _ sequence: inout SequenceDefinition, _ options: [SequenceOption]
  ) throws(SQLError) {
    let position = transaction.state.sequences.position(of: sequence)
    let restart = try apply(options, to: &sequence, isNew: false)
    if let restart {
      transaction.setSequence(sequence.id, SequencePosition(value: restart, isCalled: false))
    } else {
      // The counter is written down, as the start it would otherwise begin with may have changed.
      if position.value > sequence.maximum || position.value < sequence.minimum {
        let bound = position.value > sequence.maximum ? "greater" : "less"
        let limit =
          position.value > sequence.maximum
          ? "MAXVALUE (\(sequence.maximum))" : "MINVALUE (\(sequence.minimum))"
        throw SQLError(
          .invalidParameterValue,
          "RESTART value (\(position.value)) cannot be \(bound) than \(limit)")
      }
      transaction.setSequence(sequence.id, position)
    }
    transaction.catalog.put(sequence)
  }

  /// Applies options; gives the value of RESTART, if that is among them.
  ///
  /// - Throws: 22023 for values that do not go together, 42601 for an option given twice.
  func apply(
    _ options: [SequenceOption], to sequence: inout SequenceDefinition, isNew: Bool
  ) throws(SQLError) -> Int64? {
    var given = GivenSequenceOptions()
    for option in options { try given.add(option) }
    if let name = given.type {
      let type = try environment.type(name, in: catalog).type
      guard type.isInteger else {
        throw SQLError(
          .invalidParameterValue, "sequence type must be smallint, integer, or bigint")
      }
      let (oldMinimum, oldMaximum) = Self.bounds(of: sequence.type)
      if sequence.maximum == oldMaximum { given.maximum = given.maximum ?? .some(nil) }
      if sequence.minimum == oldMinimum { given.minimum = given.minimum ?? .some(nil) }
      sequence.type = type
    }
    if let increment = given.increment {
      if increment == 0 {
        throw SQLError(.invalidParameterValue, "INCREMENT must not be zero")
      }
      sequence.increment = increment
    }
    if let cycles = given.cycles { sequence.cycles = cycles }
    if let cache = given.cache, cache <= 0 {
      throw SQLError(.invalidParameterValue, "CACHE (\(cache)) must be greater than zero")
    }
    try applyBounds(given, &sequence, isNew: isNew)
    if let start = given.start {
      sequence.start = start
    } else if isNew {
      sequence.start = sequence.increment > 0 ? sequence.minimum : sequence.maximum
    }
    try check("START", sequence.start, sequence)
    var restart: Int64?
    if let wanted = given.restart {
      let value = wanted ?? sequence.start
      try check("RESTART", value, sequence)
      restart = value
    }
    if let owner = given.owner { sequence.owner = try ownerColumn(owner, of: sequence) }
    return restart
  }

  private func applyBounds(
    _ given: GivenSequenceOptions, _ sequence: inout SequenceDefinition, isNew: Bool
  ) throws(SQLError) {
    let (low, high) = Self.bounds(of: sequence.type)
    let isAscending = sequence.increment > 0
    if let maximum = given.maximum, let value = maximum {
      sequence.maximum = value
    } else if isNew || given.maximum != nil {
      sequence.maximum = isAscending ? high : -1
    }
    if let minimum = given.minimum, let value = minimum {
      sequence.minimum = value
    } else if isNew || given.minimum != nil {
      sequence.minimum = isAscending ? 1 : low
    }
    guard sequence.maximum <= high && sequence.maximum >= low else {
      throw SQLError(
        .invalidParameterValue,
        "MAXVALUE (\(sequence.maximum)) is out of range for sequence data type"
          + " \(sequence.type.name)")
    }
    guard sequence.minimum <= high && sequence.minimum >= low else {
      throw SQLError(
        .invalidParameterValue,
        "MINVALUE (\(sequence.minimum)) is out of range for sequence data type"
          + " \(sequence.type.name)")
    }
    guard sequence.minimum < sequence.maximum else {
      throw SQLError(
        .invalidParameterValue,
        "MINVALUE (\(sequence.minimum)) must be less than MAXVALUE (\(sequence.maximum))")
    }
  }

  private func check(
    _ what: String, _ value: Int64, _ sequence: SequenceDefinition
  ) throws(SQLError) {
    if value < sequence.minimum {
      throw SQLError(
        .invalidParameterValue,
        "\(what) value (\(value)) cannot be less than MINVALUE (\(sequence.minimum))")
    }
    if value > sequence.maximum {
      throw SQLError(
        .invalidParameterValue,
        "\(what) value (\(value)) cannot be greater than MAXVALUE (\(sequence.maximum))")
    }
  }

  static func bounds(of type: LogicalType) -> (Int64, Int64) {
    if case .smallint = type {
      (Int64(Int16.min), Int64(Int16.max))
    } else if case .integer = type {
      (Int64(Int32.min), Int64(Int32.max))
    } else {
      (.min, .max)
    }
  }

  private func ownerColumn(
    _ name: QualifiedName?, of sequence: SequenceDefinition
  ) throws(SQLError) -> (table: ObjectID, column: Int)? {
    guard let name else { return nil }
    guard name.parts.count > 1 else {
      if name.name == "none" { return nil }
      throw SQLError(
        .syntaxError, "invalid OWNED BY option", at: name.range,
        hint: "Specify OWNED BY table.column or OWNED BY NONE.")
    }
    let owner = try table(QualifiedName(Array(name.parts.dropLast()), at: name.range))
    if owner.name.schema != sequence.name.schema {
      throw SQLError(
        .objectNotInPrerequisiteState,
        "sequence must be in same schema as table it is linked to")
    }
    guard let column = owner.column(named: name.name) else {
      throw SQLError(
        .undefinedColumn,
        "column \"\(name.name)\" of relation \"\(owner.name.name)\" does not exist")
    }
    return (owner.id, column)
  }
}

/// The options of a sequence as they were written, each at most once.
private struct GivenSequenceOptions {
  var type: TypeName?
  var increment: Int64?
  var minimum: Int64??
  var maximum: Int64??
  var start: Int64?
  var restart: Int64??
  var cache: Int64?
  var cycles: Bool?
  var owner: QualifiedName??

  mutating func add(_ option: SequenceOption) throws(SQLError) {
    let isRepeated: Bool
    switch option.kind {
    case .asType(let name):
      isRepeated = type != nil
      type = name
    case .increment(let value):
      isRepeated = increment != nil
      increment = value
    case .minimum(let value):
      isRepeated = minimum != nil
      minimum = .some(value)
    case .maximum(let value):
      isRepeated = maximum != nil
      maximum = .some(value)
    case .start(let value):
      isRepeated = start != nil
      start = value
    case .restart(let value):
      isRepeated = restart != nil
      restart = .some(value)
    case .cache(let value):
      isRepeated = cache != nil
      cache = value
    case .cycle(let value):
      isRepeated = cycles != nil
      cycles = value
    case .ownedBy(let value):
      isRepeated = owner != nil
      owner = .some(value)
    case .sequenceName: isRepeated = false
    }
    if isRepeated {
      throw SQLError(.syntaxError, "conflicting or redundant options", at: option.range)
    }
  }
}
