import Catalog
import Columnar
import Diagnostics
import Planning
import Storage

/// A table that a statement writes to, with the rules of its rows made ready.
final class TargetTable {
  let table: TableDefinition
  let writer: TableWriter
  let transaction: OpenTransaction
  private let context: ExecutionContext
  /// Generated columns and checks over the columns of a row.
  private var generated: [(column: Int, evaluator: any Evaluator)] = []
  private var checks: [(name: String, evaluator: any Evaluator)] = []
  /// Keys by place, in the order in which violations of them are reported.
  let immediateKeys: [Int]
  /// Rows that this statement has inserted or updated already.
  private(set) var touched = PositionSet()

  init(
    _ table: TableDefinition, in transaction: OpenTransaction, rules: RowRules, row: [PlanColumn],
    context: ExecutionContext
  ) throws(SQLError) {
    self.table = table
    self.transaction = transaction
    writer = try transaction.writer(of: table.id)
    self.context = context
    let compiler = ExpressionCompiler(row)
    for rule in rules.generated {
      generated.append((rule.column, try compiler.compile(rule.expression)))
    }
    // PostgreSQL looks at checks in the order of their names.
    for rule in rules.checks.sorted(by: { $0.name < $1.name }) {
      checks.append((rule.name, try compiler.compile(rule.expression)))
    }
    immediateKeys = table.keys.indices.filter { !table.keys[$0].deferral.isDeferrable }
  }

  var hasGenerated: Bool { !generated.isEmpty }
  var generatedColumns: [Int] { generated.map(\.column) }

  /// Computes the generated columns of new rows.
  func fillGenerated(_ chunk: inout DataChunk) throws(SQLError) {
    for rule in generated {
      let value = try rule.evaluator.evaluate(&chunk, context)
      chunk.columns[rule.column] = value
    }
  }

  /// Finds the first row that has NULL where it must not, or that a check refuses.
  ///
  /// `changed` names the columns that are new; nil is all of them.
  func checkRows(
    _ chunk: inout DataChunk, changed: Set<Int>?, _ violation: inout FirstViolation
  ) throws(SQLError) {
    for (index, column) in table.columns.enumerated() where column.isNotNull {
      if let changed, !changed.contains(index) { continue }
      let vector = chunk.columns[index]
      guard vector.mayHaveNulls else { continue }
      for row in 0..<min(chunk.count, violation.row) where !vector.isValid(row) {
        violation.note(row: row) {
          Violations.notNull(index, of: table, row: row, in: chunk.columns)
        }
        break
      }
    }
    // A check is not computed for rows that already failed: it may be an error for them.
    let count = min(chunk.count, violation.row)
    guard count > 0, !checks.isEmpty else { return }
    var part = count == chunk.count ? chunk : chunk.slice(from: 0, count: count)
    for check in checks {
      let result = try check.evaluator.evaluateNormalized(&part, context)
      if let row = Self.firstFalse(result, part.count) {
        violation.note(row: row) {
          Violations.check(check.name, of: table, row: row, in: part.columns)
        }
      }
    }
  }

  var hasChecks: Bool { !checks.isEmpty }

  /// Computes each check for all rows.
  func forEachCheck(
    _ chunk: inout DataChunk, _ body: (String, Vector) -> Void
  ) throws(SQLError) {
    for check in checks {
      body(check.name, try check.evaluator.evaluateNormalized(&chunk, context))
    }
  }

  /// The first row in which a condition is false; NULL passes.
  private static func firstFalse(_ result: Vector, _ count: Int) -> Int? {
    let values = result.values(UInt8.self)
    if result.form == .constant {
      return count > 0 && result.isValid(0) && values[0] == 0 ? 0 : nil
    }
    for row in 0..<count where values[row] == 0 && result.validity.isValid(row) { return row }
    return nil
  }

  // MARK: Touched rows

  func touch(_ positions: Buffer<UInt32>, count: Int) {
    for row in 0..<count { touched.insert(positions[row]) }
  }

  func isTouched(_ position: UInt32) -> Bool { touched.contains(position) }

  /// The rows whose position is live, not touched before, and not in an earlier row of the same chunk;
  /// they count as touched from now on.
  func claim(_ positions: Buffer<UInt32>, count: Int) -> SelectionVector {
    let kept = Buffer<UInt32>(uninitialized: count)
    var found = 0
    for row in 0..<count {
      let position = positions[row]
      guard isLive(position), touched.insert(position) else { continue }
      kept[found] = UInt32(truncatingIfNeeded: row)
      found &+= 1
    }
    return SelectionVector(kept, count: found)
  }
}

/// A set of row positions as a bitmap in pages of 16,384 bits, made where a position falls on them: a
/// statement that touches the last row of a large table pays for one page.
struct PositionSet {
  private static let pageShift: UInt32 = 14
  private static let pageMask: UInt32 = 1 << pageShift - 1
  private var pages: [Buffer<UInt64>?] = []

  func contains(_ position: UInt32) -> Bool {
    let page = Int(position >> Self.pageShift)
    guard page < pages.count, let words = pages[page] else { return false }
    let bit = position & Self.pageMask
    return words[bit >> 6] >> UInt64(bit & 63) & 1 != 0
  }

  /// Adds a position; false if it was there.
  @discardableResult
  mutating func insert(_ position: UInt32) -> Bool {
    let words = page(Int(position >> Self.pageShift))
    let bit = position & Self.pageMask
    let mask: UInt64 = 1 << UInt64(bit & 63)
    if words[bit >> 6] & mask != 0 { return false }
    words[bit >> 6] |= mask
    return true
  }

  private mutating func page(_ index: Int) -> Buffer<UInt64> {
    if index >= pages.count {
      pages.append(contentsOf: repeatElement(nil, count: index + 1 - pages.count))
    }
    if let page = pages[index] { return page }
    let page = Buffer<UInt64>(zeroed: 1 << (Int(Self.pageShift) - 6))
    pages[index] = page
    return page
  }
}
