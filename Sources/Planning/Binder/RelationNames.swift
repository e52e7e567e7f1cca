import Catalog
import Columnar
import Diagnostics
import SQLSyntax

/// Casts to `regclass`, whose values are the names of relations.
extension BindingSession {
  /// The name of the relation that a text, or a number that none has, stands for.
  ///
  /// - Throws: 42846 for a value of another type, and for constants what `CatalogSnapshot.relationName` throws.
  func relationName(
    _ value: BoundExpression, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    let type = value.type
    if type.isString || type == .unknown {
      if case .constant(.text(let bytes), _) = value {
        return try constantName(String(decoding: bytes, as: UTF8.self), at: range)
      }
      guard let text = try coerce(value, to: ColumnType(.text), .explicit, at: range) else {
        throw cannotName(type, at: range)
      }
      return .session(.relationName, [text], .text)
    }
    guard [.smallint, .integer, .bigint, .oid].contains(type),
      let number = try coerce(value, to: ColumnType(.oid), .explicit, at: range),
      let text = try coerce(number, to: ColumnType(.text), .explicit, at: range)
    else { throw cannotName(type, at: range) }
    return .session(.relationName, [text], .text)
  }

  private func cannotName(_ type: LogicalType, at range: SourceRange) -> SQLError {
    SQLError(.cannotCoerce, "cannot cast type \(type.name) to regclass", at: range)
  }

  private func constantName(
    _ text: String, at range: SourceRange
  ) throws(SQLError) -> BoundExpression {
    let name: String
    do {
      name = try catalog.relationName(spelled: text, searchPath: settings.searchPath)
    } catch {
      throw error.located(at: range)
    }
    if let found = catalog.relation(spelled: text, searchPath: settings.searchPath) {
      dependencies.insert(found.id)
    }
    return .constant(.string(name), .text)
  }
}
