import SimulatedDisk

/// Random queries over random worlds, whose answers are held against others that must be the same.
package struct OracleHunt: HuntPart {
  package static let name = "oracles"
  package var questionCount = 60

  package init() {}

  package func round(_ seed: UInt64, _ tally: inout HuntTally) {
    var random = SimulationRandom(seed: seed &* 104_729 &+ 5)
    var maker = WorldMaker(random)
    maker.mostKeyColumns = random.pick([1, 2, 2, 3])
    maker.keyTypes =
      HuntType.allCases.filter(\.isForKeys) + [.text, .text, .text, .varchar, .integer]
    maker.types = HuntType.allCases + [.integer, .text, .text]
    maker.entityCount = random.pick([2, 2, 3])
    maker.junctionCount = random.pick([1, 2])
    maker.otherCount = 1
    maker.isWild = random.chance(15)
    maker.sizes = [0, 1, 4, 8, 8, 14, 30]
    let isBig = random.chance(8)
    if isBig { maker.sizes = [150, 200] }
    var world = maker.make()
    if isBig { world.fillJunctions() }
    for step in 0..<2 {
      if step > 0 {
        for _ in 0..<random.within(1...8) { world.changes.append(maker.change(world)) }
      }
      ask(world, isBig: isBig, seed, &random, &tally)
    }
  }

  private func ask(
    _ world: World, isBig: Bool, _ seed: UInt64, _ random: inout SimulationRandom,
    _ tally: inout HuntTally
  ) {
    let peer = isBig ? nil : SharedPeer.peer
    guard let bench = OracleBench(world, peer: peer) else { return tally.count("worlds not built") }
    for text in bench.disagreements.prefix(1) {
      tally.count("world differs: \(text.prefix(30))")
      if Acquaintance.isNew("world: \(text.prefix(20))") {
        tally.findings.append(
          Finding(
            Self.name, seed: seed, kind: "world: \(text.prefix(20))", script: world.script,
            detail: text))
      }
    }
    if random.chance(50) { bench.checkpoint() }
    var questions = QueryMaker(SimulationRandom(seed: random.next()), world)
    var asked: [(OracleQuestion, Answer)] = []
    func note(_ question: OracleQuestion, _ kind: String) {
      tally.count("found: \(kind)")
      guard Acquaintance.isNew(kind) else { return }
      tally.findings.append(
        finding(world, question, kind, seed, usesPeer: question.oracle == .peer))
    }
    for _ in 0..<(isBig ? questionCount / 4 : questionCount) {
      tally.cases += 1
      if random.chance(40) {
        let question = questions.selfContained()
        tally.count(question.shape)
        if let kind = bench.fault(question) { note(question, kind) }
        continue
      }
      let query = questions.query(isBig ? 1 : 2)
      var question = OracleQuestion(oracle: .keys, texts: [query.text], shape: questions.shape)
      tally.count(question.shape)
      let (found, wanted) = bench.answers(question)
      if case .error(let state) = found { tally.count("ended by \(state)") }
      if let kind = OracleBench.fault(.keys, found, wanted) { note(question, kind) }
      asked.append((question, found))
      if found.isTimeout { continue }
      if isBig {
        question.oracle = .threads
        if let kind = bench.fault(question) { note(question, kind) }
      }
      if let peer, bench.disagreements.isEmpty {
        question.oracle = .peer
        if let kind = OracleBench.fault(.peer, found, peer.answer(question.statements[0])) {
          note(question, kind)
        }
      }
    }
    let again = bench.reopenedAnswers(asked.map(\.0))
    for (index, answer) in again.enumerated() {
      guard let kind = OracleBench.fault(.reopened, answer, asked[index].1) else { continue }
      var question = asked[index].0
      question.oracle = .reopened
      note(question, kind)
    }
  }

  private func finding(
    _ world: World, _ question: OracleQuestion, _ kind: String, _ seed: UInt64, usesPeer: Bool
  ) -> Finding {
    let peer = usesPeer ? SharedPeer.peer : nil
    func shows(_ world: World, _ question: OracleQuestion) -> Bool {
      OracleBench(world, peer: peer)?.fault(question) == kind
    }
    var reducer = Reducer(seconds: 30)
    var (world, question) = (world, question)
    for _ in 0..<2 {
      world = world.reduced(&reducer) { shows($0, question) }
      for index in question.texts.indices {
        question.texts[index] = reducer.reduce(sql: question.texts[index]) {
          var less = question
          less.texts[index] = $0
          return shows(world, less)
        }
      }
    }
    let answers = OracleBench(world, peer: peer)?.answers(question)
    let detail = answers.map { $0.found.comparison(with: $0.wanted) } ?? ""
    var script = world.script
    if question.oracle == .keys { script += world.copies }
    return Finding(
      Self.name, seed: seed, kind: "\(kind), \(question.shape)",
      script: script + question.statements,
      detail: detail)
  }
}

extension World {
  /// Fills each junction with many pairs of what it joins.
  mutating func fillJunctions() {
    for index in tables.indices
    where tables[index].name.hasPrefix("j") && tables[index].references.count == 2 {
      let table = tables[index]
      let ends = table.references.compactMap { reference in
        tables.first { $0.name == reference.table }.map { (reference, $0) }
      }
      guard ends.count == 2 else { continue }
      var values: [String] = []
      for column in table.columns {
        var text = column.type == .integer ? "(row_number() OVER () % 7)::integer" : "NULL"
        if column.name == "s" { text = "1000" }
        for (place, end) in ends.enumerated() {
          guard let part = end.0.columns.firstIndex(of: column.name) else { continue }
          text = "\(["l", "r"][place]).\(end.1.key[part])"
        }
        values.append(text)
      }
      tables[index].fill =
        "SELECT \(values.joined(separator: ", ")) FROM \(ends[0].1.name) l, \(ends[1].1.name) r ON CONFLICT DO NOTHING"
    }
  }
}
