import Diagnostics
import Junction
import SimulatedDisk

/// A world in all the forms in which it is asked.
struct OracleBench {
  private let disk: SimulatedDisk
  private let database: Database
  private let keyed: Asker
  private let plain: Asker
  private let peer: Peer?
  /// What PostgreSQL says otherwise of the statements that make the world.
  private(set) var disagreements: [String] = []
  private static let path = "/hunt.junction"

  /// Makes a world, for PostgreSQL as well if it is at hand.
  init?(_ world: World, peer: Peer?) {
    disk = SimulatedDisk()
    guard let opened = try? Database(path: Self.path, on: disk, DatabaseOptions()) else {
      return nil
    }
    database = opened
    keyed = Asker(database.connect())
    plain = Asker(database.connect())
    var outcomes: [Answer] = []
    // One transaction, so that the log has one commit; later ones that fail take nothing with them.
    for statement in world.script { outcomes.append(keyed.answer(statement)) }
    for statement in world.copies where keyed.run(statement) != nil { return nil }
    plain.run("SET search_path = plain")
    self.peer = peer
    guard let peer else { return }
    for statement in [
      "DROP SCHEMA IF EXISTS hunt CASCADE", "CREATE SCHEMA hunt",
      "SET search_path = hunt, pg_catalog",
    ] { _ = peer.answer(statement) }
    for (statement, outcome) in zip(world.script, outcomes) {
      let wanted = peer.answer(statement)
      if let kind = outcome.difference(from: wanted) {
        disagreements.append("\(kind): \(statement)")
      }
    }
    for table in world.tables {
      let sql = "SELECT * FROM \(table.name)"
      if keyed.answer(sql) != peer.answer(sql) { disagreements.append("rows of \(table.name)") }
    }
  }

  /// The two answers to a question that should be one.
  func answers(_ question: OracleQuestion) -> (found: Answer, wanted: Answer) {
    let statements = question.statements
    switch question.oracle {
    case .keys: return (keyed.answer(statements[0]), plain.answer(statements[0]))
    case .threads:
      keyed.run("SET threads = 2")
      let several = keyed.answer(statements[0])
      keyed.run("SET threads = 1")
      defer { keyed.run("SET threads = 0") }
      return (several, keyed.answer(statements[0]))
    case .reopened:
      let before = keyed.answer(statements[0])
      let copy = SimulatedDisk(disk.state.crash(seed: 1))
      guard let again = try? Database(path: Self.path, on: copy, DatabaseOptions()) else {
        return (.error("not opened"), before)
      }
      return (Asker(again.connect()).answer(statements[0]), before)
    case .peer:
      guard let peer else { return (.rows([]), .rows([])) }
      return (keyed.answer(statements[0]), peer.answer(statements[0]))
    case .pairs, .parts, .distinctParts, .groupedParts, .truths, .members, .common, .rest:
      return (keyed.answer(statements[0]), keyed.answer(statements[1]))
    }
  }

  func checkpoint() { _ = try? database.checkpoint() }

  /// The answers of many questions after opening anew, in one go.
  func reopenedAnswers(_ list: [OracleQuestion]) -> [Answer] {
    let copy = SimulatedDisk(disk.state.crash(seed: 1))
    guard let again = try? Database(path: Self.path, on: copy, DatabaseOptions()) else {
      return list.map { _ in .error("not opened") }
    }
    let asker = Asker(again.connect())
    return list.map { asker.answer($0.statements[0]) }
  }

  /// The kind of fault that a question shows; nil if there is none.
  func fault(_ question: OracleQuestion) -> String? {
    let (found, wanted) = answers(question)
    return Self.fault(question.oracle, found, wanted)
  }

  static func fault(_ oracle: OracleQuestion.Oracle, _ found: Answer, _ wanted: Answer) -> String? {
    if found.isInternal || wanted.isInternal { return "\(oracle.rawValue): internal error" }
    switch oracle {
    case .keys, .threads, .reopened, .peer: break
    default:
      // A condition may fail in one form and not be met in the other.
      guard found.rowCount != nil, wanted.rowCount != nil else { return nil }
    }
    return found.fault(against: wanted).map { "\(oracle.rawValue): \($0)" }
  }
}
