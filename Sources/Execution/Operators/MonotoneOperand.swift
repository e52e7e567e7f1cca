import Columnar
import Diagnostics
import Planning
import Storage

/// An operand of a comparison that never falls, or never rises, as the values of a stored column rise: what it makes of the bounds of
/// a page bounds what it makes of the page's rows.
struct MonotoneOperand {
  private let column: Int
  private let type: LogicalType
  /// Computes the operand from the column alone.
  private let evaluator: any Evaluator
  private let crossesZones: Bool

  /// So far from a time all local times, and their days, are on the same side of its own.
  ///
  /// Local time is behind universal time, or ahead of it, by up to a day, and jumps by as much.
  private static let slackDays: Int64 = 4
  private static let microsecondsPerDay: Int64 = 86_400_000_000

  /// nil where the operand is not known to be monotone.
  ///
  /// - Throws: as `ExpressionCompiler.compile`.
  init?(
    _ operand: BoundExpression, _ columns: [ScanPlan.Column], _ compiler: ExpressionCompiler
  ) throws(SQLError) {
    var crossesZones = false
    guard let id = operand.monotoneColumn(&crossesZones),
      let column = columns.first(where: { $0.column.id == id }), column.index >= 0,
      column.column.type.hasSteps, !crossesZones || column.column.type.isTime
    else { return nil }
    self.column = column.index
    self.crossesZones = crossesZones
    type = column.column.type
    evaluator = try ExpressionCompiler(ColumnScope([column.column]), outer: compiler.outer)
      .compile(operand)
  }

  /// Whether some row of each page may satisfy a comparison with a value that is not NULL; nil where nothing can be said.
  ///
  /// - Complexity: O(pages).
  func pages(
    of table: TableStore, _ comparison: ZoneComparison, _ value: Value,
    _ context: ExecutionContext
  ) -> [Bool]? {
    guard let probe = ZoneProbe(comparison, value, type: evaluator.type) else { return nil }
    var flags = [Bool](repeating: true, count: table.pageCount)
    var bounds = VectorBuilder(type, capacity: Vector.chunkCapacity)
    var pages: [Int] = []
    for page in flags.indices {
      let parts = table.bounds(ofPage: page, column: column) ?? [.unknown]
      if let (least, greatest) = ends(parts) {
        bounds.append(least)
        bounds.append(greatest)
        pages.append(page)
      } else if !parts.contains(where: \.hasValues) {
        flags[page] = false
      }
      if 2 * pages.count >= Vector.chunkCapacity || page == flags.count - 1, !pages.isEmpty {
        var chunk = DataChunk([bounds.finish()], count: 2 * pages.count)
        guard let found = try? evaluator.evaluate(&chunk, context) else { return nil }
        for (place, page) in pages.enumerated() {
          let (first, second) = (found.value(at: 2 * place), found.value(at: 2 * place + 1))
          flags[page] = Self.mayHold(probe, first, second)
        }
        bounds = VectorBuilder(type, capacity: Vector.chunkCapacity)
        pages = []
      }
    }
    return flags
  }

  /// Between which values the rows' lie; nil where that is not known, or there is none.
  private func ends(_ parts: [PageBounds]) -> (Value, Value)? {
    var least: Value?
    var greatest: Value?
    for part in parts where part.hasValues {
      guard let minimum = part.minimum, let maximum = part.maximum else { return nil }
      least = least.map { ExtremeSearch.isBeyond(minimum, $0, false) ? minimum : $0 } ?? minimum
      greatest =
        greatest.map { ExtremeSearch.isBeyond(maximum, $0, true) ? maximum : $0 } ?? maximum
    }
    guard let least, let greatest else { return nil }
    return crossesZones ? (moved(least, -1), moved(greatest, 1)) : (least, greatest)
  }

  /// A day or a time some days away; infinities stay.
  private func moved(_ value: Value, _ sign: Int64) -> Value {
    switch value {
    case .int32(let days) where days != .min && days != .max:
      .int32(Int32(clamping: Int64(days) + sign * Self.slackDays))
    case .int64(let time) where time != .min && time != .max:
      .int64(
        Int64(clamping: Int128(time) + Int128(sign * Self.slackDays * Self.microsecondsPerDay)))
    case .null, .boolean, .int16, .int32, .int64, .float, .double, .numeric, .interval, .uuid,
      .text, .list, .record:
      value
    }
  }

  private static func mayHold(_ probe: ZoneProbe, _ first: Value, _ second: Value) -> Bool {
    guard let low = ZoneKeys.key(first), let high = ZoneKeys.key(second), first.isFinite,
      second.isFinite
    else { return true }
    return probe.mayHold(
      minimum: low <= high ? first : second, maximum: low <= high ? second : first,
      hasValues: true, hasNulls: true)
  }
}

