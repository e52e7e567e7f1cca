import Columnar
import Planning
import SQLSyntax

/// The queries by which SUMMARIZE learns what the columns of a query hold, and what it makes of their answers.
struct ColumnSummaries {
  private let columns: [Planning.ResultColumn]
  private let source: String

  private static let bucketCount = 10

  init(_ columns: [Planning.ResultColumn], of query: SelectStatement) {
    self.columns = columns
    // Columns go by their places, as names may be there twice.
    let names = columns.indices.map { "c\($0)" }.joined(separator: ", ")
    source = "WITH q (\(names)) AS MATERIALIZED (\(SQLPrinter.text(of: query)))"
  }

  /// A row for each column: its place and what is told of it.
  var text: String {
    let parts = columns.enumerated().map { place, column in
      let name = "c\(place)"
      let type = column.columnType.type
      let ordered = type.isSortable ? name : "\(name)::text"
      var items = [
        "\(place) AS place", SQLPrinter.quotedString(column.name) + " AS column_name",
        SQLPrinter.quotedString(column.columnType.name) + " AS column_type",
        "min(\(ordered))::text AS min", "max(\(ordered))::text AS max",
        "count(DISTINCT \(ordered)) AS distinct",
      ]
      if type.isNumeric {
        items.append("avg(\(name))::float8 AS avg")
        items.append("stddev(\(name))::float8 AS std")
      } else {
        items += ["NULL::float8 AS avg", "NULL::float8 AS std"]
      }
      for share in ["25", "50", "75"] {
        items.append(
          (type.isScale
            ? "(percentile_disc(0.\(share)) WITHIN GROUP (ORDER BY \(name)))::text"
            : "NULL::text") + " AS q\(share)")
      }
      items.append("count(*) AS count")
      items.append(
        "CASE WHEN count(*) = 0 THEN NULL ELSE "
          + "round(100.0 * (count(*) - count(\(name))) / count(*), 2) || ' %' END AS nulls")
      return "SELECT \(items.joined(separator: ", ")) FROM q"
    }
    return source + " " + parts.joined(separator: " UNION ALL ") + " ORDER BY place"
  }

  /// How many values lie in each tenth of the range between the least and the greatest, for columns that have a scale;
  /// nil if none has.
  func histogramText(_ found: ResultSet) -> String? {
    var parts: [String] = []
    for (place, column) in columns.enumerated() where column.columnType.type.isScale {
      guard place < found.count, let least = found.text(row: place, column: 3),
        let greatest = found.text(row: place, column: 4), least != greatest
      else { continue }
      let number = { (value: String) in
        column.columnType.type.isNumeric
          ? "\(value)::float8" : "extract(epoch FROM \(value))::float8"
      }
      let type = column.columnType.type.name
      let bounds = [least, greatest].map { number("\(SQLPrinter.quotedString($0))::\(type)") }
      parts.append(
        "SELECT \(place) AS place, least(width_bucket(\(number("c\(place)")), \(bounds[0]), "
          + "\(bounds[1]), \(Self.bucketCount)), \(Self.bucketCount)) AS bucket, count(*) FROM q "
          + "WHERE c\(place) IS NOT NULL"
          + (column.columnType.type.isFloat
            ? " AND c\(place) NOT IN ('NaN', 'Infinity', '-Infinity')" : "")
          + " GROUP BY bucket")
    }
    return parts.isEmpty ? nil : source + " " + parts.joined(separator: " UNION ALL ")
  }

  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// A bar for each tenth.
  func histograms(_ counts: ResultSet) -> [String?] {
    var buckets = [[Int]?](repeating: nil, count: columns.count)
    for row in 0..<counts.count {
      guard case .integer(let place) = counts.value(row: row, column: 0),
        case .integer(let bucket) = counts.value(row: row, column: 1),
        case .integer(let count) = counts.value(row: row, column: 2),
        columns.indices.contains(Int(place)), (1...Self.bucketCount).contains(Int(bucket))
      else { continue }
      var all = buckets[Int(place)] ?? Array(repeating: 0, count: Self.bucketCount)
      all[Int(bucket) - 1] += Int(count)
      buckets[Int(place)] = all
    }
    return buckets.map { all in
      guard let all, let most = all.max(), most > 0 else { return nil }
      return String(
        all.map { count in
          if count == 0 { return " " }
          let height = Double(count) / Double(most) * Double(Self.blocks.count - 1)
          return Self.blocks[Int(height.rounded())]
        })
    }
  }
}

extension LogicalType {
  fileprivate var isFloat: Bool { self == .real || self == .double }

  /// Whether differences between values mean something.
  fileprivate var isScale: Bool {
    isNumeric || self == .date || self == .timestamp || self == .timestamptz
  }

  /// Whether `min` takes values of the type as they are.
  fileprivate var isSortable: Bool {
    isScale || self == .text || self == .varchar || self == .time || self == .interval
  }
}
