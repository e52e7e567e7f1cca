package import Planning

/// Where the columns of an expression stand in the chunks it is evaluated over.
///
/// A scope below another lists, in the order of first use, just the columns that one part of an
/// expression needs, so that gathering rows for that part moves no others.
package final class ColumnScope {
  private var ids: [ColumnID]
  private let parent: ColumnScope?
  /// For a scope below another: the place of each column in the parent's chunks.
  private(set) var sources: [Int] = []

  /// The scope of an operator's input.
  package init(_ columns: [PlanColumn]) {
    ids = columns.map(\.id)
    parent = nil
  }

  /// A scope that takes what it needs from `parent`.
  init(below parent: ColumnScope) {
    ids = []
    self.parent = parent
  }

  /// The place of a column, nil if the input does not have it.
  ///
  /// - Complexity: O(*n*) in the columns of the input; paid when a plan is set up.
  func position(of id: ColumnID) -> Int? {
    if let index = ids.firstIndex(of: id) { return index }
    guard let parent, let source = parent.position(of: id) else { return nil }
    ids.append(id)
    sources.append(source)
    return ids.count - 1
  }
}
