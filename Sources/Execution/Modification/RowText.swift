import Columnar

/// Values as their types' output shows them, for the details of errors.
enum RowText {
  static func string(_ column: Vector, _ row: Int) -> String {
    var bytes = ByteBuilder()
    let style = RunningStatement.current?.style ?? ValueStyle()
    TextFormatter(style).append(row, of: column, to: &bytes)
    return bytes.string
  }
}
