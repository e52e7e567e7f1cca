package import Planning

/// Where the columns of an expression stand in the chunks it is evaluated over.
///
/// A scope below another lists, in the order of first use, just the columns that one part of an
/// expression needs, so that gathering rows for that part moves no others.
package final class ColumnScope {
  private enum Name: Hashable {
    case column(ColumnID)
    /// A value of the `shared` expression around.
    case local(Int)
  }
  private var places: [Name: Int] = [:]
  private let parent: ColumnScope?
  /// For a scope below another: the place of each column in the parent's chunks, behind the locals of its own.
  private(set) var sources: [Int] = []
  /// How many values stand before the columns that are taken from the parent.
  private let localCount: Int

  /// The scope of an operator's input.
  package init(_ columns: [PlanColumn]) {
    parent = nil
    localCount = 0
    places.reserveCapacity(columns.count)
    for (index, column) in columns.enumerated() where places[.column(column.id)] == nil {
      places[.column(column.id)] = index
    }
  }

  /// A scope that takes what it needs from `parent`, behind as many values as a `shared` expression has.
  init(below parent: ColumnScope, localCount: Int = 0) {
    self.parent = parent
    self.localCount = localCount
    for index in 0..<localCount { places[.local(index)] = index }
  }

  /// The place of a column, nil if the input does not have it.
  func position(of id: ColumnID) -> Int? { position(of: .column(id)) }

  /// The place of a value of the innermost `shared` expression around, nil if there is none.
  func position(ofLocal index: Int) -> Int? { position(of: .local(index)) }

  private func position(of name: Name) -> Int? {
    if let place = places[name] { return place }
    guard let parent, let source = parent.position(of: name) else { return nil }
    sources.append(source)
    let place = localCount + sources.count - 1
    places[name] = place
    return place
  }
}
