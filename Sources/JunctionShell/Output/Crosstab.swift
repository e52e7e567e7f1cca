import Diagnostics
import Junction

/// A result turned so that the values of one column stand across: what `\crosstabview` shows.
struct Crosstab {
  /// The most columns that a table can have across.
  private static let columnCountMax = 1600

  /// The places of the columns in the result that is turned.
  private struct Fields {
    let rows, columns, values: Int
    let order: Int?
  }

  let table: TextTable

  /// Turns a result by psql's rules.
  ///
  /// - Throws: 22023 in psql's words for columns that do not exist or data that do not fit.
  /// - Complexity: O(*n*) for *n* rows, and O(*m* log *m*) for *m* columns across that are to be ordered.
  init(_ result: ResultSet, _ arguments: [String], null: String) throws(SQLError) {
    let fields = try Self.fields(result, arguments)
    var rowNumbers: [String?: Int] = [:]
    var rowNames: [String?] = []
    var columnNumbers: [String?: Int] = [:]
    var columnNames: [(name: String?, rank: Int)] = []
    var cells: [[Int: String]] = []
    for row in 0..<result.count {
      func text(_ column: Int) -> String? { result.text(row: row, column: column) }
      let across = text(fields.columns)
      var column = columnNumbers[across]
      if column == nil {
        guard columnNames.count < Self.columnCountMax else {
          throw Self.failure("maximum number of columns (\(Self.columnCountMax)) exceeded")
        }
        let rank = fields.order.flatMap(text).flatMap(Self.rank) ?? 0
        column = columnNames.count
        columnNumbers[across] = column
        columnNames.append((across, rank))
      }
      let down = text(fields.rows)
      let line = rowNumbers[down] ?? rowNames.count
      if line == rowNames.count {
        rowNumbers[down] = line
        rowNames.append(down)
        cells.append([:])
      }
      let place = column ?? 0
      guard cells[line][place] == nil else {
        throw Self.failure(
          "query result contains multiple data values for row \"\(down ?? "(null)")\", "
            + "column \"\(across ?? "(null)")\"")
      }
      cells[line][place] = text(fields.values) ?? null
    }
    var order = Array(columnNames.indices)
    if fields.order != nil {
      // Among equals the name decides, and NULL comes last.
      order.sort { left, right in
        let (left, right) = (columnNames[left], columnNames[right])
        if left.rank != right.rank { return left.rank < right.rank }
        guard let name = left.name else { return false }
        return right.name.map { name.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
      }
    }
    table = TextTable(
      names: [result.columns[fields.rows].name] + order.map { columnNames[$0].name ?? null },
      isNumeric: [result.columns[fields.rows].isNumeric]
        + order.map { _ in result.columns[fields.values].isNumeric },
      rows: rowNames.enumerated().map { line, name in
        [name ?? null] + order.map { cells[line][$0] ?? "" }
      })
  }

  private static func fields(
    _ result: ResultSet, _ arguments: [String]
  ) throws(SQLError) -> Fields {
    guard result.columns.count >= 3 else {
      throw failure("query must return at least three columns")
    }
    func field(_ index: Int) throws(SQLError) -> Int? {
      index < arguments.count ? try Self.index(of: arguments[index], in: result.columns) : nil
    }
    let rows = try field(0) ?? 0
    let columns = try field(1) ?? 1
    guard rows != columns else {
      throw failure("vertical and horizontal headers must be different columns")
    }
    var values = try field(2)
    if values == nil {
      guard result.columns.count == 3 else {
        throw failure(
          "data column must be specified when query returns more than three columns")
      }
      values = (0..<3).first { $0 != rows && $0 != columns }
    }
    return Fields(rows: rows, columns: columns, values: values ?? 2, order: try field(3))
  }

  /// The place of a column by its number, counted from 1, or its name.
  ///
  /// - Throws: 22023 if there is none, or more than one.
  static func index(
    of argument: String, in columns: [ResultColumn]
  ) throws(SQLError) -> Int {
    if !argument.isEmpty, argument.allSatisfy({ $0.isASCII && $0.isNumber }) {
      guard let number = Int(argument), (1...columns.count).contains(number) else {
        throw failure("column number \(argument) is out of range 1..\(columns.count)")
      }
      return number - 1
    }
    let name = RelationshipChoices.identifierParts(argument).joined(separator: ".")
    let found = columns.indices.filter { columns[$0].name == name }
    switch found.count {
    case 1: return found[0]
    case 0:
      throw failure(
        "column name not found: \"\(name)\"",
        hint: nearestNames(to: name, among: columns.map(\.name), limit: 1).first.map {
          "Perhaps you meant \($0)."
        })
    default: throw failure("ambiguous column name: \"\(name)\"")
    }
  }

  /// What a value is worth in the order of the columns; nil for what is no whole number.
  private static func rank(_ text: String) -> Int? { Int(text) }

  private static func failure(_ message: String, hint: String? = nil) -> SQLError {
    SQLError(.invalidParameterValue, message, hint: hint)
  }
}

extension Shell {
  /// `\crosstabview`: runs the statement and shows one of its columns across.
  func showCrosstab(_ command: MetaCommand) -> CommandEffect {
    guard let rows = rows(of: expandedStatement(of: command)) else { return .clearBuffer }
    do throws(SQLError) {
      var table = try Crosstab(rows, command.arguments, null: settings.null).table
      table.title = settings.title
      show(table)
    } catch {
      var error = error
      error.message = "\\crosstabview: " + error.message
      reportMeta(error)
    }
    return .clearBuffer
  }
}
