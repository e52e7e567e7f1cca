import Columnar
import Diagnostics

/// A row that is reached from another one, over how many hops and which rows.
public struct Reached<Row: Record>: Decodable, Sendable {
  /// The row.
  public var row: Row
  /// The least number of hops to it.
  public var hops: Int
  /// The rows of one of the shortest ways to it, without the one where it starts: the last of them is the row itself.
  public var path: [Row]
}

extension Reached: Equatable where Row: Equatable {}
extension Reached: Hashable where Row: Hashable {}
extension Reached: Identifiable where Row: Identifiable {
  /// The identity of the row.
  public var id: Row.ID { row.id }
}

extension Record {
  /// The rows of the same table that are reached over a relation and back, any number of times; over a relation of a table to
  /// itself, along it.
  ///
  /// A hop leads to a row to which one of the same rows belongs: from a session to another one of the same presenter. Each
  /// row comes once, the nearest first, with one of the shortest ways to it. Cycles end it; the row where it starts does not
  /// come.
  ///
  /// ```swift
  /// for other in try session.reachable(by: \.presenters).fetch(db) {
  ///   print(other.row.title, other.hops, other.path.map(\.title))
  /// }
  /// let reports = try boss.reachable(by: \.reports, hops: 1...2)
  /// ```
  ///
  /// - Parameters:
  ///   - relation: The relation.
  ///   - hops: The least and the greatest number of hops.
  /// - Returns: The query, whose rows are in the order of hops, and then of the key.
  /// - Complexity: O(*n*) in the links that are looked at, for hops, and in the rows of all paths.
  public func reachable<Via: Record>(
    by relation: KeyPath<Relations, ToMany<Self, Via>>, hops: ClosedRange<Int> = 1...64
  ) -> Query<Reached<Self>> {
    var tree = QueryTree(RecordSource(Self.self))
    tree.reach = Reach(
      start: RowStart(self), relation: Self.relations[keyPath: relation].declaration,
      hopsMin: hops.lowerBound, hopsMax: hops.upperBound)
    tree.orders = [.sql(SQL(raw: "\"\(Reach.hopsName)\""))]
    tree.ordersByKey = true
    return Query(tree)
  }
}

/// A way of any number of hops.
struct Reach: Sendable, Hashable {
  let start: RowStart
  let relation: RelationDeclaration
  let hopsMin: Int
  let hopsMax: Int

  /// The name of the column of hops.
  static let hopsName = "+hops"

  /// The name of the column in which the values of a column in the rows of a path stand.
  static func pathName(_ place: Int) -> String { "+path_\(place)" }
}

extension Reached: ComposedRow {
  static func rows(of result: ResultSet, _ view: CatalogView) throws(SQLError) -> [Self] {
    let width = try RecordTable<Row>.of(view).layout.columns.count
    let rows = try result.keeping(columns: 0..<width).decode(Row.self)
    let hops = try result.keeping(columns: width..<(width + 1)).decode(Int.self)
    let lists = result.keeping(columns: (width + 1)..<result.columns.count)
    let steps = try lists.elementsOfLists.decode(Row.self)
    var reached: [Self] = []
    reached.reserveCapacity(rows.count)
    var first = 0
    for (row, hops) in zip(rows, hops) {
      // There is a row for each hop.
      let end = first + hops
      guard end <= steps.count else { throw .internal("a path is shorter than its hops") }
      reached.append(Self(row: row, hops: hops, path: Array(steps[first..<end])))
      first = end
    }
    return reached
  }
}

extension ResultSet {
  /// The elements of all lists, one list behind the other, as rows; the lists of a row have as many elements each.
  fileprivate var elementsOfLists: ResultSet {
    var columns: [ResultColumn] = []
    for column in self.columns {
      guard case .array(let element) = column.type else { continue }
      columns.append(ResultColumn(name: column.name, columnType: ColumnType(element)))
    }
    var elements: [DataChunk] = []
    for chunk in chunks {
      let places = chunk.columns.map { $0.placesOfElements(rows: chunk.count) }
      let count = places.first?.count ?? 0
      for start in stride(from: 0, to: count, by: Vector.chunkCapacity) {
        let range = start..<Swift.min(count, start + Vector.chunkCapacity)
        let vectors = zip(chunk.columns, places).map { list, places in
          list.children[0].gathered(Buffer(Array(places[range])), count: range.count)
        }
        elements.append(DataChunk(vectors, count: range.count))
      }
    }
    return changed(columns: columns, chunks: elements)
  }
}

extension Vector {
  /// Where the elements of lists stand among those of all lists, one list behind the other.
  fileprivate func placesOfElements(rows: Int) -> [UInt32] {
    var places: [UInt32] = []
    let slices = values(ListSlice.self)
    for row in 0..<rows where isValid(row) {
      let slice = slices[position(row)]
      let first = UInt32(slice.offset)
      for place in 0..<UInt32(slice.count) { places.append(first + place) }
    }
    return places
  }
}
