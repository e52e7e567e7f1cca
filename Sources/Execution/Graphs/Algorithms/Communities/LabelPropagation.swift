import Columnar
import Diagnostics

/// Communities, found by each vertex taking the label that most of its neighbours have, the least of several, all at once in each of
/// `iterations` rounds; `label` is the vertex whose label at the start it was.
///
/// A neighbour counts for each edge, and for both where edges lead both ways. It ends early when nothing changes.
///
/// Source: the LDBC Graphalytics benchmark specification (arXiv 2011.15028), CDLP; after U. N. Raghavan, R. Albert and S. Kumara,
/// "Near Linear Time Algorithm to Detect Community Structures in Large-Scale Networks" (Physical Review E 76, 2007).
///
/// - Complexity: O(edges) an iteration; 8 bytes a vertex.
struct LabelPropagation: GraphAlgorithm {
  private let iterations: Int

  init(_ arguments: GraphArgumentValues) throws(SQLError) {
    iterations = arguments.integer(0)
    try arguments.require(iterations >= 0, "iterations must not be negative")
  }

  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult {
    let labels = try labels(graph, work)
    var result = try GraphResult.groups(graph, work) { labels[$0] }
    result.columns.append(.vertex(labels))
    return result
  }

  /// The label that each vertex has in the end.
  private func labels(
    _ graph: GraphTopology, _ work: GraphWork
  ) throws(SQLError) -> Buffer<UInt32> {
    let count = graph.vertexCount
    var labels = try work.buffer(UInt32(0), count: count)
    var next = try work.buffer(UInt32(0), count: count)
    for vertex in 0..<count { labels[vertex] = UInt32(truncatingIfNeeded: vertex) }
    var votes: [Votes] = []
    let most = (0..<count).reduce(0) {
      max($0, Votes.degree(of: UInt32(truncatingIfNeeded: $1), graph))
    }
    for _ in 0..<work.workerCount { votes.append(try Votes(most, work)) }
    let own = votes
    for _ in 0..<iterations {
      let (old, new) = (labels, next)
      try work.forEachBlock(count, among: own) { (votes, range) throws(SQLError) in
        for vertex in range {
          new[vertex] = try votes.winner(of: UInt32(truncatingIfNeeded: vertex), graph, old)
        }
      }
      (labels, next) = (new, old)
      if (0..<count).allSatisfy({ old[$0] == new[$0] }) { break }
    }
    return labels
  }
}

/// Counts the labels of one vertex' neighbours; each worker has its own.
///
/// The table stays in a core's cache: where a vertex' neighbours have more labels than it has room for, they are walked several times,
/// each time for the labels of one part of all hashes. It is made larger for vertices that would need more than some eight times.
private struct Votes {
  private struct Slot: BitwiseCopyable {
    var label: UInt32 = 0
    /// 0 where the slot is free.
    var count: UInt32 = 0
  }
  private static let leastBits: UInt32 = 14
  private static let stretch = 256
  /// The statement is asked whether it goes on before each walk along more edges.
  private static let longDegree = 1 << 16

  private let work: GraphWork
  private let mostBits: UInt32
  private let slots: Buffer<Slot>
  /// The labels of some neighbours, so that they are on their way from memory at the same time.
  private let labels = Buffer<UInt32>(uninitialized: stretch)

  /// - Parameters:
  ///   - degree: the most edges of a vertex.
  ///   - work: what holds the memory.
  /// - Throws: 53200.
  init(_ degree: Int, _ work: GraphWork) throws(SQLError) {
    self.work = work
    mostBits = max(Self.leastBits, Self.bits(degree / 8))
    slots = try work.buffer(Slot(), count: 1 << Int(mostBits))
  }

  static func degree(of vertex: UInt32, _ graph: GraphTopology) -> Int {
    graph.out.degree(of: vertex) + graph.into.degree(of: vertex)
  }

  /// A table of 2 to this power holds so many labels, and half of its slots stay free.
  private static func bits(_ labels: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: Int.bitWidth - max(2 * labels - 1, 1).leadingZeroBitCount)
  }

  /// The label that most neighbours have, the least of several; that of the vertex where there are none.
  ///
  /// - Throws: 57014.
  func winner(
    of vertex: UInt32, _ graph: GraphTopology, _ known: Buffer<UInt32>
  ) throws(SQLError) -> UInt32 {
    let degree = Self.degree(of: vertex, graph)
    if degree == 0 { return known[vertex] }
    let bits = min(Self.bits(degree), mostBits)
    var partBits: UInt32 = 0
    while true {
      var count = Count(bits: bits, partBits: partBits)
      repeat {
        if degree > Self.longDegree { try work.check() }
        for slot in 0..<1 << Int(bits) { slots[slot] = Slot() }
        graph.out.forEachStretch(of: vertex) { add($0, $1, $2, known, &count) }
        graph.into.forEachStretch(of: vertex) { add($0, $1, $2, known, &count) }
      } while count.goOn()
      if !count.isFull { return count.best }
      partBits += 1
    }
  }

  /// What is known while the labels of one vertex are counted.
  private struct Count {
    /// The table has 2 to the power of `bits` slots, and the hashes as many parts as `partBits` says.
    let bits: UInt32
    let partBits: UInt32
    var part: UInt32 = 0
    /// How many more labels there is room for; below 0 there were too many.
    var free: Int
    var best = UInt32.max
    /// How often `best` was found.
    var most: UInt32 = 0

    init(bits: UInt32, partBits: UInt32) {
      (self.bits, self.partBits) = (bits, partBits)
      free = 1 << Int(bits) / 2
    }

    var isFull: Bool { free < 0 }

    /// Whether there is another part.
    mutating func goOn() -> Bool {
      part += 1
      if isFull || part == 1 << partBits { return false }
      free = 1 << Int(bits) / 2
      return true
    }
  }

  private func add(
    _ targets: PagePointer<UInt32>, _ base: UInt32, _ length: Int, _ known: Buffer<UInt32>,
    _ count: inout Count
  ) {
    let (slots, labels) = (slots, labels)
    var own = count
    defer { count = own }
    let (bits, partBits, mask) = (own.bits, own.partBits, 1 << Int(own.bits) - 1)
    var start = 0
    while start < length {
      let found = min(Self.stretch, length &- start)
      for index in 0..<found { labels[index] = known[targets[start &+ index] &+ base] }
      start &+= found
      for index in 0..<found {
        let label = labels[index]
        // One to one, so that parts of parts come to few labels.
        let hash = label &* 0x9E37_79B1
        if partBits > 0, hash &>> (32 &- partBits) != own.part { continue }
        var place = Int(truncatingIfNeeded: (hash &<< partBits) &>> (32 &- bits))
        while slots[place].count > 0, slots[place].label != label { place = (place &+ 1) & mask }
        let times = slots[place].count &+ 1
        if times == 1 {
          own.free &-= 1
          if own.free < 0 { return }
        }
        slots[place] = Slot(label: label, count: times)
        if times > own.most || (times == own.most && label < own.best) {
          (own.most, own.best) = (times, label)
        }
      }
    }
  }
}
