import Columnar
import Storage

extension NeighbourAggregateSource {
  /// Edges on their way to the aggregates.
  struct Batch {
    let opened: AdjacencyAccess.Opened
    /// The row of the parent among those of the morsel.
    private(set) var parents = Buffer<UInt32>(uninitialized: capacity)
    private var rows = Buffer<UInt32>(uninitialized: capacity)
    private var targets = Buffer<UInt32>(uninitialized: capacity)
    private(set) var count = 0
    private(set) var hasMissing = false
    /// The last edge of the batch before.
    private var last = (parent: UInt32.max, target: UInt32.max)
    /// Fewer than a chunk has room for: of the rows and neighbours of edges, which stand anywhere, more is read at once than fits
    /// a near cache.
    private static var capacity: Int { TableStore.pageCapacity }

    /// Where the columns above stand.
    private var places:
      (parents: PagePointer<UInt32>, targets: PagePointer<UInt32>, rows: PagePointer<UInt32>)
    /// No page where all edges are wanted.
    private let wanted: PagePointer<UInt64>

    init(_ opened: AdjacencyAccess.Opened, wanted: Buffer<UInt64>?) {
      self.opened = opened
      self.wanted = wanted.map { PagePointer($0) } ?? .none
      places = (PagePointer(parents), PagePointer(targets), PagePointer(rows))
    }

    var isFull: Bool { count == Self.capacity }

    /// Begins anew, with memory of its own: vectors may still refer to the last.
    mutating func begin() {
      if count > 0 { last = (parents[count - 1], targets[count - 1]) }
      parents = Buffer(uninitialized: Self.capacity)
      rows = Buffer(uninitialized: Self.capacity)
      targets = Buffer(uninitialized: Self.capacity)
      places = (PagePointer(parents), PagePointer(targets), PagePointer(rows))
      count = 0
      hasMissing = false
    }

    /// Adds those of some edges of a parent that are wanted, and says how many of them were looked at: all that have room.
    mutating func add(
      _ ends: PagePointer<UInt32>, _ edges: PackedNumbers, _ range: Range<Int>, to parent: Int
    ) -> Int {
      let taken = min(range.count, Self.capacity - count)
      let (first, start) = (count, range.lowerBound)
      edges.copy(from: start, count: taken, to: self.rows, at: first)
      // Through plain bytes: this is done for each parent.
      let (parents, targets, rows) = places
      if wanted.isNone {
        for index in 0..<taken {
          parents.store(UInt32(truncatingIfNeeded: parent), at: first &+ index)
          targets.store(ends[start &+ index], at: first &+ index)
        }
        count = first &+ taken
        return taken
      }
      var next = first
      for index in 0..<taken {
        let row = rows[first &+ index]
        // Written before it is known whether it is wanted, and written over if it is not.
        parents.store(UInt32(truncatingIfNeeded: parent), at: next)
        targets.store(ends[start &+ index], at: next)
        rows.store(row, at: next)
        let word = wanted[Int(truncatingIfNeeded: row &>> 6)]
        next &+= Int(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: row & 63) & 1)
      }
      count = next
      return taken
    }

    /// Adds a parent without edges.
    mutating func addMissing(_ parent: Int) {
      parents[count] = UInt32(truncatingIfNeeded: parent)
      rows[count] = TableStore.noRow
      targets[count] = TableStore.noRow
      count += 1
      hasMissing = true
    }

    /// Keeps some of the edges, of which the rows are of no use any more.
    mutating func keep(_ kept: SelectionVector) {
      let (oldParents, oldTargets) = (parents, targets)
      parents = Buffer(uninitialized: Self.capacity)
      targets = Buffer(uninitialized: Self.capacity)
      for index in 0..<kept.count {
        parents[index] = oldParents[kept.positions[index]]
        targets[index] = oldTargets[kept.positions[index]]
      }
      places = (PagePointer(parents), PagePointer(targets), PagePointer(rows))
      count = kept.count
    }

    /// The first edge from each parent to each neighbour: lists rise by neighbour.
    func firsts() -> SelectionVector {
      let found = Buffer<UInt32>(uninitialized: count + 1)
      var foundCount = 0
      var (parent, target) = last
      for edge in 0..<count {
        found[foundCount] = UInt32(truncatingIfNeeded: edge)
        let isSame = parents[edge] == parent && targets[edge] == target
        (parent, target) = (parents[edge], targets[edge])
        foundCount &+= bit(!isSame && target != TableStore.noRow)
      }
      return SelectionVector(found, count: foundCount)
    }

    /// The columns of edges and neighbours.
    func columns() -> [Vector] {
      var columns = opened.edgeColumns.gather(rows, count: count, optional: hasMissing)
      if let readers = opened.neighbourColumns {
        var neighbours = targets
        if let reference = opened.missingReference {
          neighbours = opened.edges.parents(of: rows, count: count, reference: reference)
        }
        columns += readers.gather(
          neighbours, count: count, optional: hasMissing || opened.missingReference != nil)
      }
      return columns
    }
  }
}
