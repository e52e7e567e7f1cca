import Catalog
import Columnar

extension ScanPlan {
  /// Columns of a key of this table, and for each the column of a child that is equal to it in every row of a join, where a foreign
  /// key promises that every child has its parent: the join adds columns to the rows of the child, and neither drops nor
  /// repeats one in which none of these is NULL.
  ///
  /// - Parameters:
  ///   - others: the tables that the join is with.
  ///   - equal: the columns that conditions hold equal to a column.
  ///   - isWanted: which of several keys will do.
  /// - Returns: the child's columns by those of the key; nil if there is no such key.
  func keyNamed(
    by others: some Sequence<ScanPlan>, _ equal: ColumnMap<ColumnSet>,
    where isWanted: (ColumnMap<BoundExpression>) -> Bool
  ) -> ColumnMap<BoundExpression>? {
    guard !columns.contains(where: { $0.index < 0 }), !filters.contains(where: \.isVolatile)
    else { return nil }
    let fixed = EqualityTransitivity.constants(filters)
    for child in others
    where child.table.foreignKeys.contains(where: { $0.parent == table.id }) {
      let constants = EqualityTransitivity.constants(child.filters)
      for key in child.table.foreignKeys where key.parent == table.id && key.alwaysHasParent {
        var found: ColumnMap<BoundExpression> = [:]
        for (own, theirs) in zip(key.columns, key.parentColumns) {
          guard let column = child.columns.first(where: { $0.index == own })?.column,
            let read = columns.first(where: { $0.index == theirs })?.column,
            column.type == read.type, read.type.equalsOnlyItself
          else { break }
          let isSame = constants[column.id].flatMap { value in
            fixed[read.id].map { Planning.isSame($0, value) }
          }
          guard equal[read.id]?.contains(column.id) ?? false || isSame ?? false else { break }
          found[read.id] = column.reference
        }
        if found.count == key.columns.count, isWanted(found) { return found }
      }
    }
    return nil
  }
}

extension [BoundExpression] {
  /// The columns that these conditions hold equal to a column.
  var equalColumns: ColumnMap<ColumnSet> {
    var equal: ColumnMap<ColumnSet> = [:]
    for condition in self {
      guard case .comparison(.equal, let one, let two) = condition, let first = one.asColumn,
        let second = two.asColumn, one.type.physical == two.type.physical
      else { continue }
      equal[first, default: []].insert(second)
      equal[second, default: []].insert(first)
    }
    return equal
  }

  /// The conditions with columns replaced, but for those that have become `x = x`.
  func replacing(keys: ColumnMap<BoundExpression>) -> [BoundExpression] {
    compactMap { condition in
      let replaced = condition.replacing(keys)
      if case .comparison(.equal, let one, let two) = replaced, let id = one.asColumn,
        id == two.asColumn
      {
        return nil
      }
      return replaced
    }
  }
}
