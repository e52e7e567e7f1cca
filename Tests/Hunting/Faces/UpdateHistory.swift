import Diagnostics
import Junction
import SimulatedDisk

/// Questions along foreign keys of a random world, watched over random commits: after each of them what was handed out last is
/// what asking again gives.
struct UpdateHistory {
  private var random: SimulationRandom
  private var maker: WorldMaker
  private var world: World

  /// What makes the world, and the changes so far.
  var script: [String] { world.script }

  init(_ random: SimulationRandom) {
    maker = WorldMaker(random)
    maker.sizes = [3, 8, 8, 30]
    maker.mostKeyColumns = 2
    world = maker.make()
    self.random = maker.random
  }

  /// What is wrong, nil if nothing is.
  mutating func run(_ tally: inout HuntTally) throws -> String? {
    let asker = Asker()
    world.build(asker)
    let database = asker.connection.database
    var watched = questions(database)
    for _ in 0..<random.within(4...12) {
      let commit = (0..<random.within(1...3)).map { _ in maker.change(world) }
      change(database, commit)
      for index in watched.indices.reversed() {
        tally.cases += 1
        do throws(SQLError) {
          guard try watched[index].isRight(database) else {
            return "\(watched[index].sql) after \(commit.joined(separator: "; "))"
          }
        } catch {
          // An error ends a watch; which rows of the wrong kind are met first depends on the plan.
          guard error.state.code.hasPrefix("22") || error.state.code.hasPrefix("21") else {
            return "\(error.message): \(watched[index].sql)"
          }
          watched.remove(at: index)
        }
      }
    }
    tally.count("wakes", watched.reduce(0) { $0 + $1.wakes })
    tally.count("wakes for nothing", watched.reduce(0) { $0 + $1.emptyWakes })
    return nil
  }

  /// Questions that can be answered; their rows are sorted, as an order that was not asked for means nothing.
  private mutating func questions(_ database: Database) -> [WatchedQuestion] {
    var walks = WalkMaker(random, world)
    let questions = (0..<8).map { _ in
      WatchedQuestion("SELECT w::text FROM (\(walks.question())) w ORDER BY 1", in: database)
    }
    random = walks.random
    return questions.compactMap { question in
      var question = question
      return (try? question.isRight(database)) == true ? question : nil
    }
  }

  /// Commits changes together, or takes them back; those that a constraint refuses come to nothing.
  private mutating func change(_ database: Database, _ statements: [String]) {
    struct Undone: Error {}
    let isUndone = random.chance(15)
    if statements.count == 1 && !isUndone {
      // One statement by itself may take the short way of single rows.
      _ = try? database.execute(SQL(raw: statements[0]))
    } else {
      try? database.write { db in
        for statement in statements { _ = try db.execute(SQL(raw: statement)) }
        if isUndone { throw Undone() }
      }
    }
  }
}
