/// Values as their types' output shows them, for the details of errors.
package enum RowText {
  package static func string(_ column: Vector, _ row: Int) -> String {
    guard column.isValid(row) else { return "null" }
    var bytes = ByteBuilder()
    let style = RunningStatement.current?.style ?? ValueStyle()
    let formatter = TextFormatter(style)
    // Who asks for it has an error to tell already.
    guard (try? formatter.checkLength(row, of: column)) != nil else { return "..." }
    formatter.append(row, of: column, to: &bytes)
    return bytes.string
  }
}
