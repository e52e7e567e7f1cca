import Columnar
import Diagnostics
import Synchronization

/// What an algorithm works with: memory that is accounted for, workers, and its end when the statement has to end.
///
/// Nothing that it does depends on how many workers there are: each vertex is written by one worker, and sums are made of blocks
/// of fixed size, in their order.
struct GraphWork {
  let context: ExecutionContext
  let account: MemoryAccount
  /// What errors call vertices.
  let names: GraphNames

  /// Vertices to a block.
  static var blockSize: Int { 1024 }

  var workerCount: Int { max(1, min(Workers.parallelism, context.workerLimit)) }

  /// Room for an element of each of `count` vertices, all the same.
  ///
  /// - Throws: 53200.
  func buffer<Element: BitwiseCopyable>(
    _ value: Element, count: Int
  ) throws(SQLError) -> Buffer<Element> {
    try account.charge(count * MemoryLayout<Element>.stride)
    return Buffer(repeating: value, count: max(count, 1))
  }

  func check() throws(SQLError) { try context.check() }

  /// Calls `body` for all blocks of `0 ..< count`, by all workers.
  ///
  /// - Throws: 57014, and what `body` throws.
  func forEachBlock(
    _ count: Int, size: Int = blockSize,
    _ body: @escaping @Sendable (Range<Int>) throws(SQLError) -> Void
  ) throws(SQLError) {
    let workers: [Void] = (0..<workerCount).map { _ in () }
    try forEachBlock(count, size: size, among: workers) { (_: Void, range) throws(SQLError) in
      try body(range)
    }
  }

  /// The same with a state for each worker.
  func forEachBlock<State>(
    _ count: Int, size: Int = blockSize, among states: [State],
    _ body: @escaping @Sendable (State, Range<Int>) throws(SQLError) -> Void
  ) throws(SQLError) {
    let pieces = (count + size - 1) / size
    try Workers.share(pieces, among: states, context) { (state, piece) throws(SQLError) in
      try body(state, piece * size..<min((piece + 1) * size, count))
    }
  }

  /// The sum of what `body` gives for each block, in the order of blocks.
  func sum(
    _ count: Int, _ body: @escaping @Sendable (Range<Int>) -> Double
  ) throws(SQLError) -> Double {
    let workers: [Void] = (0..<workerCount).map { _ in () }
    return try sums(count, among: workers) { (_: Void, range) in SIMD2(body(range), 0) }[0]
  }

  /// The same of two numbers at once, with a state for each worker.
  func sums<State>(
    _ count: Int, among states: [State],
    _ body: @escaping @Sendable (State, Range<Int>) -> SIMD2<Double>
  ) throws(SQLError) -> SIMD2<Double> {
    let size = Self.blockSize
    let sums = Buffer<SIMD2<Double>>(repeating: .zero, count: max(1, (count + size - 1) / size))
    try forEachBlock(count, among: states) { state, range in
      sums[range.lowerBound / size] = body(state, range)
    }
    var total = SIMD2<Double>.zero
    for block in 0..<sums.count { total += sums[block] }
    return total
  }
}

extension GraphWork {
  /// Makes places of the lengths of lists, each of which is noted one further on; gives the length of all.
  ///
  /// - Throws: 54000 for more than 4,294,967,295.
  func addUp(_ lengths: Buffer<UInt32>, _ count: Int) throws(SQLError) -> Int {
    var total = 0
    for vertex in 0..<count {
      total += Int(lengths[vertex + 1])
      if total > Int(UInt32.max) {
        throw SQLError(
          .programLimitExceeded,
          "a graph of which an algorithm needs a copy can have at most 2,147,483,647 edges")
      }
      lengths[vertex + 1] = UInt32(truncatingIfNeeded: total)
    }
    return total
  }
}

/// A graph algorithm: made of its arguments, run over a graph.
protocol GraphAlgorithm: Sendable {
  /// - Throws: 22023 for arguments out of range.
  init(_ arguments: GraphArgumentValues) throws(SQLError)

  /// - Throws: 57014, 53200, and errors of the algorithm for what the graph may not have.
  func run(_ graph: GraphTopology, _ work: GraphWork) throws(SQLError) -> GraphResult
}

/// The arguments of one call, by their order in the signature.
struct GraphArgumentValues {
  let values: [Vector]
  let names: GraphNames
  let function: String
  /// The table that all vertices are of; nil for any.
  let table: Int?
  /// Numbers of vertices, for each argument that names a column.
  var columns: [Buffer<Double>] = []
  /// The columns of the result that nobody uses: what they get does not matter.
  var unused: Set<String> = []

  func isGiven(_ place: Int) -> Bool { values[place].isValid(0) }

  func integer(_ place: Int) -> Int {
    isGiven(place) ? Int(values[place].flattened().values(Int32.self)[0]) : 0
  }

  func double(_ place: Int) -> Double {
    isGiven(place) ? values[place].flattened().values(Double.self)[0] : 0
  }

  func boolean(_ place: Int) -> Bool {
    isGiven(place) && values[place].flattened().values(Bool.self)[0]
  }

  /// The vertices that an argument names; none for NULL and for keys that no row has.
  func vertices(_ place: Int) throws(SQLError) -> [UInt32] {
    try names.vertices(values[place], of: table)
  }

  /// - Throws: 22023 where a condition on an argument does not hold.
  func require(_ condition: Bool, _ what: String) throws(SQLError) {
    if condition { return }
    throw SQLError(.invalidParameterValue, "\(what) in \(function)")
  }
}

/// The rows that an algorithm gives.
struct GraphResult {
  enum Rows {
    /// One for each vertex, in the order of their numbers.
    case vertices
    /// The vertices of each row, a buffer for each column of vertices, and how many rows there are.
    case listed([Buffer<UInt32>], count: Int)
  }
  /// Values by the number of the vertex, or by the row.
  enum Column {
    case double(Buffer<Double>)
    case bigint(Buffer<Int64>)
    case integer(Buffer<Int32>)
    case boolean(Buffer<Bool>)
    case text([String])
    /// A count or a number of a vertex, as bigint.
    case number(Buffer<UInt32>)
    /// A vertex, or `UInt32.max` for none.
    case vertex(Buffer<UInt32>)
    /// Lists of vertices one behind another: where the row's begins, and one entry more.
    case paths(starts: [Int], [UInt32])
    /// The vertices on the way to the vertex of each row, from the one behind which `back` has no other.
    case ways(ends: Buffer<UInt32>, back: Buffer<UInt32>)
  }
  var rows: Rows
  var columns: [Column]
}

extension GraphResult {
  /// No rows, with as many columns as the algorithm gives.
  static func none(vertices: Int = 1, _ columns: [Column]) -> GraphResult {
    let none = Buffer<UInt32>(uninitialized: 1)
    return GraphResult(
      rows: .listed(Array(repeating: none, count: vertices), count: 0), columns: columns)
  }
}
