import Diagnostics
package import Durability
import Junction
import SimulatedDisk

/// Readers, writers, observers, forks and cancellations of one database, all at once.
///
/// What each thread does follows from the seed; how they meet does not. It is for the thread sanitizer as well: see `Reliability`.
package struct ThreadHunt: Sendable {
  package static let name = "threads"
  /// How many transactions each of the writers tries in a round.
  package var steps = 40
  /// An observer that has not been told of a commit by then never will be.
  package var patience = Duration.seconds(60)

  package init() {}

  /// Runs one round, over a database in memory and over one with a log.
  ///
  /// - Parameters:
  ///   - seed: Where what each thread does begins.
  ///   - folder: The name of the database with a log, which is not there yet.
  ///   - disk: Where that is.
  /// - Returns: What was done, and what was found.
  package func round(_ seed: UInt64, _ folder: String, on disk: any Disk) async -> HuntTally {
    var tally = HuntTally()
    do {
      let memory = try ThreadWorld("in memory", seed: seed, patience, Database())
      var options = DatabaseOptions()
      options.checkpointByteCount = 1 << 16
      let logged = try ThreadWorld(
        "with a log", seed: seed &+ 1, patience, Database(path: folder, on: disk, options))
      async let first: Void = run(memory)
      async let second: Void = run(logged)
      _ = await (first, second)
      try logged.database.close()
      logged.checkEnd(try Database(path: folder, on: disk, options), "opened anew")
      for world in [memory, logged] { tally.add(world.tally) }
    } catch {
      tally.findings.append(
        Finding(Self.name, seed: seed, kind: "an error", script: [], detail: "\(error)"))
    }
    tally.count("rounds")
    return tally
  }

  private func run(_ world: ThreadWorld) async {
    let watches: [ThreadWatch]
    do { watches = try world.watch(0) } catch { return world.note(error, of: "observers") }
    await withTaskGroup { everybody in
      everybody.addTask { await onThread { world.read(1) } }
      everybody.addTask { await onThread { world.read(2) } }
      everybody.addTask { await world.readAsync(3) }
      everybody.addTask { await onThread { world.fork(4) } }
      everybody.addTask { await world.watchAWhile(5) }
      everybody.addTask { await ThreadScreen(world, 6).run() }
      await withTaskGroup { writers in
        for worker in 10..<12 {
          writers.addTask { [steps] in await onThread { world.write(worker, steps: steps) } }
        }
        for worker in 20..<23 {
          writers.addTask { [steps] in await world.writeAsync(worker, steps: steps) }
        }
      }
      world.end()
    }
    world.checkEnd(world.database, "in the end")
    await world.checkWatches(watches)
    // A view's values are let go of on the main actor, in a turn of its own.
    await world.expect("watchers left") { world.database.watcherCount == 0 }
  }
}
