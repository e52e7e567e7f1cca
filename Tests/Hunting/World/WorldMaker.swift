package import SimulatedDisk

/// Makes worlds: entities with keys, junctions between them, and tables that refer to either.
package struct WorldMaker {
  package var random: SimulationRandom
  /// Types of keys to choose from.
  package var keyTypes: [HuntType] = [
    .integer, .integer, .integer, .bigint, .text, .text, .uuid, .date,
  ]
  /// How many columns an entity's key may have.
  package var mostKeyColumns = 1
  /// Types of columns that are no keys.
  package var types: [HuntType] = [.integer, .integer, .text, .bigint]
  package var sizes = [3, 8, 8, 30, 200]
  package var entityCount = 2
  package var junctionCount = 2
  package var otherCount = 2
  /// Whether values are the greatest and least of their types at times.
  package var isWild = false
  private var world = World()
  /// The keys of each entity, and of those that are gone or never were.
  private var keys: [[[String]]] = []

  package init(_ random: SimulationRandom) { self.random = random }

  package mutating func make() -> World {
    world = World()
    keys = []
    // Where all entities have keys of one kind, their columns can be compared across.
    let isUniform = random.chance(60)
    let shape = keyShape()
    for index in 0..<entityCount { addEntity(index, isUniform ? shape : keyShape()) }
    for index in 0..<junctionCount { addJunction(index) }
    for index in 0..<otherCount { addOther(index) }
    for index in world.tables.indices where random.chance(25) {
      let names = world.tables[index].columns.map(\.name)
      world.tables[index].indexes.append(random.sample(names, random.within(1...2)))
    }
    return world
  }

  private mutating func keyShape() -> [HuntType] {
    (0..<random.within(1...mostKeyColumns)).map { _ in random.pick(keyTypes) }
  }

  /// A value from a small range, NULL at times.
  package mutating func value(_ column: HuntColumn) -> String {
    if random.chance(20) { return "NULL" }
    let number = random.below(random.chance(80) ? 4 : 12)
    return column.type.literal(number, isWild: isWild, textBytesMost: column.textBytesMost)
  }

  /// A column that is no key.
  private mutating func column(_ name: String, _ type: HuntType) -> HuntColumn {
    var column = HuntColumn(name, type)
    if random.chance(40) { column.textBytesMost = 7 }
    return column
  }

  private mutating func addEntity(_ index: Int, _ shape: [HuntType]) {
    var table = HuntTable("e\(index)")
    let names = shape.indices.map { shape.count == 1 ? "id" : "id\($0)" }
    // Values of one type are comparable whatever entity they belong to.
    table.columns = zip(names, shape).map {
      HuntColumn($0, $1, isNotNull: true, domain: $1.rawValue)
    }
    table.key = names
    if shape.count > 1 { table.key.shuffle(using: &random) }
    for number in 0..<random.within(1...2) {
      table.columns.append(column("v\(number)", random.pick(types)))
    }
    let hasParent = random.chance(30)
    if hasParent {
      table.columns += zip(names, shape).map { HuntColumn("up_\($0)", $1, domain: $1.rawValue) }
      let action = random.pick(["ON DELETE CASCADE", "ON DELETE SET NULL", ""])
      table.references = [HuntReference(table.key.map { "up_\($0)" }, table.name, action)]
    }
    let count = random.pick(sizes)
    let hasGaps = random.chance(40)
    let most = random.chance(30) ? 7 : 40
    var seen: Set<[String]> = []
    var list: [[String]] = []
    for k in 0..<count {
      let number = hasGaps ? random.below(3 * count + 1) : k
      var key = shape.map { $0.literal(number, isWild: isWild, textBytesMost: most) }
      if shape.count > 1 {
        key = shape.map {
          $0.literal(
            random.chance(60) ? number : random.below(4), isWild: isWild, textBytesMost: most)
        }
      }
      if seen.insert(key).inserted { list.append(key) }
    }
    keys.append(list)
    let order = random.chance(60) ? list.shuffled(using: &random) : list
    let plain = table.columns.dropFirst(shape.count).prefix { $0.domain == nil }
    for key in order {
      var row = key
      for column in plain { row.append(value(column)) }
      if hasParent { row += random.chance(50) ? random.pick(list) : shape.map { _ in "NULL" } }
      table.rows.append(row)
    }
    world.tables.append(table)
  }

  /// The columns of a foreign key to an entity.
  private func columns(_ prefix: String, to entity: Int, isNotNull: Bool = false) -> [HuntColumn] {
    let target = world.tables[entity]
    return target.columns.filter { target.key.contains($0.name) }.map {
      HuntColumn(
        target.key.count == 1 ? prefix : "\(prefix)_\($0.name)", $0.type, isNotNull: isNotNull,
        domain: $0.domain)
    }
  }

  private func reference(_ prefix: String, to entity: Int, _ actions: String) -> HuntReference {
    let target = world.tables[entity]
    let names = target.key.map { target.key.count == 1 ? prefix : "\(prefix)_\($0)" }
    return HuntReference(names, target.name, actions)
  }

  private mutating func addJunction(_ index: Int) {
    var table = HuntTable("j\(index)")
    let ends = random.chance(15) ? 3 : 2
    let entities = (0..<ends).map { _ in random.below(entityCount) }
    let prefixes = ["a", "b", "c"]
    for (end, entity) in entities.enumerated() {
      table.columns += columns(prefixes[end], to: entity)
      let action = random.pick(
        ["", "", "ON DELETE CASCADE", "ON DELETE CASCADE ON UPDATE CASCADE", "ON DELETE RESTRICT"])
      table.references.append(reference(prefixes[end], to: entity, action))
    }
    let endNames = table.columns.map(\.name)
    let hasThird = random.chance(25)
    table.columns.append(HuntColumn("s", .integer, isNotNull: true))
    table.columns.append(column("w", random.chance(70) ? .integer : random.pick(types)))
    if random.chance(30) { table.columns.append(column("x", random.pick(types))) }
    if random.chance(85) {
      // The ends in either order, columns of one end together or not.
      var key = endNames
      if random.chance(50) {
        key.reverse()
      } else if random.chance(30) {
        key.shuffle(using: &random)
      }
      table.key = key + (hasThird ? ["s"] : [])
    }
    guard entities.allSatisfy({ !keys[$0].isEmpty }) else {
      world.tables.append(table)
      return
    }
    let most = entities.map { keys[$0].count }.max() ?? 1
    var seen: Set<[String]> = []
    for _ in 0..<random.pick([2, most, 3 * most]) {
      let ends = entities.flatMap { random.pick(keys[$0]) }
      let third = hasThird ? "\(random.below(3))" : "0"
      guard seen.insert(ends + [third]).inserted || table.key.isEmpty else { continue }
      let rest = table.columns.dropFirst(endNames.count + 1).map { value($0) }
      table.rows.append(ends + [third] + rest)
    }
    if random.chance(40) { table.rows.sort { $0.lexicographicallyPrecedes($1) } }
    world.tables.append(table)
  }

  private mutating func addOther(_ index: Int) {
    var table = HuntTable("p\(index)")
    let entity = random.below(entityCount)
    let hasKey = random.chance(70)
    table.columns = [HuntColumn("n", .integer, isNotNull: hasKey)] + columns("r", to: entity)
    if hasKey { table.key = ["n"] }
    let action = random.pick(["", "ON DELETE CASCADE", "ON DELETE SET NULL"])
    if random.chance(75) { table.references = [reference("r", to: entity, action)] }
    table.columns += [HuntColumn("w", .integer), column("t", random.pick(types))]
    let width = world.tables[entity].key.count
    for n in 0..<random.pick([0, 2, 5, 12]) {
      let target =
        random.chance(25) || keys[entity].isEmpty
        ? [String](repeating: "NULL", count: width) : random.pick(keys[entity])
      table.rows.append(
        ["\(n)"] + target + table.columns.suffix(2).map { value($0) })
    }
    world.tables.append(table)
  }

  // MARK: Changes

  /// A literal of a key's part: of one that is there, or not.
  package mutating func keyValue(_ type: HuntType) -> String {
    type.typed(random.below(random.pick([4, 12, 40])), isWild: isWild)
  }

  /// A change of data that may well fail.
  package mutating func change(_ world: World) -> String {
    let table = random.pick(world.tables)
    let free = table.columns.filter { !table.key.contains($0.name) && $0.domain == nil }
    let column = free.isEmpty ? table.columns[0] : random.pick(free)
    func place(_ random: inout SimulationRandom) -> String {
      let by = random.pick(table.columns)
      let sign = random.pick(["=", "=", "<", ">", "<>"])
      return "\(by.name) \(sign) \(by.type.typed(random.below(8), isWild: isWild))"
    }
    switch random.below(7) {
    case 0, 1: return "DELETE FROM \(table.name) WHERE \(place(&random))"
    case 2:
      return
        "UPDATE \(table.name) SET \(column.name) = \(value(column)) WHERE \(place(&random))"
    case 3:
      guard let key = table.key.first, let moved = table.column(key) else { fallthrough }
      return "UPDATE \(table.name) SET \(key) = \(keyValue(moved.type)) WHERE \(place(&random))"
    case 4:
      let names = table.columns.map { $0.name == "s" ? "s + 5" : $0.name }.joined(separator: ", ")
      return
        "INSERT INTO \(table.name) SELECT \(names) FROM \(table.name) WHERE \(place(&random)) ON CONFLICT DO NOTHING"
    default:
      let rows = (0..<random.within(1...3)).map { _ in
        "("
          + table.columns.map { $0.domain == nil ? value($0) : keyValue($0.type) }
          .joined(separator: ", ") + ")"
      }
      return
        "INSERT INTO \(table.name) VALUES \(rows.joined(separator: ", ")) ON CONFLICT DO NOTHING"
    }
  }
}
