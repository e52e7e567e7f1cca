import Columnar
import Diagnostics
import Planning

/// The conditions of a join on pairs of a probe row and a build row.
///
/// Comparisons of a number of one side with one of the other are made where candidates are enumerated, before there is a
/// pair; all others for chunks of pairs. What is computed of the rows of one side is computed once for each of them, unless it
/// fails for one, which need not be in a pair.
///
/// One worker at a time uses it.
final class PairConditions {
  /// A number of one side.
  private enum Operand {
    /// By the place of a column on its side.
    case column(Int)
    /// Over the columns of the probe and then those of the build.
    case computed(any Evaluator)
  }
  /// `probe op build`.
  private struct Compared {
    let comparison: Comparison
    let probe: Operand
    let build: Operand
    /// The same for values that are no whole numbers.
    let filter: ConjunctiveFilter
    /// Whether it leaves a range where candidates stand in the order of what it compares.
    var isRange: Bool { comparison != .notEqual }
  }
  private var compared: [Compared] = []
  private let rest: ConjunctiveFilter
  private let probeTypes: [LogicalType]
  /// The place among the build's columns of the one in whose order candidates stand; nil where they stand in no order.
  let rangeColumn: Int?

  /// nil for no conditions; `compiler` is one over the probe's columns and then the build's.
  init?(
    _ conditions: [BoundExpression], probe: [PlanColumn], build: [PlanColumn],
    rangeKey: RangeKey? = nil, _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    if conditions.isEmpty { return nil }
    probeTypes = probe.map(\.type)
    rangeColumn = rangeKey.flatMap { key in build.firstIndex { $0.id == key.column.id } }
    var others: [BoundExpression] = []
    for condition in conditions {
      guard let found = Self.sides(condition, probe, build) else {
        others.append(condition)
        continue
      }
      compared.append(
        Compared(
          comparison: found.comparison,
          probe: try Self.operand(found.probe, probe, compiler),
          build: try Self.operand(found.build, build, compiler),
          filter: try ConjunctiveFilter([condition], compiler)))
    }
    // Few pairs are equal in something.
    compared.sort { $0.comparison == .equal && $1.comparison != .equal }
    rest = try ConjunctiveFilter(others, compiler)
  }

  private static func sides(
    _ condition: BoundExpression, _ probe: [PlanColumn], _ build: [PlanColumn]
  ) -> (comparison: Comparison, probe: BoundExpression, build: BoundExpression)? {
    guard case .comparison(let comparison, let left, let right) = condition,
      left.type.physical.isComparedAsNumber, right.type.physical == left.type.physical,
      left.isRepeatable, right.isRepeatable
    else { return nil }
    let (one, two) = (left.columns, right.columns)
    if one.isEmpty || two.isEmpty { return nil }
    let (ofProbe, ofBuild) = (ColumnSet(probe.map(\.id)), ColumnSet(build.map(\.id)))
    if one.isSubset(of: ofProbe), two.isSubset(of: ofBuild) {
      return (comparison.kernel, left, right)
    }
    if two.isSubset(of: ofProbe), one.isSubset(of: ofBuild) {
      return (comparison.kernel.commuted, right, left)
    }
    return nil
  }

  private static func operand(
    _ expression: BoundExpression, _ columns: [PlanColumn], _ compiler: ExpressionCompiler
  ) throws(SQLError) -> Operand {
    if let id = expression.asColumn, let place = columns.firstIndex(where: { $0.id == id }) {
      return .column(place)
    }
    return .computed(try compiler.compile(expression))
  }

  /// The numbers of build rows that are compared, by the places of the comparisons; none where they cannot be.
  ///
  /// - Throws: 57014, 53200.
  func numbers(
    of build: BuildRows, _ context: ExecutionContext
  ) throws(SQLError) -> [Int: PairNumbers] {
    var result: [Int: PairNumbers] = [:]
    for (place, item) in compared.enumerated() {
      switch item.build {
      case .column(let column): result[place] = try PairNumbers(build.columns[column])
      case .computed(let evaluator):
        guard let values = try values(evaluator, build, context) else { continue }
        result[place] = try PairNumbers(values)
      }
    }
    return result
  }

