import Columnar
import Diagnostics
import SQLSyntax

/// Where an INSERT puts one of its values.
struct InsertTarget {
  /// The column's index in the table.
  var index: Int
  /// The steps into the column's value, mostly none.
  var steps: [AssignmentTarget.Step] = []
  /// The type of the column, or of the part of it that the steps lead to.
  var type: ColumnType
}

/// Assignment to elements of arrays and fields of composite values.
extension BindingSession {
  /// The type of the part of a column that steps lead to.
  ///
  /// - Throws: 42804 for a step that the type does not have.
  func partType(
    of type: ColumnType, _ steps: [AssignmentTarget.Step], column: String
  ) throws(SQLError) -> ColumnType {
    var type = type
    for step in steps {
      switch step {
      case .element(let subscription):
        if type.type == .jsonb {
          if case .slice(let lower, let upper) = subscription {
            throw SQLError(
              .datatypeMismatch, "jsonb subscript does not support slices",
              at: (lower ?? upper)?.range ?? .none)
          }
          continue
        }
        guard let element = type.type.element else {
          throw SQLError(
            .datatypeMismatch,
            "cannot subscript type \(type.type.name) because it does not support subscripting")
        }
        if case .slice = subscription { continue }
        type = ColumnType(element, type.modifier)
      case .field(let name):
        type = ColumnType(try field(name, of: type, column: column).field.type)
      }
    }
    return type
  }

  private func field(
    _ name: Identifier, of type: ColumnType, column: String
  ) throws(SQLError) -> (index: Int, field: RecordType.Field, record: RecordType) {
    guard case .record(let record) = type.type else {
      throw SQLError(
        .datatypeMismatch,
        "cannot assign to field \"\(name.name)\" of column \"\(column)\" because its type"
          + " \(type.type.name) is not a composite type", at: name.range)
    }
    guard let index = record.fields.firstIndex(where: { $0.name == name.name }) else {
      throw SQLError(
        .undefinedColumn,
        "cannot assign to field \"\(name.name)\" of column \"\(column)\" because there is no such"
          + " column in data type \(type.type.name)", at: name.range)
    }
    return (index, record.fields[index], record)
  }

  /// The error of DEFAULT for a part of a column.
  func noDefault(_ step: AssignmentTarget.Step, at range: SourceRange) -> SQLError {
    if case .field = step {
      return SQLError(.featureNotSupported, "cannot set a subfield to DEFAULT", at: range)
    }
    return SQLError(.featureNotSupported, "cannot set an array element to DEFAULT", at: range)
  }

  /// The value of a column with `part` put where the steps lead to.
  func assigning(
    _ part: BoundExpression, to steps: ArraySlice<AssignmentTarget.Step>,
    of whole: BoundExpression, type: ColumnType, column: String, in scope: Scope
  ) throws(SQLError) -> BoundExpression {
    guard let step = steps.first else { return part }
    let rest = steps.dropFirst()
    switch step {
    case .field(let name):
      let (index, field, record) = try field(name, of: type, column: column)
      let old = record.fields.enumerated().map { BoundExpression.field(whole, $0, $1.type) }
      var fields = old
      fields[index] = try assigning(
        part, to: rest, of: old[index], type: ColumnType(field.type), column: column, in: scope)
      return .row(fields, record)
    case .element where type.type == .jsonb:
      return try jsonAssignment(whole, steps, part, in: scope)
    case .element(.index(let syntax)):
      let element = ColumnType(type.type.element ?? .text, type.modifier)
      let position = try bindSubscript(syntax, in: scope)
      let value = try assigning(
        part, to: rest, of: arrayElement(whole, position), type: element, column: column,
        in: scope)
      return arrayAssignment(whole, position, value)
    case .element(.slice(let lower, let upper)):
      var bounds: [BoundExpression?] = [nil, nil]
      for (side, bound) in [lower, upper].enumerated() {
        if let bound { bounds[side] = try bindSubscript(bound, in: scope) }
      }
      let value = try assigning(
        part, to: rest, of: whole, type: type, column: column, in: scope)
      return arraySliceAssignment(whole, bounds[0], bounds[1], value)
    }
  }
}

extension Expression {
  /// Whether this is the word DEFAULT in place of a value.
  var isDefault: Bool {
    if case .defaultValue = kind { return true }
    return false
  }
}
