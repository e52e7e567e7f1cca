import Diagnostics
import Junction

extension Shell {
  /// `\infer [FILE]`: what was looked at to find the schema of files, those that are open and those of the last statement
  /// that read any, or the schema of those that are open as a script; `-` stands for where results go.
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
    let ofStatement = try connection.inferenceOfFiles()
    if report.isEmpty && ofStatement.report.isEmpty {
      say("Nothing was inferred: no files without a schema are open or were read by a statement.")
    }
    if !report.isEmpty { show(report, "What was looked at to find the schema") }
    if ofStatement.report.isEmpty { return }
    for notice in ofStatement.notices { self.report(notice) }
    show(ofStatement.report, "What was looked at in the files of the last statement")
  }

  private func show(_ report: InferenceReport, _ title: String) {
    printer.print(
      TextTable(
        title: title,
        names: ["Table", "What", "Candidate", "Taken", "Why"],
        rows: report.findings.map {
          [$0.table, $0.kind.rawValue, $0.subject, $0.isTaken ? "yes" : "no", $0.reason]
        }))
  }
}
