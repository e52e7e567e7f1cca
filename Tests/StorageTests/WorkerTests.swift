import Columnar
import Diagnostics
import Foundation
import Synchronization
import Testing

@testable import Storage

@Suite("Threads that help with a statement")
struct WorkerTests {
  @Test("know for which, and none when it is done")
  func statement() {
    let context = EvaluationContext(transactionTime: 0, statementTime: 0)
    let strangers = Mutex<[String]>([])
    let threads = Mutex<Set<UInt>>([])
    RunningStatement.within(context) {
      parallelFor(tasks: 64) { task in
        if RunningStatement.current !== context { strangers.withLock { $0.append("task \(task)") } }
        _ = threads.withLock {
          $0.insert(UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue))
        }
        // Long enough that no thread does all of it.
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    #expect(strangers.withLock { $0 } == [])
    if parallelWidth > 1 { #expect(threads.withLock { $0.count } > 1) }
    parallelFor(tasks: 64) { task in
      if RunningStatement.current != nil { strangers.withLock { $0.append("task \(task)") } }
    }
    #expect(strangers.withLock { $0 } == [])
  }
}
