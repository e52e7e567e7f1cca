import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the results of a run go.
enum ReportOutput {
  /// Shows the record, writes it where that was asked, and compares it with its baseline.
  ///
  /// - Returns: the status with which the process ends: 1 after a regression.
  static func finish(
    _ record: BenchRecord, _ options: RunOptions, _ baseline: [BenchRecord]?
  ) throws(BenchError) -> Int32 {
    print(
      try ReportCommand.report([record], folder: options.out, width: terminalWidth),
      terminator: "")
    guard let baseline else { return 0 }
    let (text, status) = try CompareCommand.compare(
      baseline, [record], threshold: options.threshold)
    print("\nAgainst \(options.baseline ?? ""):\n\(text)", terminator: "")
    return status
  }

  /// The columns of the terminal; many where the output goes elsewhere.
  static var terminalWidth: Int {
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 160 }
    return max(40, Int(size.ws_col))
  }
}
