import Diagnostics

/// A row that shares rows of a relation with another one, how many, and which.
public struct Sharing<Row: Record, Via: Record>: Decodable, Sendable {
  /// The row.
  public var row: Row
  /// How many rows belong to both.
  public var count: Int
  /// The rows that belong to both, in the order of their key.
  public var shared: [Via]

  fileprivate enum CodingKeys: String, CodingKey {
    case count = "+count"
    case shared = "+shared"
  }

  /// Decodes the row from its columns, and what it shares from columns beside them.
  public init(from decoder: any Decoder) throws {
    row = try Row(from: decoder)
    let beside = try decoder.container(keyedBy: CodingKeys.self)
    count = try beside.decode(Int.self, forKey: .count)
    shared = try beside.decode([Via].self, forKey: .shared)
  }
}

extension Sharing: Equatable where Row: Equatable, Via: Equatable {}
extension Sharing: Hashable where Row: Hashable, Via: Hashable {}

extension Record {
  /// Rows of the same table to which rows of a relation through a junction table belong that belong to this one as well, the
  /// most first.
  ///
  /// ```swift
  /// for other in try session.sharing(\.presenters).fetch(db) {
  ///   print(other.row.title, other.count, other.shared.map(\.name))
  /// }
  /// ```
  public func sharing<Via: Record>(
    _ relation: KeyPath<Relations, ToMany<Self, Via>>
  ) -> Query<Sharing<Self, Via>> {
    let path = LinkPath(
      start: RowStart(self), hops: [Self.relations[keyPath: relation].declaration])
    typealias Keys = Sharing<Self, Via>.CodingKeys
    var tree = QueryTree(RecordSource(Self.self))
    tree.conditions = [.shares(path), .not(.isRow(path.start))]
    tree.embeds = [
      Embed(name: Keys.count.rawValue, content: .sharedCount(path)),
      Embed(name: Keys.shared.rawValue, content: .sharedRows(path, Via.all.tree)),
    ]
    tree.orders = [.sql(SQL(raw: "\"\(Keys.count.rawValue)\" DESC"))]
    tree.ordersByKey = true
    return Query(tree)
  }
}

extension QueryRenderer {
  /// That a row shares rows with the one that a path starts from.
  mutating func writeShares(_ path: LinkPath, _ table: Table) throws(SQLError) {
    guard let links = try sharedLinks(path) else { return writer.write("false") }
    writer.writeRow(table.spelled(links.route.fromColumns))
    writer.write(" IN (SELECT \(links.near.joined(separator: ", ")) FROM \(links.from) WHERE ")
    try writeIsShared(links, path)
    writer.write(")")
  }

  /// How many rows it shares.
  mutating func writeSharedCount(_ path: LinkPath, _ table: Table) throws(SQLError) {
    guard let links = try sharedLinks(path) else { return writer.write("0") }
    writer.write("(SELECT count(DISTINCT ")
    writer.writeRow(links.far)
    writer.write(") FROM \(links.from) WHERE ")
    writer.writeRow(links.near)
    writer.write(" = ")
    writer.writeRow(table.spelled(links.route.fromColumns))
    writer.write(" AND ")
    try writeIsShared(links, path)
    writer.write(")")
  }

  /// The junction table of a path's last relation under a name of its own.
  private struct SharedLinks {
    let route: RelationRoute
    let from: String
    let near: [String]
    let far: [String]
  }

  /// nil for a relation without a junction table: what belongs to one row belongs to no other.
  private mutating func sharedLinks(_ path: LinkPath) throws(SQLError) -> SharedLinks? {
    guard let hop = path.hops.last else { return nil }
    let route = try RelationRoute.of(hop, view)
    guard let junction = route.junction else { return nil }
    let alias = alias()
    return SharedLinks(
      route: route, from: "\(junction.spelledName) AS \(alias)",
      near: junction.spelled(route.nearColumns, of: alias),
      far: junction.spelled(route.farColumns, of: alias))
  }

  private mutating func writeIsShared(
    _ links: SharedLinks, _ path: LinkPath
  ) throws(SQLError) {
    guard let junction = links.route.junction else { return writer.write("false") }
    let own = alias()
    writer.writeRow(links.far)
    writer.write(" IN (SELECT ")
    writer.write(junction.spelled(links.route.farColumns, of: own).joined(separator: ", "))
    writer.write(" FROM \(junction.spelledName) AS \(own) WHERE ")
    writer.writeRow(junction.spelled(links.route.nearColumns, of: own))
    writer.write(" = ")
    writer.bindRow(try path.start.values(ofColumns: links.route.fromColumns, view))
    writer.write(")")
  }
}
