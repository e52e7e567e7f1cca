import Foundation

/// `junction-bench report`: records as tables, JSON, Markdown and a page.
enum ReportCommand {
  /// Writes the terminal's table for each record and, given a folder, the files.
  ///
  /// - Returns: what belongs on the terminal.
  static func report(
    _ records: [BenchRecord], folder: String?, width: Int
  ) throws(BenchError) -> String {
    guard !records.isEmpty else { throw BenchError("report needs the files of records") }
    var text = records.map { TerminalReport(record: $0, width: width).text }
      .joined(separator: "\n")
    if let folder {
      let written = try write(records, to: folder)
      text += "\n\(folder): \(written.joined(separator: ", ")) are written\n"
    }
    return text
  }

  /// Writes `record.json`, `report.md` and the pages into a folder, which is made if need be.
  ///
  /// Pages of an earlier report that this one has not are removed, as nothing would lead to them.
  ///
  /// - Returns: the names of the files.
  @discardableResult
  static func write(_ records: [BenchRecord], to folder: String) throws(BenchError) -> [String] {
    try FileWriter.makeFolder(folder)
    try BenchRecord.write(records, to: "\(folder)/record.json")
    let markdown = records.map { MarkdownReport(record: $0).text }.joined(separator: "\n")
    try write(markdown, "\(folder)/report.md")
    let pages = pages(records)
    for (name, text) in pages { try write(text, "\(folder)/\(name.rawValue)") }
    let names = pages.map(\.name)
    for old in Page.Name.allCases where !names.contains(old) {
      try? FileManager.default.removeItem(atPath: "\(folder)/\(old.rawValue)")
    }
    return ["record.json", "report.md"] + names.map(\.rawValue)
  }

  /// The pages that the records have something for, each leading to the others.
  static func pages(_ records: [BenchRecord]) -> [(name: Page.Name, text: String)] {
    var report = HTMLReport(records: records)
    var curves = CurvesPage(records: records)
    var plans = report.main.map { PlansPage(record: $0) }
    var names: [Page.Name] = [.report]
    if !curves.isEmpty { names.append(.curves) }
    if plans?.isEmpty == false { names.append(.plans) }
    report.neighbours = names.filter { $0 != .report }
    curves.neighbours = names.filter { $0 != .curves }
    plans?.neighbours = names.filter { $0 != .plans }
    return names.map { name in
      switch name {
      case .report: (name, report.text)
      case .curves: (name, curves.text)
      case .plans: (name, (plans?.text).orEmpty)
      }
    }
  }

  private static func write(_ text: String, _ path: String) throws(BenchError) {
    let file = FileWriter(path: path)
    try file.open()
    file.write(text)
    try file.close()
  }

  /// Reads the records that the words name, and shows them.
  static func run(_ arguments: CommandArguments) throws(BenchError) -> Int32 {
    var records: [BenchRecord] = []
    for path in arguments.words { records += try BenchRecord.read(path) }
    let folder = arguments.value(.out)
    print(try report(records, folder: folder, width: Terminal.width), terminator: "")
    return 0
  }
}

/// `junction-bench compare`: two records side by side, and a status that says whether one is slower.
enum CompareCommand {
  /// Compares the records of each size that both have.
  static func compare(
    _ baselines: [BenchRecord], _ records: [BenchRecord], threshold: Double
  ) throws(BenchError) -> (text: String, status: Int32) {
    var text = ""
    var status: Int32 = 0
    for record in records {
      let same = baselines.first {
        $0.settings.size == record.settings.size
          && $0.settings.threads == record.settings.threads
          && $0.settings.distribution == record.settings.distribution
      }
      let only = baselines.count == 1 && records.count == 1 ? baselines.first : nil
      guard let baseline = same ?? only else { continue }
      let comparison = BaselineComparison(
        baseline: baseline, record: record, threshold: threshold)
      text += (text.isEmpty ? "" : "\n") + comparison.text
      status = max(status, comparison.exitStatus)
    }
    if text.isEmpty { throw BenchError("the two have no size in common") }
    return (text, status)
  }

  /// A share, from "10%" or "0.1".
  static func share(_ text: String?) throws(BenchError) -> Double {
    let isPercent = text?.hasSuffix("%") ?? false
    guard let text, let number = Double(isPercent ? String(text.dropLast()) : text), number >= 0
    else { throw BenchError("--threshold takes a share such as 10% or 0.1") }
    return isPercent ? number / 100 : number
  }
}
