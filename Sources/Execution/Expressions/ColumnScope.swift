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
  /// The name of what stands at each place.
  private var names: [Name] = []
  /// The place of each name, once there are so many that looking through the names would take longer.
  private var places: [Name: Int] = [:]
  private static let searchedMax = 16
  private let parent: ColumnScope?
  /// For a scope below another: the place of each column in the parent's chunks, behind the locals of its own.
  private(set) var sources: [Int] = []

  /// The scope of an operator's input.
  package init(_ columns: [PlanColumn]) {
    parent = nil
    names.reserveCapacity(columns.count)
    for column in columns { append(.column(column.id)) }
  }

  /// A scope that takes what it needs from `parent`, behind as many values as a `shared` expression has.
  init(below parent: ColumnScope, localCount: Int = 0) {
    self.parent = parent
    for index in 0..<localCount { append(.local(index)) }
  }

  /// Gives a name to the next place; the first of several places with one name is the one that is found.
  private func append(_ name: Name) {
    names.append(name)
    if names.count == Self.searchedMax + 1 {
      for (place, name) in names.enumerated() where places[name] == nil { places[name] = place }
    } else if names.count > Self.searchedMax, places[name] == nil {
      places[name] = names.count - 1
    }
  }

  /// The place of a column, nil if the input does not have it.
  func position(of id: ColumnID) -> Int? { position(of: .column(id)) }

  /// The place of a value of the innermost `shared` expression around, nil if there is none.
  func position(ofLocal index: Int) -> Int? { position(of: .local(index)) }

  private func position(of name: Name) -> Int? {
    let known = names.count > Self.searchedMax ? places[name] : names.firstIndex(of: name)
    if let known { return known }
    guard let parent, let source = parent.position(of: name) else { return nil }
    sources.append(source)
    append(name)
    return names.count - 1
  }
}
