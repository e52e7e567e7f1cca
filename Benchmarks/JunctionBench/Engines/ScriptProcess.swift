import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A child process that is asked one line and answers one line.
final class ScriptProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending: [UInt8] = []

  var isRunning: Bool { process.isRunning }

  init(_ program: String, _ arguments: [String]) throws(BenchError) {
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    // A script that ends while it is written to is an error here, not the end of this process.
    _ = signal(SIGPIPE, SIG_IGN)
    do {
      try process.run()
    } catch {
      throw BenchError("could not start \(program): \(error.localizedDescription)")
    }
  }

  deinit { stop() }

  func stop() {
    guard process.isRunning else { return }
    try? input.fileHandleForWriting.close()
    process.terminate()
    process.waitUntilExit()
  }

  func send(_ line: String) throws(BenchError) {
    do {
      try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    } catch {
      throw BenchError("the process does not listen any more")
    }
  }

  /// The next line; nil where none has come in time.
  func line(within seconds: Double) throws(BenchError) -> String? {
    let end = Stopwatch.now + seconds
    let descriptor = output.fileHandleForReading.fileDescriptor
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if let place = pending.firstIndex(of: 10) {
        let line = String(decoding: pending[..<place], as: UTF8.self)
        pending.removeSubrange(...place)
        return line
      }
      let left = end - Stopwatch.now
      guard left > 0 else { return nil }
      var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&waited, 1, Int32(min(left * 1000 + 1, 1e9)))
      if ready <= 0 { continue }
      let count = unsafe read(descriptor, &room, room.count)
      guard count > 0 else { throw BenchError("the process ended") }
      pending.append(contentsOf: room[..<count])
    }
  }
}
