import Diagnostics
import Durability
import Foundation
import Junction
import SimulatedDisk

/// Every flipped bit and every cut of the files of a database.
///
/// The database is opened from the damaged file, and read: either it is refused as damaged, or it holds what it held.
struct DamageProof {
  private static let path = "/school.junction"

  /// A closed database whose snapshot (or log) has at least `size` bytes.
  private static func state(
    _ size: Int, inLog: Bool
  ) throws(SQLError) -> (SimulatedState, digest: UInt64) {
    let disk = SimulatedDisk()
    let database = try Database(path: path, on: disk, DatabaseOptions())
    let connection = database.connect()
    for statement in SchoolHistory.definitions { try connection.execute(statement) }
    if inLog { try database.checkpoint() }
    var n = 0
    while true {
      n += 1
      try SchoolHistory.run(n, on: connection)
      if n % 16 > 0 { continue }
      if inLog {
        let bytes = disk.bytes(of: path + "/wal.2") ?? []
        if bytes.count >= size { break }
      } else {
        try connection.execute(
          "INSERT INTO student SELECT -i, md5(i::text) || md5((-i)::text), NULL, i % 1000, NULL FROM generate_series(\(n * 1000), \(n * 1000 + 60)) i"
        )
        let backup = "/size.\(n)"
        try database.backUp(to: backup, on: disk)
        if (disk.bytes(of: backup) ?? []).count >= size { break }
      }
    }
    let digest = try SchoolHistory.digest(connection)
    if !inLog { try database.backUp(to: "/backup", on: disk) }
    try database.close()
    return (disk.state.killed(), digest)
  }

  static func run(bytes size: Int, step: Int) throws -> Bool {
    var isSound = true
    for inLog in [false, true] {
      let what = inLog ? "log" : "snapshot"
      let (state, digest) = try state(size, inLog: inLog)
      let file = inLog ? path + "/wal.2" : "/backup"
      let bytes = SimulatedDisk(state).bytes(of: file) ?? []
      let flips = Proof("every flipped bit of a \(what) of \(bytes.count) bytes")
      check(bytes.count * 8 / step, flips, state, file, inLog, digest) { index in
        var changed = bytes
        changed[index * step / 8] ^= 1 << UInt8(index * step % 8)
        return changed
      }
      isSound = flips.report() && isSound
      let cuts = Proof("every truncation of a \(what) of \(bytes.count) bytes")
      check(bytes.count / step, cuts, state, file, inLog, nil) { Array(bytes.prefix($0 * step)) }
      isSound = cuts.report() && isSound
    }
    return isSound
  }

  /// A database that opens must hold what `digest` says; if that is nil, any prefix of its transactions.
  private static func check(
    _ count: Int, _ proof: Proof, _ state: SimulatedState, _ file: String, _ inLog: Bool,
    _ digest: UInt64?, _ change: @escaping @Sendable (Int) -> [UInt8]
  ) {
    let prefixes = digest == nil && inLog
    Proof.forEach(count) { index in
      proof.add()
      let disk = SimulatedDisk(state)
      disk.place(change(index), at: file)
      do throws(SQLError) {
        let database = try Database(
          path: inLog ? path : file, on: disk, DatabaseOptions())
        let connection = database.connect()
        if let digest {
          if try SchoolHistory.digest(connection) != digest {
            proof.fail("case \(index): other rows are there")
          }
        } else if prefixes {
          _ = try SchoolHistory.last(connection)
        } else {
          proof.fail("case \(index): it was opened")
        }
        proof.add(1, to: "harmless")
        try database.close()
      } catch {
        if error.state == .dataCorrupted {
          proof.add(1, to: "refused")
        } else {
          proof.fail("case \(index): \(error)")
        }
      }
    }
  }
}
