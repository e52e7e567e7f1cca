import Columnar
import Execution
import Synchronization

/// What questions to one state have given, and what they have read.
final class ObservedAnswer: Sendable {
  let reads = ReadNotes()
  private let hash = Mutex<UInt64>(0)

  /// Tells apart answers that differ: a hash of all rows in their order.
  var digest: UInt64 { hash.withLock { $0 } }

  /// Takes over what somebody else has got and read who has asked the same of the same state.
  ///
  /// - Precondition: nothing was asked before.
  func adopt(_ reads: ReadSet, digest: UInt64) {
    self.reads.adopt(reads)
    hash.withLock { $0 = digest }
  }

  func note(_ rows: ResultSet) {
    let hashes = rows.rowHashes(over: nil)
    hash.withLock { hash in
      hash = Hashing.combine(hash, UInt64(hashes.count))
      for row in hashes { hash = Hashing.combine(hash, row) }
    }
  }
}

extension ResultSet {
  /// A hash of each row over some columns, nil for all.
  ///
  /// - Complexity: O(values).
  func rowHashes(over columns: [Int]?) -> [UInt64] {
    var hashes: [UInt64] = []
    hashes.reserveCapacity(count)
    for chunk in chunks {
      let vectors = columns.map { $0.map { chunk.columns[$0] } } ?? chunk.columns
      hashes += Hashing.hash(vectors, count: chunk.count).array(chunk.count)
    }
    return hashes
  }
}
