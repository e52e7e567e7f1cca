import Foundation
import Junction
import SimulatedDisk

/// A row of the one side.
struct Origin: Record, Hashable {
  var id: Int
  var name: String?
  struct Relations: Sendable { let targets = Many<Target>() }
  static let relations = Relations()
}

/// A row of the other side.
struct Target: Record, Hashable {
  var id: Int
  var name: String?
  struct Relations: Sendable { let origins = Many<Origin>() }
  static let relations = Relations()
}

/// A relation that is changed at random from either side, against a set of pairs: both sides have what the set has, what is not
/// linked is the rest, and shapes are the nested select's JSON.
struct LinkHistory {
  /// A link as the plain model has it.
  struct Pair: Hashable {
    var origin: Int
    var target: Int
  }

  /// The statements that make the tables.
  let schema: String
  private var random: SimulationRandom
  private var pairs: Set<Pair> = []
  private var origins: [Origin] = []
  private var targets: [Target] = []

  init(_ random: SimulationRandom) {
    var random = random
    let (one, other) = (
      random.pick(["int", "bigint", "smallint"]), random.pick(["int", "bigint", "smallint"])
    )
    let key = random.pick([
      "PRIMARY KEY (origin_id, target_id)", "PRIMARY KEY (target_id, origin_id)",
      "UNIQUE (origin_id, target_id)", "id serial PRIMARY KEY, UNIQUE (target_id, origin_id)",
    ])
    let extra = random.pick(["", "weight int, ", "since date DEFAULT '2024-01-01', "])
    var ends = [
      "origin_id \(one) NOT NULL REFERENCES origin ON DELETE CASCADE",
      "target_id \(other) NOT NULL REFERENCES target ON DELETE CASCADE",
    ]
    if random.chance(50) { ends.reverse() }
    let index = random.chance(30) ? "CREATE INDEX ON link (target_id);" : ""
    schema = """
      CREATE TABLE origin (id \(one) PRIMARY KEY, name text);
      CREATE TABLE target (name text, id \(other) PRIMARY KEY);
      CREATE TABLE link (\(ends.joined(separator: ", ")), \(extra)\(key));
      \(index)
      """
    self.random = random
  }

  /// What is wrong, nil if nothing is.
  mutating func run(_ tally: inout HuntTally) throws -> String? {
    let db = Database()
    try db.execute(SQL(raw: schema))
    let names = ["Ada", nil, "", "é \"x\"\n", "{1,NULL}", "\\N"]
    origins = try (1...random.within(1...12)).map { Origin(id: $0, name: random.pick(names)) }
      .inserted(db)
    targets = try (1...random.within(1...12)).map { Target(id: $0, name: random.pick(names)) }
      .inserted(db)
    for _ in 0..<random.within(5...30) {
      guard !origins.isEmpty else { break }
      let (origin, target) = (random.pick(origins), random.pick(targets))
      tally.cases += 1
      if let fault = try step(origin, target, db) ?? neighbours(origin, target, db) { return fault }
    }
    for origin in origins {
      if let fault = try neighbours(origin, random.pick(targets), db) { return fault }
    }
    return try graphs(db)
  }

  /// The targets of an origin in the model.
  private func linked(_ origin: Origin) -> [Int] {
    pairs.filter { $0.origin == origin.id }.map(\.target).sorted()
  }

