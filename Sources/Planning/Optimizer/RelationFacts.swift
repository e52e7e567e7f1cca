import Catalog
import Columnar

/// What the search for an order of joins asks of one relation again and again.
final class RelationFacts {
  /// A column, and what a condition holds equal to it.
  private struct Equality {
    /// The relations that the other side takes, and maybe more.
    var others: UInt64
    /// The column, as a bit.
    var column: UInt64
  }
  /// Whether it is a stored table.
  let isTable: Bool
  let isAggregate: Bool
  /// How it is joined, if it is not inner.
  let outer: JoinPlan.Kind?
  private let outerConditions: [BoundExpression]
  /// The relations that must stand on the left before this one can be joined.
  let required: UInt64
  private let own: RelationProfile
  /// The profile of those that must, and with this relation's.
  private let left: RelationProfile
  private let both: RelationProfile
  /// What rows differ in, as bits of columns that conditions compare; a key of which one is not compared is left out.
  private(set) var uniqueKeys: [UInt64] = []
  private(set) var keys: [(columns: UInt64, lookupCost: Double)] = []
  private(set) var foreignKeys: [(columns: UInt64, edgeCost: Double)] = []
  private var equalities: [Equality] = []

  init(_ number: Int, in graph: JoinGraph) {
    let relation = graph.relations[number]
    let scan: ScanPlan? = if case .scan(let scan) = relation.plan { scan } else { nil }
    isTable = scan != nil
    isAggregate = relation.plan.grouped != nil
    required = relation.required
    outer = relation.outer?.kind
    outerConditions = relation.outer?.conditions ?? []
    own = relation.profile
    var left = RelationProfile(rows: 1)
    if relation.outer != nil {
      relation.required.forEachBit { left.merge(graph.relations[$0].profile) }
    }
    self.left = left
    both = left.merging(relation.profile, rows: 1)
    let mask = UInt64(1) << UInt64(number)
    let outputs = relation.plan.outputIDs
    var bits: ColumnMap<UInt64> = [:]
    for edge in graph.edges where edge.relations & mask != 0 && edge.relations & ~mask != 0 {
      guard case .comparison(.equal, let one, let two) = edge.condition else { continue }
      for side in [one, two] {
        guard let id = side.asColumn, outputs.contains(id), bits[id] != nil || bits.count < 64
        else { continue }
        let bit = bits[id] ?? 1 << UInt64(bits.count)
        bits[id] = bit
        equalities.append(Equality(others: edge.relations & ~mask, column: bit))
      }
    }
    if bits.isEmpty { return }
    /// The bits of some columns; nil if one has none.
    func bitMask(_ columns: some Sequence<ColumnID>) -> UInt64? {
      var result: UInt64 = 0
      for column in columns {
        guard let bit = bits[column] else { return nil }
        result |= bit
      }
      return result
    }
    uniqueKeys = relation.plan.uniqueKeys.compactMap { bitMask($0.columns) }
    guard let scan else { return }
    let rows = graph.rowCount(of: scan.table)
    func keyMask(_ indices: [Int]) -> UInt64? {
      var result: UInt64 = 0
      for index in indices {
        guard let bit = scan.columnID(index).flatMap({ bits[$0] }) else { return nil }
        result |= bit
      }
      return result
    }
    for key in scan.table.keys {
      if let columns = keyMask(key.columns) {
        keys.append((columns, scan.lookupCost(key.columns)))
      }
    }
    let foreign = scan.table.foreignKeys
    for key in foreign.indices where foreign[key].isEnforced {
      if let columns = keyMask(foreign[key].columns) {
        foreignKeys.append((columns, scan.edgeCost(foreign[key], rows: rows)))
      }
    }
  }

  /// The number of rows of a join of `kind` with so many left rows.
  ///
  /// Conditions read no other relations than those that are required.
  func joinedRows(_ kind: JoinPlan.Kind, leftRows: Double) -> Double {
    if outerConditions.isEmpty {
      // Rows of other subqueries may be joined in any order, of which there are many to look at.
      switch kind {
      case .single, .mark: return leftRows
      case .left: return max(leftRows * own.rows, leftRows)
      case .inner, .right, .full, .semi, .anti: break
      }
    }
    return RelationProfile.joinedRows(
      kind, left.scaled(to: leftRows), own, both: both, on: outerConditions)
  }

  /// The columns that conditions hold equal to something of these relations and this one alone.
  func equated(with relations: UInt64) -> UInt64 {
    var found: UInt64 = 0
    for equality in equalities where equality.others & ~relations == 0 { found |= equality.column }
    return found
  }
}

extension UInt64 {
  /// Gives the numbers of the bits that are set, the lowest first.
  func forEachBit(_ body: (Int) -> Void) {
    var rest = self
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest &- 1
    }
  }
}
