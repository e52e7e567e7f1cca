import Catalog
import Columnar
import Diagnostics
import Junction

/// The rows of a table and about how many bytes they take.
///
/// Values of fixed width are counted, texts and lists estimated by the first rows.
struct TableSize {
  let rowCount: Int
  /// The values, with the edges that lead to and from them.
  let bytes: Int
  /// One index over the rows.
  let indexBytes: Int

  /// A number of bytes as psql prints it, such as `16 kB`.
  static func text(_ bytes: Int) -> String {
    if bytes < 10_240 { return "\(bytes) bytes" }
    // Each unit is left when it would take five digits, and halves are rounded up.
    var halves = bytes >> 9
    for unit in ["kB", "MB", "GB"] {
      if halves < 20_479 { return "\((halves + 1) / 2) \(unit)" }
      halves >>= 10
    }
    return "\((halves + 1) / 2) TB"
  }
}

extension Shell {
  /// The rows of which the widths of texts are taken.
  private static let sampledRowCount = 10_000

  /// How large a table is; nil if it does not exist for others yet.
  func size(of id: ObjectID) -> TableSize? {
    guard let table = connection.catalog.tables[id],
      let rowCount = connection.rowCount(of: id)
    else { return nil }
    var width = 0
    var texts: [String] = []
    for column in table.columns {
      width += column.columnType.type.physical.stride
      if [.text, .list].contains(column.columnType.type.physical) {
        texts.append("avg(octet_length(\(quotedName(column.name))::text))")
      }
    }
    var bytes = Double(rowCount * width)
    let name = "\(quotedName(table.name.schema)).\(quotedName(table.name.name))"
    if rowCount > 0, !texts.isEmpty, connection.transactionStatus != .failed,
      let result = try? connection.query(
        "SELECT \(texts.joined(separator: ", ")) FROM "
          + "(SELECT * FROM ONLY \(name) LIMIT \(Self.sampledRowCount)) AS sample")
    {
      for column in result.columns.indices {
        let average = result.text(row: 0, column: column).flatMap { Double($0) } ?? 0
        // Texts of up to twelve bytes stand in the column itself.
        if average > 12 { bytes += average * Double(rowCount) }
      }
    }
    let edges = connection.adjacencySize(of: table.name.name)?.byteCount ?? 0
    return TableSize(rowCount: rowCount, bytes: Int(bytes) + edges, indexBytes: rowCount * 8)
  }
}
