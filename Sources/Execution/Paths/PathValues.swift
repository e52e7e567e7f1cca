import Columnar
import Diagnostics
import Planning
import Storage

/// Computes one column of values of paths; one for each worker.
final class PathValues {
  /// How the value of elements of one table is computed.
  private struct Source {
    let isEdge: Bool
    let table: Int
    let columns: TableColumns
    /// nil where the value is the only column.
    let evaluator: (any Evaluator)?
  }

  /// An element of a path: the table that it is of, as an entry of the pattern, and its row.
  private struct Element {
    let isEdge: Bool
    let table: Int
    let row: UInt32
  }

  private let output: PathOutput
  private let isReversed: Bool
  /// What the values are of, in the pattern as it is walked.
  private let kind: PathOutput.Kind
  private let sources: [Source]
  /// Whether the search knows what is asked of the costs of paths.
  private let hasCost: Bool

  init(
    _ output: PathOutput, _ search: PathSearch,
    _ compiler: (_ columns: [PlanColumn]) -> ExpressionCompiler
  ) throws(SQLError) {
    self.output = output
    isReversed = search.isReversed
    // The pattern in hand is the reversed one already, and reversing it again leads back.
    kind = search.isReversed ? output.kind.reversed(in: search.pattern) : output.kind
    if case .cost(let segments) = kind {
      hasCost = search.hasCost(of: segments)
    } else {
      hasCost = false
    }
    var sources: [Source] = []
    for value in output.values {
      let isColumn =
        value.columns.count == 1 && value.expression.asColumn == value.columns[0].column.id
      let evaluator =
        isColumn
        ? nil : try compiler(value.columns.map(\.column)).compile(value.expression)
      sources.append(
        Source(
          isEdge: value.isEdge, table: value.table, columns: TableColumns(value.columns),
          evaluator: evaluator))
    }
    self.sources = sources
  }

  /// The values of some paths.
  func vector(
    of paths: PathBatch, in graph: PathGraph, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    switch kind {
    case .length(let segments):
      let isWhole = segments.count == graph.segments.count
      let lengths = Buffer<Int32>(uninitialized: max(1, paths.count))
      for path in 0..<paths.count {
        lengths[path] =
          isWhole
          ? paths.lengths[path] : Int32(clamping: steps(of: path, in: segments, paths, graph).count)
      }
      return Vector(.integer, lengths, count: paths.count)
    case .cost(let segments): return try costs(of: paths, in: segments, graph)
    case .element:
      var elements: [Element?] = []
      elements.reserveCapacity(paths.count)
      for path in 0..<paths.count {
        elements.append(self.elements(of: path, paths, graph).first)
      }
      return try values(of: elements, output.column.type, graph, context)
    case .list, .vertices, .edges:
      var elements: [Element?] = []
      let slices = Buffer<ListSlice>(uninitialized: max(1, paths.count))
      for path in 0..<paths.count {
        let start = elements.count
        let own = self.elements(of: path, paths, graph)
        if isReversed { elements += own.reversed() } else { elements += own }
        slices[path] = ListSlice(
          offset: UInt32(truncatingIfNeeded: start),
          count: UInt32(truncatingIfNeeded: elements.count - start))
      }
      let type = output.column.type.element ?? output.column.type
      let child = try values(of: elements, type, graph, context).flattened()
      return Vector(
        type: output.column.type, count: paths.count, storage: slices.block, children: [child])
    }
  }

  /// What the edges of each path cost together, added up in the order in which the statement has them.
  private func costs(
    of paths: PathBatch, in segments: Range<Int>, _ graph: PathGraph
  ) throws(SQLError) -> Vector {
    guard let costs = graph.costs else { throw SQLError.internal("paths without costs") }
    let sums = PathCostSums(costs: costs, graph: graph, isReversed: isReversed)
    if hasCost { return sums.vector(ofWhole: paths) }
    let ranges = (0..<paths.count).map { steps(of: $0, in: segments, paths, graph) }
    return try sums.vector(of: ranges, in: paths)
  }

  // MARK: Elements

  /// The elements of a path at the places, in the order in which it was walked.
  private func elements(of path: Int, _ paths: PathBatch, _ graph: PathGraph) -> [Element] {
    let range = paths.steps(of: path)
    var found: [Element] = []
    func add(_ vertex: UInt32) {
      let table = graph.table(of: vertex)
      found.append(Element(isEdge: false, table: table, row: vertex &- graph.bases[table]))
    }
    func add(_ step: PathStep) {
      found.append(Element(isEdge: true, table: Int(step.edge), row: step.row))
    }
    switch kind {
    case .length, .cost: return []
    case .vertices(let segments):
      let own = steps(of: path, in: segments, paths, graph)
      add(
        own.lowerBound == range.lowerBound
          ? paths.starts[path] : paths.steps[own.lowerBound - 1].vertex)
      for index in own { add(paths.steps[index].vertex) }
    case .edges(let segments):
      for index in steps(of: path, in: segments, paths, graph) { add(paths.steps[index]) }
    case .element(.gate(let gate)), .list(.gate(let gate)):
      let before = steps(of: path, in: 0..<(gate + 1), paths, graph)
      add(before.isEmpty ? paths.starts[path] : paths.steps[before.upperBound - 1].vertex)
    case .element(let wanted), .list(let wanted):
      var arrived: PathPlace?
      var vertex = paths.starts[path]
      for index in range {
        let step = paths.steps[index]
        let place = graph.place(of: Int(step.state))
        let (segment, hop) = (place.segment, place.hop)
        if wanted == arrived || wanted == .vertex(segment: segment, index: hop) { add(vertex) }
        if wanted == .edge(segment: segment, index: hop) { add(step) }
        arrived = .vertex(segment: segment, index: hop + 1)
        vertex = step.vertex
      }
      if wanted == arrived { add(vertex) }
    }
    return found
  }

