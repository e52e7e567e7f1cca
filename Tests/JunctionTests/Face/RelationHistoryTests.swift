import Junction
import Testing

private struct Left: Record, Hashable {
  var id: Int
  struct Relations: Sendable { let rights = Many<Right>() }
  static let relations = Relations()
}

private struct Right: Record, Hashable {
  var id: Int
  struct Relations: Sendable { let lefts = Many<Left>() }
  static let relations = Relations()
}

/// A link as a naive model has it.
private struct Pair: Hashable {
  var left: Int
  var right: Int
}

@Suite("A relation that is changed at random from either side")
struct RelationHistoryTests {
  @Test("has what a set of pairs has", arguments: 0..<6)
  func histories(_ seed: UInt64) throws {
    var random = GraphRandom(state: seed)
    let db = Database()
    try db.execute(
      """
      CREATE TABLE "left" (id int PRIMARY KEY);
      CREATE TABLE "right" (id int PRIMARY KEY);
      CREATE TABLE link (left_id int REFERENCES "left" ON DELETE CASCADE,
        right_id int REFERENCES "right" ON DELETE CASCADE, PRIMARY KEY (left_id, right_id))
      """)
    var lefts = try (1...8).map { Left(id: $0) }.inserted(db)
    let rights = try (1...9).map { Right(id: $0) }.inserted(db)
    var model: Set<Pair> = []
    for step in 0..<120 {
      guard let left = lefts.randomElement(using: &random),
        let right = rights.randomElement(using: &random)
      else { break }
      let some = rights.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      let pair = Pair(left: left.id, right: right.id)
      switch Int.random(in: 0..<(step > 100 ? 7 : 6), using: &random) {
      case 0: #expect(try left.rights.add(right, db) == model.insert(pair).inserted)
      case 1: #expect(try right.lefts.add(left, db) == model.insert(pair).inserted)
      case 2: #expect(try right.lefts.remove(left, db) == (model.remove(pair) != nil))
      case 3:
        let new = Set(some.map { Pair(left: left.id, right: $0.id) })
        #expect(try left.rights.add(some, db) == new.subtracting(model).count)
        model.formUnion(new)
      case 4:
        let new = Set(some.map { Pair(left: left.id, right: $0.id) })
        let old = model.filter { $0.left == left.id }
        let changes = try left.rights.set(some, db)
        #expect(changes.added == new.subtracting(old).count)
        #expect(changes.removed == old.subtracting(new).count)
        model = model.subtracting(old).union(new)
      case 5: try expectModel(model, left, right, lefts, rights, db)
      default:
        #expect(try left.delete(db))
        lefts.removeAll { $0 == left }
        model = model.filter { $0.left != left.id }
      }
    }
    for left in lefts { try expectModel(model, left, rights[0], lefts, rights, db) }
    let all = try Left.order(by: \.id).with(\.rights).fetch(db)
    #expect(all.map { $0.related.map(\.id) } == lefts.map { of($0, model) })
  }

  private func of(_ left: Left, _ model: Set<Pair>) -> [Int] {
    model.filter { $0.left == left.id }.map(\.right).sorted()
  }

  private func expectModel(
    _ model: Set<Pair>, _ left: Left, _ right: Right, _ lefts: [Left], _ rights: [Right],
    _ db: Database
  ) throws {
    let linked = of(left, model)
    #expect(try left.rights.order(by: \.id).fetch(db).map(\.id) == linked)
    let available = try left.rights.available.order(by: \.id).fetch(db).map(\.id)
    #expect(available == rights.map(\.id).filter { !linked.contains($0) })
    let isLinked = model.contains(Pair(left: left.id, right: right.id))
    #expect(try left.rights.contains(right, db) == isLinked)
    #expect(try right.lefts.contains(left, db) == isLinked)
    let neighbours = lefts.filter { other in of(other, model).contains { linked.contains($0) } }
    #expect(try left.rights.lefts.order(by: \.id).fetch(db) == neighbours)
    #expect(
      try Left.where { $0.rights.isEmpty }.count(db)
        == lefts.filter { of($0, model).isEmpty }.count)
    #expect(
      try Left.where { $0.rights.contains(right) }.order(by: \.id).fetch(db)
        == lefts.filter { model.contains(Pair(left: $0.id, right: right.id)) })
    let shares = try left.sharing(\.rights).fetch(db)
    #expect(Set(shares.map(\.row)) == Set(neighbours).subtracting([left]))
    for other in shares {
      #expect(other.shared.map(\.id) == of(other.row, model).filter { linked.contains($0) })
      #expect(other.count == other.shared.count)
    }
  }
}
