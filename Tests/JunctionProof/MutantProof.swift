import Catalog
import Columnar
import Diagnostics
import Durability
import Foundation
import Junction
import SimulatedDisk
import Synchronization

/// Files whose contents were changed and whose checksums were made to match again.
///
/// Sections of snapshots and payloads of commits are changed byte by byte and put together anew by those who write
/// them, so that only the checks of the contents stand between them and the engine. Reading them must end soon, with
/// a database or an error; of the databases, many are verified and asked.
struct MutantProof {
  /// No mutant may take longer.
  private static let limitSeconds = 10

  /// What mutants are made of: a snapshot, and commits behind it.
  private struct Seed: Sendable {
    var sections: [(kind: SnapshotSection.Kind, table: UInt32, bytes: [UInt8])] = []
    var snapshot: [UInt8]
    var payloads: [[UInt8]] = []
  }

  private static let identity = FileIdentity(
    database: DatabaseID(low: 11, high: 12), generation: 1)

  static func run(_ count: Int) throws -> Bool {
    let seeds = try self.seeds()
    let proof = Proof("mutants whose checksums match")
    let batch = 500
    // Where each worker is, for the watch.
    let started = Mutex<[Int: ContinuousClock.Instant]>([:])
    let isDone = Atomic<Bool>(false)
    let watch = Thread {
      while !isDone.load(ordering: .relaxed) {
        Thread.sleep(forTimeInterval: 1)
        let now = ContinuousClock.now
        let late = started.withLock { $0.first { now - $0.value > .seconds(limitSeconds) } }
        if let late {
          proof.fail("mutant \(late.key) has not ended after \(limitSeconds) s")
          proof.report()
          exit(1)
        }
      }
    }
    watch.start()
    Proof.forEach((count + batch - 1) / batch) { number in
      var random = SimulationRandom(seed: UInt64(number) &* 7919 &+ 3)
      for index in 0..<batch {
        let id = number * batch + index
        started.withLock { $0[number] = .now }
        let seed = seeds[random.below(seeds.count)]
        if random.chance(55) {
          mutateSnapshot(seed, &random, proof, id)
        } else {
          mutateCommit(seed, &random, proof, id)
        }
      }
      started.withLock { _ = $0.removeValue(forKey: number) }
      proof.add(batch)
    }
    isDone.store(true, ordering: .relaxed)
    return proof.report()
  }

  // MARK: Seeds

  private static let scripts = [
    SchoolHistory.definitions + (1...6).flatMap(SchoolHistory.statements),
    [
      "CREATE TYPE mood AS ENUM ('sad', 'ok')",
      "CREATE DOMAIN share AS int CHECK (value BETWEEN 0 AND 100)",
      "CREATE TABLE t (a serial PRIMARY KEY, b text, m mood, s share, n numeric, l int[], j jsonb, i interval, u uuid, f real, z timestamptz DEFAULT now(), g int GENERATED ALWAYS AS (a * 2) STORED)",
      "INSERT INTO t (b, m, s, n, l, j, i, u, f) SELECT 'text ' || i, 'ok', i, i / 7.0, ARRAY[i, NULL], '{\"a\": 1}', '1 day', '00000000-0000-0000-0000-000000000001', 1.5 FROM generate_series(1, 5) i",
      "CREATE INDEX by_b ON t (lower(b)) WHERE a > 1", "CREATE VIEW v AS SELECT a, b FROM t",
      "UPDATE t SET b = NULL WHERE a = 2", "DELETE FROM t WHERE a = 3",
      "CREATE FUNCTION twice(i int) RETURNS int LANGUAGE sql AS 'SELECT i * 2'",
      "COMMENT ON TABLE t IS 'a table'",
    ],
    [
      "CREATE TABLE p (id uuid PRIMARY KEY, k text UNIQUE)",
      "CREATE TABLE c (p_id uuid REFERENCES p, q_id uuid REFERENCES p, n bigint, PRIMARY KEY (p_id, q_id), UNIQUE NULLS NOT DISTINCT (n))",
      "INSERT INTO p SELECT lpad(i::text, 32, '0')::uuid, repeat('key', i) FROM generate_series(1, 40) i",
      "INSERT INTO c SELECT a.id, b.id, row_number() OVER () FROM p a, p b WHERE a.k < b.k LIMIT 300",
      "CREATE PROPERTY GRAPH g VERTEX TABLES (p) EDGE TABLES (c SOURCE KEY (p_id) REFERENCES p (id) DESTINATION KEY (q_id) REFERENCES p (id))",
      "DELETE FROM c WHERE n % 3 = 0",
    ],
  ]