extension PageBounds {
  fileprivate static let unknown = PageBounds(minimum: nil, maximum: nil, hasValues: true)
}

extension Value {
  /// Whether arithmetic with the value goes as with whole numbers.
  fileprivate var isFinite: Bool {
    switch self {
    case .numeric(let value): value.kind == .finite
    case .float(let value): value.isFinite
    case .double(let value): value.isFinite
    case .null, .boolean, .int16, .int32, .int64, .interval, .uuid, .text, .list, .record: true
    }
  }
}

extension LogicalType {
  /// Whether values are kept as whole numbers in their order.
  fileprivate var hasSteps: Bool {
    switch self {
    case .smallint, .integer, .bigint, .date, .timestamp, .timestamptz: true
    case .boolean, .numeric, .text, .varchar, .time, .real, .double, .character, .name, .bytea,
      .timetz, .interval, .bit, .varbit, .uuid, .oid, .json, .jsonb, .array, .record,
      .enumeration, .unknown, .void:
      false
    }
  }

  /// Whether values may be moved by days.
  fileprivate var isTime: Bool { self == .date || self == .timestamp || self == .timestamptz }

  fileprivate var isWhole: Bool { self == .smallint || self == .integer || self == .bigint }
}

extension BoundExpression {
  /// The one column that the expression depends on, if it never falls, or never rises, as the column rises.
  fileprivate func monotoneColumn(_ crossesZones: inout Bool) -> ColumnID? {
    switch self {
    case .column(let id, _): return id
    case .cast(let cast):
      let (from, to) = (cast.operand.type, cast.target.type)
      guard from.castsInOrder(to: to) else { return nil }
      if (from == .timestamptz) != (to == .timestamptz) { crossesZones = true }
      return cast.operand.monotoneColumn(&crossesZones)
    case .call(let call): return call.monotoneColumn(&crossesZones)
    case .constant, .parameter, .and, .or, .not, .comparison, .distinct, .isNull, .isBoolean,
      .caseWhen, .coalesce, .extreme, .inList, .quantified, .quantifiedCall, .array, .row, .field,
      .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
      return nil
    }
  }
}

extension BoundCall {
  /// Parts of a date that rise with it.
  private static let risingFields: Set<String> = [
    "year", "isoyear", "decade", "century", "millennium", "epoch", "julian",
  ]

  fileprivate func monotoneColumn(_ crossesZones: inout Bool) -> ColumnID? {
    let arguments = arguments
    switch (name, arguments.count) {
    case ("+", 2), ("-", 2), ("*", 2):
      let left = arguments[0].type
      let right = arguments[1].type
      // Intervals have months, which are not all of a length; of floating-point numbers there may be NaN between finite ends.
      let isExact = (type.isWhole || type == .numeric) && left == type && right == type
      guard isExact || type == .date && (left.isWhole || right.isWhole) && name != "*" else {
        return nil
      }
      if arguments[1].isKnown { return arguments[0].monotoneColumn(&crossesZones) }
      return arguments[0].isKnown ? arguments[1].monotoneColumn(&crossesZones) : nil
    case ("/", 2):
      guard type.isWhole, arguments[1].isKnown else { return nil }
      return arguments[0].monotoneColumn(&crossesZones)
    case ("-", 1), ("floor", 1), ("ceil", 1), ("ceiling", 1), ("round", 1), ("trunc", 1):
      guard type.isWhole || type == .numeric else { return nil }
      return arguments[0].monotoneColumn(&crossesZones)
    case ("date_trunc", 2), ("timezone", 2):
      if type == .timestamptz || arguments[1].type == .timestamptz { crossesZones = true }
      guard arguments[0].isKnown, type != .interval else { return nil }
      return arguments[1].monotoneColumn(&crossesZones)
    case ("extract", 2), ("date_part", 2):
      guard case .constant(.text(let field), _) = arguments[0],
        Self.risingFields.contains(String(decoding: field, as: UTF8.self).lowercased()),
        arguments[1].type == .date || arguments[1].type == .timestamp
          || arguments[1].type == .timestamptz
      else { return nil }
      if arguments[1].type == .timestamptz { crossesZones = true }
      return arguments[1].monotoneColumn(&crossesZones)
    default: return nil
    }
  }
}

extension LogicalType {
  /// Whether conversion keeps the order, though it may make values equal.
  fileprivate func castsInOrder(to other: LogicalType) -> Bool {
    let numbers: [LogicalType] = [.smallint, .integer, .bigint, .numeric, .real, .double]
    let times: [LogicalType] = [.date, .timestamp, .timestamptz]
    return numbers.contains(self) && numbers.contains(other)
      || times.contains(self) && times.contains(other)
  }
}
