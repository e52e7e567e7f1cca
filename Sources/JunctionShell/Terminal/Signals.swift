import Dispatch
import Junction
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A write into a closed pipe is an error to be looked at, not the end of the process.
func ignoreBrokenPipes() { _ = signal(SIGPIPE, SIG_IGN) }

/// Lets Ctrl-C end the statement that runs rather than the session.
final class InterruptWatch {
  private let source: any DispatchSourceSignal

  /// Calls `connection.cancel()` on every interrupt, as long as the watch lives.
  init(_ connection: Connection) {
    _ = signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      Interrupts.note()
      connection.cancel()
    }
    source.resume()
  }

  deinit {
    source.cancel()
    _ = signal(SIGINT, SIG_DFL)
  }
}

/// How often Ctrl-C was pressed while something ran.
enum Interrupts {
  private static let counter = Atomic<Int>(0)

  static var count: Int { counter.load(ordering: .relaxed) }

  static func note() { counter.wrappingAdd(1, ordering: .relaxed) }
}
