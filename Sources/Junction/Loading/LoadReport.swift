import DelimitedText
import Diagnostics

/// What became of the records of one file.
struct LoadReport {
  let name: String
  let recordCount: Int
  let loadedCount: Int
  let rejects: [RejectedRecord]
  /// The first values of fields of which nothing had been known.
  var laterValues: [Int: [String]] = [:]

  /// The proof that nothing was lost: every record read was loaded, rejected, or not wanted by WHERE.
  var proof: String {
    let unwanted = recordCount - loadedCount - rejects.count
    return "\(name): \(recordCount) rows read = \(loadedCount) loaded + \(rejects.count) rejected"
      + (unwanted > 0 ? " + \(unwanted) left out by WHERE" : "")
  }

  private static let linesShown = 20

  /// The error of a load that a bad record ended, naming every one of them.
  func error(copying table: String) -> SQLError? {
    guard let first = rejects.first else { return nil }
    let shown = rejects.prefix(Self.linesShown).map(Self.describe)
    let more =
      rejects.count > Self.linesShown ? ["and \(rejects.count - Self.linesShown) more"] : []
    let column = first.column.map { ", column \($0)" } ?? ""
    return SQLError(
      first.error.state, first.error.message,
      detail: ([first.error.detail] + [
        "\(rejects.count) of \(recordCount) records are bad, and none was loaded:"
      ] + shown + more).compactMap { $0 }.joined(separator: "\n"),
      hint: first.error.hint
        ?? "Mend the records, or write them to a file with REJECTS and load the others.",
      context: "COPY \(table), line \(first.line)\(column)")
  }

  /// One bad record: line, byte, column, reason.
  private static func describe(_ reject: RejectedRecord) -> String {
    let column = reject.column.map { ", column \"\($0)\"" } ?? ""
    let detail = reject.error.detail.map { " (\($0))" } ?? ""
    return "  line \(reject.line), byte \(reject.offset)\(column): \(reject.error.message)\(detail)"
  }

  /// The rejected records as lines of CSV: where, why, and the record itself.
  func rejectLines() -> [UInt8] {
    var bytes: [UInt8] = []
    for reject in rejects {
      let fields = [
        name, String(reject.line), String(reject.offset), reject.column ?? "",
        reject.error.state.code, reject.error.message,
        String(decoding: reject.text, as: UTF8.self),
      ]
      bytes += fields.map(Self.quoted).joined(separator: ",").utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  private static func quoted(_ field: String) -> String {
    guard field.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else {
      return field
    }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }
}

/// The file for the bad records of a load whose good ones are wanted.
///
/// It is opened before anything is loaded, so that a path that cannot be written to is known at once, and emptied
/// only when there is something to say.
struct RejectsFile {
  private let file: FileSink

  /// - Throws: 58P01 or 58030 with the system's reason, 22023 if the file is one of those that are read.
  init(_ path: String, besides sources: [String]) throws(SQLError) {
    file = try FileSink(path: path, isEmptied: false)
    if sources.contains(where: { file.isFile(at: $0) }) {
      throw SQLError(
        .invalidParameterValue, "the file for rejects, \"\(path)\", is one that is read",
        hint: "Name another; it is written anew.")
    }
  }

  /// Writes what was rejected, and ends the file.
  ///
  /// - Throws: 53100 where the disk is full, 58030 otherwise.
  func write(_ reports: [LoadReport]) throws(SQLError) {
    try file.empty()
    try file.write(Array("file,line,byte,column,sqlstate,reason,record\n".utf8))
    for report in reports { try file.write(report.rejectLines()) }
    try file.close()
  }
}
