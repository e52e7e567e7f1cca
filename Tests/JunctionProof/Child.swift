import Foundation

/// This program, run again for a part of its work.
struct Child {
  enum Outcome: Equatable, CustomStringConvertible {
    case ended
    case killed(Int32)
    case silent

    var description: String {
      switch self {
      case .ended: "ended early"
      case .killed(let signal): "died of signal \(signal)"
      case .silent: "does not end"
      }
    }
  }

  private let process = Process()
  private let output = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_BACKTRACE"] = "enable=no"
    process.environment = environment
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }

  /// Hands on the lines that the child writes until it has ended; it is killed after `limit` seconds without one.
  func run(limit: Int = 180, _ line: (Data) -> Void) -> Outcome {
    var rest = Data()
    let file = output.fileHandleForReading
    while true {
      var descriptor = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&descriptor, 1, Int32(limit) * 1000)
      if ready == 0 {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return .silent
      }
      let more = file.availableData
      if more.isEmpty { break }
      rest.append(more)
      while let end = rest.firstIndex(of: 10) {
        line(Data(rest[rest.startIndex..<end]))
        rest = Data(rest[(end + 1)...])
      }
    }
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
      ? .killed(process.terminationStatus) : .ended
  }
}
