import Junction
import SimulatedDisk

/// Questions along foreign keys, asked over tables with keys and over copies without: the answers are to be the same.
package struct WalkHunt: HuntPart {
  package static let name = "walks"
  /// How many questions are asked between changes.
  package var questionCount = 40

  package init() {}

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    var random = SimulationRandom(seed: seed &* 7919 &+ 17)
    var maker = WorldMaker(random)
    maker.mostKeyColumns = random.pick([1, 1, 2])
    maker.entityCount = random.pick([2, 2, 3])
    var world = maker.make()
    for step in 0..<3 {
      if step > 0 {
        for _ in 0..<random.within(1...6) { world.changes.append(maker.change(world)) }
      }
      guard let pair = KeyedPair(world) else { return tally.count("worlds not built") }
      var questions = WalkMaker(SimulationRandom(seed: random.next()), world)
      for _ in 0..<questionCount {
        let sql = questions.question()
        tally.cases += 1
        tally.count(questions.shape)
        guard let kind = pair.fault(sql, &tally) else { continue }
        let name = "\(kind), \(questions.shape)"
        tally.count("found: \(kind)")
        guard Acquaintance.isNew(name) else { continue }
        tally.findings.append(pair.finding(Self.name, seed, name, world, sql))
      }
    }
  }
}

/// Tables with keys and copies of them without, in one database.
package struct KeyedPair {
  private let keyed: Asker
  private let plain: Asker

  package init?(_ world: World) {
    keyed = Asker()
    world.build(keyed)
    for statement in world.copies where keyed.run(statement) != nil { return nil }
    plain = Asker(keyed.connection.database.connect())
    plain.run("SET search_path = plain")
  }

  /// The kind of difference that a question shows; nil if there is none.
  func fault(_ sql: String, _ tally: inout HuntTally) -> String? {
    let found = keyed.answer(sql)
    if found.isInternal { return "XX000 with keys" }
    let wanted = plain.answer(sql)
    if wanted.isInternal { return "XX000 without keys" }
    if found.isTimeout || wanted.isTimeout {
      tally.count("ended by the time limit")
      return nil
    }
    if case .error(let state) = wanted, found == wanted { tally.count("both \(state)") }
    return found.fault(against: wanted).map { "keys: \($0)" }
  }

  /// What a question shows, with the least world that still does.
  func finding(_ part: String, _ seed: UInt64, _ kind: String, _ world: World, _ sql: String)
    -> Finding
  {
    var unused = HuntTally()
    let wanted = fault(sql, &unused)
    func shows(_ world: World, _ sql: String) -> Bool {
      guard let wanted else { return false }
      var unused = HuntTally()
      return KeyedPair(world)?.fault(sql, &unused) == wanted
    }
    var reducer = Reducer()
    var (world, sql) = (world, sql)
    for _ in 0..<2 {
      world = world.reduced(&reducer) { shows($0, sql) }
      sql = reducer.reduce(sql: sql) { shows(world, $0) }
    }
    let last = KeyedPair(world)
    let detail = last.map { $0.keyed.answer(sql).comparison(with: $0.plain.answer(sql)) } ?? ""
    return Finding(
      part, seed: seed, kind: kind,
      script: world.script + [sql] + world.copies + ["SET search_path = plain", sql], detail: detail
    )
  }
}
