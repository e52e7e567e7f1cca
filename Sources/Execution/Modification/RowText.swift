import Columnar

/// Values as their types' output shows them, for the details of errors.
enum RowText {
  static func string(_ column: Vector, _ row: Int) -> String {
    var bytes = ByteBuilder()
    TextFormatter(RunningStatement.current?.style ?? ValueStyle()).append(row, of: column, to: &bytes)
    return bytes.string
  }
}
