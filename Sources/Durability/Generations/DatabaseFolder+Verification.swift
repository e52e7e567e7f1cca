package import Diagnostics
import Synchronization

/// What was found of one file.
package struct VerifiedFile: Sendable {
  package let path: String
  package let byteCount: Int
  /// nil if all is well.
  package let error: SQLError?

  package init(path: String, byteCount: Int, error: SQLError?) {
    self.path = path
    self.byteCount = byteCount
    self.error = error
  }
}

extension DatabaseFolder {
  /// Reads all files of the database anew: the manifest, the snapshots that it names, and the logs from the older on.
  ///
  /// `verify` looks at a snapshot. Commits may go on; frames that are being written are no damage.
  package func verifyFiles(
    _ verify: (SnapshotFile) throws(SQLError) -> Void
  ) -> [VerifiedFile] {
    var found: [VerifiedFile] = []
    func add(_ path: String, _ body: () throws(SQLError) -> Int) {
      do throws(SQLError) {
        found.append(VerifiedFile(path: path, byteCount: try body(), error: nil))
      } catch {
        found.append(VerifiedFile(path: path, byteCount: 0, error: error))
      }
    }
    var manifest = state.withLock { $0.manifest }
    add(files.manifest) { () throws(SQLError) in
      let bytes = try reportingDiskErrors { () throws(DiskError) in
        let file = try disk.open(files.manifest, .read)
        defer { try? disk.close(file) }
        return try disk.contents(of: file, limit: 4096)
      }
      manifest = try Manifest(bytes.span, path: files.manifest)
      return bytes.count
    }
    let names = (try? disk.list(files.path)) ?? []
    let entries = names.map { FolderEntry($0) }
    for generation in [manifest.previousGeneration, manifest.generation] where generation > 0 {
      let isNamed = generation == manifest.generation && manifest.hasSnapshot
      guard isNamed || entries.contains(.snapshot(generation)) else { continue }
      let path = files.snapshot(generation)
      add(path) { () throws(SQLError) in
        let identity = FileIdentity(database: manifest.database, generation: generation)
        let base =
          isNamed
          ? manifest.baseSequence
          : try LogReader(files.log(generation), on: disk, identity: identity).header.baseSequence
        let snapshot = try Self.snapshot(path, on: disk, identity: identity, baseSequence: base)
        try verify(snapshot)
        return snapshot.file.byteCount
      }
    }
    let first =
      manifest.previousGeneration > 0 ? manifest.previousGeneration : manifest.generation
    let logs = entries.compactMap { entry -> UInt64? in
      if case .log(let generation) = entry, generation >= first { generation } else { nil }
    }
    var last: (path: String, sequence: UInt64)?
    for generation in logs.sorted() {
      add(files.log(generation)) { () throws(SQLError) in
        let identity = FileIdentity(database: manifest.database, generation: generation)
        let reader = try LogReader(files.log(generation), on: disk, identity: identity)
        try reader.skipAll()
        defer { last = (files.log(generation), reader.end.sequence) }
        if let last, reader.header.baseSequence > last.sequence {
          throw .damaged(
            "log file", path: last.path,
            "What follows begins after transaction \(reader.header.baseSequence), but it ends at"
              + " transaction \(last.sequence).")
        }
        return Int(reader.end.offset)
      }
    }
    return found
  }
}
