import Columnar
import Diagnostics

/// What is wrong with some bytes of a file, before anybody has said which bytes they are.
///
/// What decodes knows neither file nor column; who reads a column adds these (see `Place`).
struct Damage: Error {
  var state: SQLState
  var reason: String
  var hint: String?
  /// The byte, counted from the beginning of what was decoded.
  var byte: Int?
  /// Why the statement has to end, which no place in a file is to blame for.
  private(set) var interruption: SQLError?

  /// Bytes that are none of the format.
  init(_ reason: String, at byte: Int? = nil) {
    state = .badCopyFileFormat
    self.reason = reason
    self.byte = byte
  }

  /// Something that the format has and that is not read.
  init(unsupported what: String, hint: String? = nil) {
    state = .featureNotSupported
    reason = "\(what) is not supported"
    self.hint = hint
  }

  /// A value that has no place in its column's type.
  init(outOfRange what: String, state: SQLState = .numericOutOfRange) {
    self.state = state
    reason = what
  }

  /// What a codec has said, or why the statement has to end.
  init(_ error: SQLError) {
    if error.state == .queryCanceled || error.state == .outOfMemory { interruption = error }
    state = error.state
    reason = error.message
    hint = error.hint
  }
}

extension RunningStatement {
  /// Looks whether the statement has to end, and may hold so many bytes more.
  static func look(_ byteCount: Int = 0) throws(Damage) {
    do throws(SQLError) {
      try reserve(byteCount)
    } catch { throw Damage(error) }
  }
}

/// Where in a file something stands, for messages.
struct Place: Sendable {
  var file: String
  var column: String?
  var rowGroup: Int?
  /// The number of the page in its column chunk, dictionary pages included.
  var page: Int?
  /// The byte of the file at which what is decoded begins.
  var start = 0

  /// The error that a statement ends with.
  func error(_ damage: Damage) -> SQLError {
    if let interruption = damage.interruption { return interruption }
    var parts: [String] = []
    if let column { parts.append("column \"\(column)\"") }
    if let rowGroup { parts.append("row group \(rowGroup)") }
    if let page { parts.append("page \(page)") }
    if let byte = damage.byte {
      parts.append(page == nil ? "byte \(start + byte)" : "byte \(byte) of the page at \(start)")
    } else if page != nil {
      parts.append("at byte \(start)")
    }
    let place = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
    let isDamage = damage.state == .badCopyFileFormat
    let verb = isDamage ? "is damaged" : "cannot be read"
    return SQLError(
      damage.state, "parquet file \"\(file)\" \(verb): \(damage.reason)\(place)",
      hint: damage.hint
        ?? (isDamage ? "Copy the file once more, or write it anew from its source." : nil))
  }
}