  private static func seeds() throws(SQLError) -> [Seed] {
    var seeds: [Seed] = []
    for script in scripts {
      let disk = SimulatedDisk()
      let database = try Database(path: "/a.junction", on: disk, DatabaseOptions())
      let connection = database.connect()
      for statement in script { try connection.execute(statement) }
      try database.backUp(to: "/backup", on: disk)
      let file = try LoneSnapshot.open("/backup", on: disk)
      let reader = try SnapshotReader(file)
      var seed = Seed(snapshot: disk.bytes(of: "/backup") ?? [])
      for section in reader.sections {
        let start = Int(section.offset)
        let bytes = Array(seed.snapshot[start..<(start + Int(section.byteCount))])
        seed.sections.append((section.kind, section.table, bytes))
      }
      try database.close()
      // The commits, as the log holds them.
      _ = try DatabaseFolder.open("/a.junction", on: disk, FolderOptions()) { _ in
      } replay: { (_: inout Void, transaction) throws(SQLError) in
        seed.payloads.append(transaction.payload)
      }
      seeds.append(seed)
    }
    return seeds
  }

  // MARK: Changes

  private static let nasty: [UInt64] = [
    0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 62,
    1 << 63 - 1, 1 << 63, .max,
  ]

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SimulationRandom) {
    for _ in 0...random.below(3) {
      if bytes.isEmpty {
        bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: 9)
      }
      let place = random.below(bytes.count)
      let count = min(bytes.count - place, 1 + random.below(12))
      switch random.below(9) {
      case 0, 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
      case 2: bytes[place] ^= 1 << UInt8(random.below(8))
      case 3: bytes[place] = bytes[place] &+ (random.chance(50) ? 1 : 255)
      case 4:
        let value = nasty[random.below(nasty.count)]
        for index in 0..<min(8, bytes.count - place) {
          bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index))
        }
      case 5: bytes.removeSubrange(place..<(place + count))
      case 6: bytes.insert(contentsOf: bytes[place..<(place + count)], at: place)
      case 7:
        let other = random.below(bytes.count - count + 1)
        bytes.replaceSubrange(other..<(other + count), with: bytes[place..<(place + count)])
      default: bytes.removeLast(random.below(bytes.count))
      }
    }
  }

  private static func mutateSnapshot(
    _ seed: Seed, _ random: inout SimulationRandom, _ proof: Proof, _ id: Int
  ) {
    var sections = seed.sections
    let place = random.below(sections.count)
    switch random.below(12) {
    case 0: sections.swapAt(place, random.below(sections.count))
    case 1: sections.remove(at: place)
    case 2: sections.insert(sections[place], at: random.below(sections.count))
    case 3: sections[place].table = UInt32(truncatingIfNeeded: nasty[random.below(nasty.count)])
    default: mutate(&sections[place].bytes, &random)
    }
    let disk = SimulatedDisk()
    do throws(SQLError) {
      try LoneSnapshot.create("/m", on: disk) { checkpoint, file throws(SQLError) in
        let writer = try SnapshotWriter(
          checkpoint.identity, baseSequence: checkpoint.baseSequence, into: &file)
        for section in sections {
          try writer.append(section.kind, table: section.table, section.bytes)
        }
        try writer.finish()
      } verify: { _, _ in
      }
      let database = try Database(path: "/m", on: disk, DatabaseOptions())
      proof.add(1, to: "opened")
      if random.chance(20) { try ask(database, proof) }
    } catch { note(error, proof, id) }
  }

  private static func mutateCommit(
    _ seed: Seed, _ random: inout SimulationRandom, _ proof: Proof, _ id: Int
  ) {
    let place = random.below(seed.payloads.count)
    var payload = seed.payloads[place]
    mutate(&payload, &random)
    do throws(SQLError) {
      let counters = SequenceCounters()
      var version = DatabaseVersion(number: 0, catalog: CatalogSnapshot(), tables: [:])
      for index in 0...place {
        var reader = ByteReader(index == place ? payload : seed.payloads[index])
        version = try CommitRecord.apply(&reader, to: version, counters)
      }
      proof.add(1, to: "applied")
    } catch { note(error, proof, id) }
  }

  /// Asks a database that was opened for all it has.
  private static func ask(_ database: Database, _ proof: Proof) throws(SQLError) {
    let connection = database.connect()
    proof.add(1, to: "asked")
    if try SchoolHistory.damage(connection) != nil { proof.add(1, to: "found by VERIFY") }
    let catalog = connection.catalog
    for table in catalog.tables.values {
      _ = try? connection.query(
        "SELECT count(*), min(t::text), max(t::text) FROM \"\(table.name.name)\" t")
    }
  }

  private static func note(_ error: SQLError, _ proof: Proof, _ id: Int) {
    switch error.state {
    case .dataCorrupted, .featureNotSupported: proof.add(1, to: "refused")
    default: proof.fail("mutant \(id): \(error)")
    }
  }
}