  /// The steps of a path that are in some segments; where there are none, the place where they would be.
  private func steps(
    of path: Int, in segments: Range<Int>, _ paths: PathBatch, _ graph: PathGraph
  ) -> Range<Int> {
    let all = paths.steps(of: path)
    func segment(_ index: Int) -> Int { graph.place(of: Int(paths.steps[index].state)).segment }
    let lower = all.first { segment($0) >= segments.lowerBound } ?? all.upperBound
    let upper = (lower..<all.upperBound).first { segment($0) >= segments.upperBound }
    return lower..<(upper ?? all.upperBound)
  }

  // MARK: Values

  /// The value of each element; NULL for none, and where its table has none.
  private func values(
    of elements: [Element?], _ type: LogicalType, _ graph: PathGraph, _ context: ExecutionContext
  ) throws(SQLError) -> Vector {
    // What each source computes stands behind each other, and one NULL behind all.
    var parts: [Vector] = []
    let order = Buffer<UInt32>(repeating: .max, count: max(1, elements.count))
    var total = 0
    for source in sources {
      let rows = Buffer<UInt32>(uninitialized: max(1, elements.count))
      var count = 0
      for (index, element) in elements.enumerated() {
        guard let element, element.isEdge == source.isEdge, element.table == source.table else {
          continue
        }
        rows[count] = element.row
        order[index] = UInt32(truncatingIfNeeded: total + count)
        count += 1
      }
      if count == 0 { continue }
      parts += try self.values(source, rows, count, graph, context)
      total += count
    }
    parts.append(Vector.null(type, count: 1).flattened())
    for index in 0..<elements.count where order[index] == .max {
      order[index] = UInt32(truncatingIfNeeded: total)
    }
    return Vector.concatenate(parts.map { $0.retyped(type) }, type: type)
      .gathered(order, count: elements.count)
  }

  private func values(
    _ source: Source, _ rows: Buffer<UInt32>, _ count: Int, _ graph: PathGraph,
    _ context: ExecutionContext
  ) throws(SQLError) -> [Vector] {
    guard
      let table = source.isEdge ? graph.edgeTables[source.table] : graph.vertexTables[source.table]
    else { throw SQLError.internal("a path passed a table that was not opened") }
    let readers = try ColumnReaders(source.columns, of: table)
    var parts: [Vector] = []
    var start = 0
    while start < count {
      let length = min(Vector.chunkCapacity, count - start)
      let columns = readers.gather(rows.slice(start..<(start + length)), count: length)
      if let evaluator = source.evaluator {
        var chunk = DataChunk(columns, count: length)
        parts.append(try evaluator.evaluate(&chunk, context).flattened())
      } else {
        parts.append(columns[0].flattened())
      }
      start += length
    }
    return parts
  }
}

/// Paths that were found and wait to be handed on.
struct PathBatch {
  /// For each path the input's row and the numbers of its first and last vertices.
  private(set) var inputRows: [UInt32] = []
  private(set) var starts: [UInt32] = []
  private(set) var ends: [UInt32] = []
  private(set) var lengths: [Int32] = []
  /// The bits of what they cost.
  private(set) var costs: [Int128] = []
  private(set) var steps: [PathStep] = []
  private var stepEnds: [Int] = []

  var count: Int { ends.count }

  func steps(of path: Int) -> Range<Int> {
    (path == 0 ? 0 : stepEnds[path - 1])..<stepEnds[path]
  }

  mutating func append(
    row: UInt32, start: UInt32, end: UInt32, length: Int32, cost: Int128, _ path: [PathStep],
    keepsSteps: Bool
  ) {
    inputRows.append(row)
    starts.append(start)
    ends.append(end)
    lengths.append(length)
    costs.append(cost)
    if keepsSteps { steps += path }
    stepEnds.append(steps.count)
  }

  mutating func removeAll() {
    inputRows.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    costs.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    stepEnds.removeAll(keepingCapacity: true)
  }
}

extension PathOutput.Kind {
  /// The same in a pattern that is walked the other way than `pattern`.
  fileprivate func reversed(in pattern: PathSearchPattern) -> PathOutput.Kind {
    switch self {
    case .length(let segments): .length(pattern.reversed(segments))
    case .cost(let segments): .cost(pattern.reversed(segments))
    case .element(let place): .element(pattern.reversed(place))
    case .list(let place): .list(pattern.reversed(place))
    case .vertices(let segments): .vertices(pattern.reversed(segments))
    case .edges(let segments): .edges(pattern.reversed(segments))
    }
  }
}
