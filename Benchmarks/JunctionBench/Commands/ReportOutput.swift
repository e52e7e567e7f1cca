import Foundation

/// Where the results of a run go.
enum ReportOutput {
  /// Writes `record.json` into a folder, if there is one.
  static func write(_ records: [BenchRecord], to folder: String?) throws(BenchError) {
    guard let folder else { return }
    try FileWriter.makeFolder(folder)
    try BenchRecord.write(records, to: "\(folder)/record.json")
  }
}
