import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// Reads what edges cost, before paths are looked for.
///
/// All edges are read that the conditions on them let pass, so that what is wrong with one is an error in whichever direction, and
/// how far, a search goes.
struct PathCostReader {
  private struct Part {
    var chunks: [DataChunk]
    /// Positions of edges are below this.
    var count: Int
  }
  private let type: LogicalType
  private let account: MemoryAccount
  private var parts: [Part] = []

  init(_ type: LogicalType, _ account: MemoryAccount) {
    self.type = type
    self.account = account
  }

  /// Reads the positions and costs of a table's edges.
  ///
  /// - Throws: 22004 for a cost of NULL, 22023 for one that is negative or NaN, 53200, 57014.
  mutating func read(
    _ runner: StreamRunner, of store: TableStore, _ table: TableDefinition,
    _ context: ExecutionContext
  ) throws(SQLError) {
    let chunks = try runner.chunks(context)
    try account.charge(chunks.reduce(0) { $0 + $1.approximateByteCount })
    for chunk in chunks {
      guard let (row, fault) = fault(in: chunk.columns[1].flattened(), count: chunk.count) else {
        continue
      }
      let position = chunk.columns[0].flattened().values(UInt32.self)[row]
      throw try fault.error(store, table, position)
    }
    parts.append(Part(chunks: chunks, count: store.rowCount))
  }

  private enum Fault {
    case null, notANumber, negative

    func error(
      _ store: TableStore, _ table: TableDefinition, _ position: UInt32
    ) throws(SQLError) -> SQLError {
      let factory = ColumnFactory()
      let columns = table.columns.enumerated().map { index, column in
        ScanPlan.Column(factory.make(column.name, column.type), index: index)
      }
      let readers = try ColumnReaders(TableColumns(columns), of: store)
      let row = readers.gather(Buffer([position]), count: 1)
      var hint: String?
      let state: SQLState
      let what: String
      switch self {
      case .null:
        (state, what) = (.nullNotAllowed, "NULL")
        hint = "Leave such edges out with WHERE, or give them a cost with coalesce."
      case .notANumber: (state, what) = (.invalidParameterValue, "NaN")
      case .negative:
        (state, what) = (.invalidParameterValue, "negative")
        hint = "Leave such edges out with WHERE, or shift all costs."
      }
      return SQLError(
        state, "the cost of an edge of \"\(table.name.name)\" is \(what)",
        detail: Violations.failingRow(0, row), hint: hint
      ).about(table.errorObject())
    }
  }

  /// The first cost that no path can have.
  private func fault(in costs: Vector, count: Int) -> (row: Int, fault: Fault)? {
    for row in 0..<count where !costs.isValid(row) { return (row, .null) }
    if type == .bigint {
      let values = costs.values(Int64.self)
      for row in 0..<count where values[row] < 0 { return (row, .negative) }
    } else if type == .numeric {
      let values = costs.values(Numeric.self)
      for row in 0..<count where values[row].isNaN { return (row, .notANumber) }
      for row in 0..<count where values[row].isNegative { return (row, .negative) }
    } else {
      let values = costs.values(Double.self)
      for row in 0..<count where !(values[row] >= 0) {
        return (row, values[row].isNaN ? .notANumber : .negative)
      }
    }
    return nil
  }

  /// What was read, by position.
  ///
  /// - Throws: 22003 where decimals have no unit in common that they are whole numbers of, 53200.
  func costs() throws(SQLError) -> PathCosts {
    if type == .bigint { return .whole(try buffers { $0.values(Int64.self) }) }
    if type != .numeric { return .real(try buffers { $0.values(Double.self) }) }
    let scale = commonScale
    let exact: [Buffer<Int128>] = try buffers { (costs, count) throws(SQLError) in
      let numbers = costs.values(Numeric.self)
      let units = Buffer<Int128>(uninitialized: max(1, count))
      for row in 0..<count { units[row] = try numbers[row].units(ofScale: scale) }
      return units
    }
    return .exact(exact, scale: scale)
  }

  private func buffers<Cost: PathCost>(
    _ values: (Vector) -> Buffer<Cost>
  ) throws(SQLError) -> [Buffer<Cost>] {
    try buffers { (costs, _) throws(SQLError) in values(costs) }
  }

  private func buffers<Cost: PathCost>(
    _ values: (Vector, Int) throws(SQLError) -> Buffer<Cost>
  ) throws(SQLError) -> [Buffer<Cost>] {
    var buffers: [Buffer<Cost>] = []
    for part in parts {
      try account.charge(part.count * MemoryLayout<Cost>.stride)
      let buffer = Buffer<Cost>(repeating: .unpayable, count: max(1, part.count))
      for chunk in part.chunks {
        let positions = chunk.columns[0].flattened().values(UInt32.self)
        let costs = try values(chunk.columns[1].flattened(), chunk.count)
        for row in 0..<chunk.count { buffer[positions[row]] = costs[row] }
      }
      buffers.append(buffer)
    }
    return buffers
  }

  /// The most digits behind the point that a cost has.
  private var commonScale: Int {
    var scale: Int16 = 0
    for chunk in parts.flatMap(\.chunks) {
      let numbers = chunk.columns[1].flattened().values(Numeric.self)
      for row in 0..<chunk.count where numbers[row].isFinite {
        scale = max(scale, numbers[row].scale)
      }
    }
    return Int(scale)
  }
}

extension Numeric {
  /// How many units of `10^-scale` it is, which has no fewer digits behind its point; `unpayable` for infinity.
  ///
  /// - Throws: 22003.
  fileprivate func units(ofScale scale: Int) throws(SQLError) -> Int128 {
    if !isFinite { return .unpayable }
    var units = coefficient
    for _ in Int(self.scale)..<scale {
      let (product, isOver) = units.multipliedReportingOverflow(by: 10)
      if isOver { throw Numeric.overflow }
      units = product
    }
    return units
  }
}