  /// Changes the relation and the model; what they do not agree on.
  private mutating func step(_ origin: Origin, _ target: Target, _ db: Database) throws -> String? {
    let pair = Pair(origin: origin.id, target: target.id)
    let some = targets.filter { _ in random.chance(33) }
    let new = Set(some.map { Pair(origin: origin.id, target: $0.id) })
    let old = pairs.filter { $0.origin == origin.id }
    switch random.below(20) {
    case 0..<4:
      guard try origin.targets.add(target, db) == pairs.insert(pair).inserted else { return "add" }
    case 4..<8:
      guard try target.origins.add(origin, db) == pairs.insert(pair).inserted else {
        return "add from the other side"
      }
    case 8..<11:
      guard try target.origins.remove(origin, db) == (pairs.remove(pair) != nil) else {
        return "remove"
      }
    case 11..<14:
      let added = new.subtracting(pairs).count
      guard try origin.targets.add(some, db) == added else { return "add of several" }
      pairs.formUnion(new)
    case 14..<17:
      let changes = try origin.targets.set(some, db)
      let wanted = LinkChanges(
        added: new.subtracting(old).count, removed: old.subtracting(new).count)
      guard changes == wanted else { return "set: \(changes) for \(wanted)" }
      pairs = pairs.subtracting(old).union(new)
    case 17:
      struct Undone: Error {}
      try? db.write { db in
        _ = try origin.targets.removeAll(db)
        throw Undone()
      }
    case 18:
      guard try origin.targets.removeAll(db) == old.count else { return "removeAll" }
      pairs.subtract(old)
    default:
      guard try origin.delete(db) else { return "delete" }
      origins.removeAll { $0 == origin }
      pairs.subtract(old)
    }
    return nil
  }

  /// What the rows around a pair have to say that the model does not.
  private func neighbours(_ origin: Origin, _ target: Target, _ db: Database) throws -> String? {
    let own = linked(origin)
    guard try origin.targets.order(by: \.id).fetch(db).map(\.id) == own else { return "fetch" }
    let available = try origin.targets.available.order(by: \.id).fetch(db).map(\.id)
    guard available == targets.map(\.id).filter({ !own.contains($0) }) else { return "available" }
    let isLinked = pairs.contains(Pair(origin: origin.id, target: target.id))
    guard try origin.targets.contains(target, db) == isLinked else { return "contains" }
    guard try target.origins.contains(origin, db) == isLinked else { return "contains, back" }
    let near = origins.filter { other in linked(other).contains { own.contains($0) } }
    guard try origin.targets.origins.order(by: \.id).fetch(db) == near else { return "two hops" }
    let idle = origins.filter { linked($0).isEmpty }.count
    guard try Origin.where({ $0.targets.isEmpty }).count(db) == idle else { return "isEmpty" }
    let takers = origins.filter { linked($0).contains(target.id) }
    guard
      try Origin.where({ $0.targets.contains(target) }).order(by: \.id).fetch(db) == takers
    else { return "condition with contains" }
    let shares = try origin.sharing(\.targets).fetch(db)
    guard Set(shares.map(\.row)) == Set(near).subtracting([origin]) else { return "sharing" }
    for other in shares {
      let common = linked(other.row).filter { own.contains($0) }
      guard other.shared.map(\.id) == common, other.count == common.count else {
        return "what is shared"
      }
    }
    return nil
  }

  /// Three levels by a shape, by `with` and by the nested select, against the model.
  private func graphs(_ db: Database) throws -> String? {
    let shaped = try Origin.order(by: \.id).shaped(as: OriginCard.self).fetch(db)
    let json = try db.from("origin")
      .select("id, name, targets:target(id, name, origins:origin(id, name))").order("id").json()
    let decoded = try JSONDecoder().decode([OriginCard].self, from: Data(json))
    guard shaped.map(\.sorted) == decoded.map(\.sorted) else {
      return "shape \(shaped) and JSON \(decoded)"
    }
    guard shaped.map({ $0.sorted.targets.map(\.id) }) == origins.map(linked) else {
      return "shape \(shaped) and model"
    }
    let pairs = try Origin.order(by: \.id).with(\.targets) { $0.order(by: \.id) }.fetch(db)
    guard pairs.map({ $0.related.map(\.id) }) == origins.map(linked) else { return "with" }
    return nil
  }
}

/// An origin with its targets, each with its origins.
private struct OriginCard: Codable, Hashable, Sendable {
  var id: Int
  var name: String?
  var targets: [TargetCard]

  struct TargetCard: Codable, Hashable, Sendable {
    var id: Int
    var name: String?
    var origins: [Leaf]
  }
  struct Leaf: Codable, Hashable, Sendable {
    var id: Int
    var name: String?
  }

  /// With both levels in the order of ids.
  var sorted: OriginCard {
    var card = self
    card.targets.sort { $0.id < $1.id }
    for index in card.targets.indices { card.targets[index].origins.sort { $0.id < $1.id } }
    return card
  }
}
