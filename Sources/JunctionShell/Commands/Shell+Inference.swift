import Diagnostics
import Junction

extension Shell {
  /// `\infer [FILE]`: what was looked at to find the schema of files, or that schema as a script; `-` stands for where
  /// results go.
  ///
  /// - Throws: 58P02 if the file is there, and what writing it says.
  func showInference(writingTo path: String?) throws(SQLError) {
    let report = database.inference
    if path == "-" {
      output.write(connection.schemaScript(with: report))
      return
    }
    if let path = path.map(Self.expandedPath) {
      try connection.writeSchema(to: path, with: report)
      say("The schema is written to \"\(path)\".")
      return
    }
    guard !report.isEmpty else {
      say("Nothing was inferred: no files without a schema are open.")
      return
    }
    printer.print(
      TextTable(
        title: "What was looked at to find the schema",
        names: ["Table", "What", "Candidate", "Taken", "Why"],
        rows: report.findings.map {
          [$0.table, $0.kind.rawValue, $0.subject, $0.isTaken ? "yes" : "no", $0.reason]
        }))
  }
}
