import Columnar
import Diagnostics
import Planning

/// The conditions of a join on pairs of a probe row and a build row.
///
/// Comparisons of a number of one side with one of the other are made where candidates are enumerated, before there is a
/// pair; all others for chunks of pairs.
///
/// One worker at a time uses it.
final class PairConditions {
  /// `probe op build`, by the places of the columns on their sides.
  private struct Compared {
    let comparison: Comparison
    let probe: Int
    let build: Int
    /// The same for values that are no whole numbers.
    let filter: ConjunctiveFilter
  }
  private var compared: [Compared] = []
  private let rest: ConjunctiveFilter

  /// nil for no conditions; `compiler` is one over the probe's columns and then the build's.
  init?(
    _ conditions: [BoundExpression], probe: [PlanColumn], build: [PlanColumn],
    _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    if conditions.isEmpty { return nil }
    var others: [BoundExpression] = []
    for condition in conditions {
      guard let found = Self.sides(condition, probe, build) else {
        others.append(condition)
        continue
      }
      compared.append(
        Compared(
          comparison: found.comparison, probe: found.probe, build: found.build,
          filter: try ConjunctiveFilter([condition], compiler)))
    }
    // Few pairs are equal in something.
    compared.sort { $0.comparison == .equal && $1.comparison != .equal }
    rest = try ConjunctiveFilter(others, compiler)
  }

  private static func sides(
    _ condition: BoundExpression, _ probe: [PlanColumn], _ build: [PlanColumn]
  ) -> (comparison: Comparison, probe: Int, build: Int)? {
    guard case .comparison(let comparison, let left, let right) = condition,
      left.type.physical.isComparedAsNumber, right.type.physical == left.type.physical,
      let one = left.asColumn, let two = right.asColumn
    else { return nil }
    func place(_ id: ColumnID, _ columns: [PlanColumn]) -> Int? {
      columns.firstIndex { $0.id == id }
    }
    if let probe = place(one, probe), let build = place(two, build) {
      return (comparison.kernel, probe, build)
    }
    if let probe = place(two, probe), let build = place(one, build) {
      return (comparison.kernel.commuted, probe, build)
    }
    return nil
  }

  /// The build's columns that are compared, by place.
  var buildColumns: Set<Int> { Set(compared.map(\.build)) }

  /// The conditions for certain rows of both sides.
  struct Resolved {
    fileprivate(set) var tests: [PairTest] = []
    fileprivate(set) var filters: [ConjunctiveFilter] = []

    /// The pairs for which all conditions hold that are no tests; nil if that is all of them.
    func select(
      _ pairs: inout DataChunk, _ context: ExecutionContext
    ) throws(SQLError) -> SelectionVector? {
      var kept: SelectionVector?
      for filter in filters { kept = try filter.select(&pairs, among: kept, context) }
      return kept
    }
  }

  func resolved(_ probe: [Vector], _ build: BuildRows) throws(SQLError) -> Resolved {
    var result = Resolved()
    for item in compared {
      if let numbers = build.numbers[item.build], let own = try WholeNumbers(probe[item.probe]),
        let test = PairTest(item.comparison, own, numbers)
      {
        result.tests.append(test)
      } else {
        result.filters.append(item.filter)
      }
    }
    if !rest.isEmpty { result.filters.append(rest) }
    return result
  }
}

extension PhysicalType {
  fileprivate var isComparedAsNumber: Bool {
    switch self {
    case .int16, .int32, .int64, .numeric: true
    case .bool, .float, .double, .interval, .uuid, .text, .list, .record: false
    }
  }
}
