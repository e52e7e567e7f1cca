import Catalog
import Columnar
import Diagnostics
package import Planning
package import Storage

/// A look at some rows of a table for how many meet the conditions of a scan: what no statistics of single columns say of boolean
/// columns, frequent values, patterns, expressions and conditions that go together.
package struct ConditionSample {
  private let scan: ScanPlan
  private let table: TableStore

  /// How many rows are looked at.
  ///
  /// They are spread over the whole table: rows that stand together are alike, and tell little more than one of them.
  private static let looks = 1024
  /// Smaller tables are read as fast as a better plan is found.
  private static let rowMin = 8192
  /// How many times as large the largest table of a statement has to be for a small one to decide how it is read.
  private static let largerMin = 16.0

  /// nil where looking would not help: the table is small, and so are those that the statement reads beside it, of which the
  /// largest has `largest` rows; an index finds the rows; or what is asked depends on the statement's parameters, session or
  /// other tables.
  package init?(_ scan: ScanPlan, _ table: TableStore, beside largest: Double) {
    let deciding =
      largest >= Double(Self.rowMin) && largest >= Self.largerMin * Double(table.liveRowCount)
    guard !scan.filters.isEmpty, table.liveRowCount >= Self.rowMin || deciding, scan.canBeSampled
    else { return nil }
    for filter in scan.filters {
      if let column = filter.lookedUpColumn.flatMap(scan.column),
        scan.table.isLookedUp(by: column)
      {
        return nil
      }
    }
    self.scan = scan
    self.table = table
  }

  /// A number for the conditions as ones on the table, whatever the statement calls its columns.
  ///
  /// Conditions that may have another value in another statement have a number of `statement` alone. Should two have the same
  /// number, which has to be expected once in some thousand million, they share a guess.
  package func fingerprint(statement: UInt64) -> UInt64 {
    scan.fingerprint(statement: statement).value
  }

  /// How many of the rows looked at meet all conditions; nil if one of them fails.
  package func share(_ context: ExecutionContext) -> TableSample? {
    let asked = scan.filters.columns
    let read = scan.columns.filter { asked.contains($0.column.id) }
    let columns = TableColumns(read)
    do throws(SQLError) {
      let filter = try ConjunctiveFilter(
        scan.filters.cheapFirst, ExpressionCompiler(read.map(\.column)))
      let (positions, count) = table.spreadPositions(Self.looks)
      var rows = try columns.sample(positions, count: count, of: table)
      let met = try filter.select(&rows, context)?.count ?? count
      return count == 0 ? nil : TableSample(met: met, of: count)
    } catch {
      return nil
    }
  }
}

extension TableStore {
  /// The positions of live rows, one of each of so many equal parts of the table; all rows of a table that has no more.
  ///
  /// They are not always at the same place of a part: what comes in turns might be met always or never.
  func spreadPositions(_ looks: Int) -> (Buffer<UInt32>, count: Int) {
    let looks = min(looks, rowCount)
    if let streamed { return firstPositions(looks, ofParts: streamed.partStarts) }
    let positions = Buffer<UInt32>(uninitialized: max(1, looks))
    let part = rowCount / max(1, looks)
    var count = 0
    var known: (page: Int, rows: SelectionVector?) = (-1, nil)
    for look in 0..<looks {
      // The upper bits: the lower ones of a product go round as regularly as keys do.
      let step = (UInt64(look) &* 0x9E37_79B9_7F4A_7C15) &>> 33
      let row = look * part + Int(step) % part
      let page = row / TableStore.pageCapacity
      if known.page != page { known = (page, liveRows(ofPage: page)) }
      guard let live = known.rows else {
        positions[count] = UInt32(truncatingIfNeeded: row)
        count += 1
        continue
      }
      if live.count == 0 { continue }
      let place = live.positions[row % live.count]
      positions[count] = UInt32(truncatingIfNeeded: page * TableStore.pageCapacity) + place
      count += 1
    }
    return (positions, count)
  }