  /// Whether the comparison at a place leaves a range of candidates that stand in the order of what it compares.
  func isRange(_ place: Int) -> Bool { compared[place].isRange }

  /// What is computed of build rows; nil where that fails for one of them.
  private func values(
    _ evaluator: any Evaluator, _ build: BuildRows, _ context: ExecutionContext
  ) throws(SQLError) -> Vector? {
    var parts: [Vector] = []
    var type = LogicalType.numeric
    var start = 0
    while start < build.count {
      try context.check()
      let count = min(Vector.chunkCapacity, build.count - start)
      // Nothing is read of the probe's columns.
      var chunk = DataChunk(
        probeTypes.map { Vector.null($0, count: count) }
          + build.columns.map { $0.slice(from: start, count: count) }, count: count)
      guard let part = try evaluator.passing(&chunk, context) else { return nil }
      parts.append(part.compactFlattened())
      type = part.type
      start += count
    }
    return try Vector.concatenateInSlices(parts, type: type)
  }

  /// The conditions for certain rows of both sides.
  struct Resolved {
    fileprivate(set) var tests: [PairTest] = []
    fileprivate(set) var filters: [ConjunctiveFilter] = []
    /// Comparisons in whose order candidates stand.
    fileprivate var ranging: [PairTest] = []

    /// Whether nothing is asked of pairs.
    var isEmpty: Bool { tests.isEmpty && filters.isEmpty }

    /// Leaves the candidates for which the comparisons hold in whose order these stand; false where there are no such comparisons.
    func narrow(_ ranges: CandidateRanges, rowCount: Int) -> Bool {
      for test in ranging {
        test.narrow(
          rowCount: rowCount, starts: ranges.starts, ends: ranges.ends, order: ranges.order)
      }
      return !ranging.isEmpty
    }

    /// The pairs for which all conditions hold that are no tests; nil if that is all of them.
    func select(
      _ pairs: inout DataChunk, _ context: ExecutionContext
    ) throws(SQLError) -> SelectionVector? {
      var kept: SelectionVector?
      for filter in filters { kept = try filter.select(&pairs, among: kept, context) }
      return kept
    }
  }

  func resolved(
    _ probe: DataChunk, _ build: BuildRows, _ context: ExecutionContext
  ) throws(SQLError) -> Resolved {
    var result = Resolved()
    for (place, item) in compared.enumerated() {
      if let numbers = build.numbers[place], let own = try self.numbers(item.probe, probe, context),
        let test = PairTest(item.comparison, own, numbers)
      {
        if build.rangePlaces.contains(place) {
          result.ranging.append(test)
        } else {
          result.tests.append(test)
        }
      } else {
        result.filters.append(item.filter)
      }
    }
    if !rest.isEmpty { result.filters.append(rest) }
    return result
  }

  private func numbers(
    _ operand: Operand, _ probe: DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> WholeNumbers? {
    switch operand {
    case .column(let place): return try WholeNumbers(comparing: probe.columns[place])
    case .computed(let evaluator):
      var chunk = probe
      guard let values = try evaluator.passing(&chunk, context) else { return nil }
      return try WholeNumbers(comparing: values)
    }
  }
}

extension Evaluator {
  /// The values of a chunk's rows; nil where a value of one of them is an error.
  fileprivate func passing(
    _ chunk: inout DataChunk, _ context: ExecutionContext
  ) throws(SQLError) -> Vector? {
    do throws(SQLError) { return try evaluateCompact(&chunk, context) } catch {
      if error.state.classCode == SQLState.dataException.classCode { return nil }
      throw error
    }
  }
}

extension PhysicalType {
  /// Whether values are compared as numbers are.
  var isComparedAsNumber: Bool {
    switch self {
    case .int16, .int32, .int64, .float, .double, .numeric: true
    case .bool, .interval, .uuid, .text, .list, .record: false
    }
  }
}
