/// What a run is at: one line that is rewritten on a terminal, plain lines otherwise.
final class Progress {
  private let isTerminal = StandardError.isTerminal
  private let start = Stopwatch.now
  private let isQuiet: Bool
  private var width = 0

  init(isQuiet: Bool = false) { self.isQuiet = isQuiet }

  /// Says what is being done; shown on a terminal only where `isStep` is false.
  func say(_ text: String, isStep: Bool = true) {
    if isQuiet { return }
    let seconds = Int(Stopwatch.now - start)
    let line = "[\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)] \(text)"
    if isTerminal {
      let blank = String(repeating: " ", count: max(0, width - line.count))
      StandardError.write("\r\(line)\(blank)")
      width = line.count
    } else if isStep {
      StandardError.write(line + "\n")
    }
  }

  /// Leaves a line that stays.
  func note(_ text: String) {
    if isQuiet { return }
    clear()
    StandardError.write(text + "\n")
  }

  func clear() {
    if isTerminal && width > 0 {
      StandardError.write("\r" + String(repeating: " ", count: width) + "\r")
      width = 0
    }
  }
}
