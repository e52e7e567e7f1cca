import Catalog
import Diagnostics
import Durability
import Junction
import SimulatedDisk

/// The power goes at any change that a whole database makes to its disk.
///
/// Engine, log and snapshots run on a disk in memory, which loses, tears and reorders what was not synced. What is
/// opened afterwards must be what some transaction left, none before the last that was acknowledged.
struct CutProof {
  private static let path = "/school.junction"
  private static let patternCount: UInt64 = 12
  private static let commitCount = 14

  /// Runs histories until there were so many cuts.
  static func run(_ wanted: Int) throws -> Bool {
    let proof = Proof("simulated power cuts of whole databases")
    // Each history has about 100 changes of the disk, cut in `patternCount` ways.
    var model = try SchoolModel()
    var digests: [UInt64] = []
    for n in 0...(4 * commitCount) { digests.append(try model.digest(n)) }
    let known = digests
    let perSeed = 100 * Int(patternCount)
    Proof.forEach(max(1, wanted / perSeed)) { seed in
      do throws(SQLError) {
        try history(UInt64(seed) + 1, known, proof)
      } catch { proof.fail("seed \(seed + 1): \(error)") }
    }
    return proof.report()
  }

  private static func options(_ random: inout SimulationRandom) -> DatabaseOptions {
    var options = DatabaseOptions()
    options.durability = random.chance(70) ? .sync : .async
    return options
  }

  private static func history(
    _ seed: UInt64, _ digests: [UInt64], _ proof: Proof
  ) throws(SQLError) {
    var random = SimulationRandom(seed: seed)
    let options = options(&random)
    let disk = SimulatedDisk()
    var database = try Database(path: path, on: disk, options)
    var connection = database.connect()
    for statement in SchoolHistory.definitions { try connection.execute(statement) }
    try database.checkpoint()
    disk.isRecording = true
    disk.note = 0
    for n in 1...commitCount {
      // The transaction may be there from now on, and must be from its acknowledgement on.
      let durable = disk.note & 0xFFFF
      disk.note = durable | n << 16
      try SchoolHistory.run(n, on: connection)
      if options.durability == .sync { disk.note = n | n << 16 }
      if random.chance(15) {
        try database.checkpoint()
        disk.note = n | n << 16
      }
      if random.chance(8) {
        try database.close()
        disk.note = n | n << 16
        database = try Database(path: path, on: disk, options)
        connection = database.connect()
      }
    }
    try database.close()
    for (index, state) in disk.history.enumerated() {
      for pattern in 0..<patternCount {
        let cut = pattern < 4 ? pattern : seed << 32 | UInt64(index) << 8 | pattern
        proof.add()
        let survivor = SimulatedDisk(state.crash(seed: cut))
        // What recovery itself does to the disk is cut as well, of some.
        survivor.isRecording = (UInt64(index) + pattern) % 16 == 5
        let place = "seed \(seed), change \(index), pattern \(pattern)"
        guard
          let found = check(survivor, state.note, digests, proof, place, verifies: pattern == 7)
        else { continue }
        for (step, second) in survivor.history.enumerated() {
          proof.add()
          proof.add(1, to: "during recovery")
          _ = check(
            SimulatedDisk(second.crash(seed: cut &+ UInt64(step))), found | found << 16, digests,
            proof, place + ", again at \(step)", verifies: false)
        }
      }
    }
  }

  /// Opens what survived; gives the number of the last transaction in it.
  private static func check(
    _ disk: SimulatedDisk, _ note: Int, _ digests: [UInt64], _ proof: Proof, _ place: String,
    verifies: Bool
  ) -> Int? {
    do throws(SQLError) {
      let database = try Database(path: path, on: disk, DatabaseOptions())
      let connection = database.connect()
      let found = try SchoolHistory.last(connection)
      let (least, most) = (note & 0xFFFF, note >> 16)
      if found < least || found > most {
        proof.fail("\(place): \(found) transactions are there, not \(least) to \(most)")
      } else if try SchoolHistory.digest(connection) != digests[found] {
        proof.fail("\(place): transaction \(found) is there by halves")
      }
      if verifies, let damage = try SchoolHistory.damage(connection) {
        proof.fail("\(place): \(damage)")
      }
      return found
    } catch {
      proof.fail("\(place): \(error)")
      return nil
    }
  }
}
