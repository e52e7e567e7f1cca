import Catalog
import Columnar
import Diagnostics
import Storage

/// Finds rows of a table by the values of a key, whichever way the table keeps it: by an index over the
/// values, or by the edges of a junction, whose ends are found through the keys of both parents.
///
/// - Invariant: used with the versions of the tables that it was made of.
struct KeySearch: Sendable {
  /// One foreign key of a junction.
  private struct End: Sendable {
    /// The place of its column among the columns of the key.
    let place: Int
    let parent: TableStore
    /// The key that it names, by index.
    let key: Int
  }

  private let store: TableStore
  private let index: Int
  private let junction: (index: Int, from: End, to: End)?

  /// A search by the key with an index in the layout of `store`; `tables` gives the rows of parents.
  ///
  /// - Throws: what `tables` throws; XX000 if the definition is not that of the rows.
  init(
    _ index: Int, of table: TableDefinition, in store: TableStore,
    tables: (ObjectID) throws(SQLError) -> TableStore
  ) throws(SQLError) {
    self.store = store
    self.index = index
    let key = store.layout.keys[index]
    guard let number = key.junction else {
      junction = nil
      return
    }
    func end(_ reference: Int) throws(SQLError) -> End {
      guard reference < table.foreignKeys.count,
        let place = key.columns.firstIndex(where: {
          table.foreignKeys[reference].columns == [$0]
        })
      else { throw .internal("a junction has lost its foreign key") }
      let foreign = table.foreignKeys[reference]
      let parent = try tables(foreign.parent)
      guard
        let index = parent.layout.keys.firstIndex(where: {
          $0.columns == foreign.parentColumns
        })
      else { throw .internal("the parent of a foreign key has lost its key") }
      return End(place: place, parent: parent, key: index)
    }
    let ends = store.layout.junctions[number]
    junction = (number, try end(ends.from), try end(ends.to))
  }

  /// The position of the row with each key, or `TableStore.noRow`; of one of them if the key is not unique.
  ///
  /// `keys` are the columns of the key in its order, of its physical types.
  ///
  /// - Complexity: O(1) for each key; O(log *d*) in the lesser degree of two parents for an edge.
  func lookup(_ keys: [Vector], count: Int) throws(SQLError) -> Buffer<UInt32> {
    guard let junction else { return store.keys[index].lookup(keys, count: count, in: store) }
    return store.edges(
      ofJunction: junction.index, from: try positions(keys, count: count, of: junction.from),
      to: try positions(keys, count: count, of: junction.to), count: count)
  }

  private func positions(
    _ keys: [Vector], count: Int, of end: End
  ) throws(SQLError) -> Buffer<UInt32> {
    let wanted = end.parent.types[end.parent.layout.keys[end.key].columns[0]]
    var values = keys[end.place].flattened()
    if !values.type.isInteger || !wanted.isInteger {
      values = try KeyConversion.comparable(values, wanted)
    }
    return end.parent.keys[end.key].lookup([values], count: count, in: end.parent)
  }

  /// Every pair of a row of `keys` and the position of a row that has its key, by rising row.
  func pairs(
    _ keys: [Vector], count: Int
  ) throws(SQLError) -> (rows: Buffer<UInt32>, positions: Buffer<UInt32>, count: Int) {
    guard junction != nil else { return store.keys[index].pairs(keys, count: count, in: store) }
    return KeyIndex.pairs(try lookup(keys, count: count), count: count)
  }
}
