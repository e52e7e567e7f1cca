/// A line that shows how far long work has come: a bar, a rate, the time that is left.
///
/// Nothing is drawn in the first half second, nor where standard error is no terminal.
final class ProgressBar {
  private let title: String
  private let output: OutputStream
  private let isShown: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastDrawn: ContinuousClock.Instant?

  private static let delay = Duration.milliseconds(500)
  private static let pause = Duration.milliseconds(100)
  private static let width = 30

  init(_ title: String, to output: OutputStream) {
    self.title = title
    self.output = output
    isShown = output.isTerminal && Terminal.hasEscapes
    start = clock.now
  }

  /// Shows that `done` of `total` bytes are read, and how many rows that gave.
  func update(done: Int, total: Int?, rows: Int) {
    guard isShown else { return }
    let now = clock.now
    if now - start < Self.delay { return }
    if let lastDrawn, now - lastDrawn < Self.pause { return }
    lastDrawn = now
    // A line that wrapped could not be taken away again.
    let line = Self.line(title, done, total, rows, elapsed: now - start)
    output.write(
      "\r\u{1B}[K" + DisplayWidth.prefix(of: line, cells: Terminal.screenSize.columns - 1))
    output.flush()
  }

  /// Takes the line away.
  func finish() {
    guard lastDrawn != nil else { return }
    output.write("\r\u{1B}[K")
    output.flush()
  }

  /// The line as it is drawn.
  static func line(
    _ title: String, _ done: Int, _ total: Int?, _ rows: Int, elapsed: Duration
  ) -> String {
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
    let rate = seconds > 0 ? Double(rows) / seconds : 0
    let speed = "\(rows) rows, \(scaled(rate)) rows/s"
    guard let total, total > 0 else { return "\(title)  \(speed)" }
    let share = min(1, Double(done) / Double(total))
    let filled = Int(share * Double(width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let left = share > 0 ? Int((seconds / share - seconds).rounded(.up)) : 0
    return "\(title)  \(bar) \(Int(share * 100)) %  \(speed), \(left) s left"
  }

  private static func scaled(_ rate: Double) -> String {
    if rate >= 1e6 { return Shell.decimal(rate / 1e6, digits: 1) + " M" }
    if rate >= 1e3 { return Shell.decimal(rate / 1e3, digits: 1) + " k" }
    return Shell.decimal(rate, digits: 0)
  }
}