  /// About so many positions on the first pages of parts that are spread over the table, for rows that are read one behind
  /// another.
  private func firstPositions(
    _ looks: Int, ofParts starts: [Int]
  ) -> (Buffer<UInt32>, count: Int) {
    let positions = Buffer<UInt32>(uninitialized: max(1, looks))
    let wanted = (looks + Self.pageCapacity - 1) / Self.pageCapacity
    let parts = min(wanted, starts.count)
    var count = 0
    for part in 0..<parts {
      let number = starts.count * part / parts
      let end = number + 1 < starts.count ? starts[number + 1] : pageCount
      let pages = min((wanted + parts - 1) / parts, Self.sampledPagesMax)
      for page in starts[number]..<min(end, starts[number] + pages) {
        let first = page * Self.pageCapacity
        for row in 0..<min(rowCount(ofPage: page), looks - count) {
          positions[count &+ row] = UInt32(truncatingIfNeeded: first &+ row)
        }
        count += min(rowCount(ofPage: page), looks - count)
      }
    }
    return (positions, count)
  }
}

extension ScanPlan {
  /// Whether the conditions can be asked of a few rows alone.
  var canBeSampled: Bool {
    filters.allSatisfy { filter in
      filter.isSettled && filter.columns.allSatisfy { column($0) != nil }
    }
  }

  /// Numbers for the conditions as ones on the table; those that may have another value in another statement have numbers of
  /// `statement` alone.
  func fingerprint(statement: UInt64) -> Fingerprint {
    var print = Fingerprint()
    print.add(UInt64(filters.count), filters.allSatisfy(\.isLasting) ? 0 : statement)
    for filter in filters {
      print.add(filter) { id in
        UInt64(truncatingIfNeeded: columns.first { $0.column.id == id }?.index ?? -1)
      }
    }
    return print
  }
}

extension BoundExpression {
  /// Whether the value for a row depends on nothing but the row.
  fileprivate var isSettled: Bool {
    !isVolatile && !callsSession && !containsSubquery && !containsParameter
  }
}

extension BoundExpression {
  /// Whether the value for a row is the same at any time and for any session.
  fileprivate var isLasting: Bool {
    !contains { part in
      switch part {
      case .call(let call), .quantifiedCall(let call, _, _, _): call.volatility != .immutable
      case .cast(let cast): !cast.isLasting
      case .column, .constant, .parameter, .and, .or, .not, .comparison, .distinct, .isNull,
        .isBoolean, .caseWhen, .coalesce, .extreme, .inList, .quantified, .array, .row, .field,
        .shared, .decoded, .local, .session, .subquery, .aggregate, .window:
        false
      }
    }
  }
}

extension BoundCast {
  /// Whether no clock, time zone or style of a session has a say in it.
  fileprivate var isLasting: Bool {
    let (from, to) = (operand.type, target.type)
    return from == to || from.isNumeric && to.isNumeric || from.isString && to.isString
  }
}

extension BoundExpression {
  /// Whether the value for a row depends on nothing but the row, in any statement.
  var dependsOnRowAlone: Bool { isSettled && isLasting }
}

extension BoundExpression {
  /// The column that the condition gives one or several values.
  fileprivate var lookedUpColumn: ColumnID? {
    if case .comparison(.equal, let left, let right) = self {
      return left.asColumn ?? right.asColumn
    }
    if case .inList(let operand, _, negated: false) = self { return operand.asColumn }
    if case .quantified(.equal, let operand, _, isAll: false) = self { return operand.asColumn }
    return nil
  }
}

extension TableDefinition {
  /// Whether a key, an index or a foreign key finds the rows with a value of a column.
  fileprivate func isLookedUp(by column: Int) -> Bool {
    hashIndices.contains { $0.columns == [column] }
      || foreignKeys.contains { $0.columns == [column] && $0.isEnforced }
  }
}
