import Columnar
import DelimitedText
import Diagnostics
import Storage
import Synchronization

/// Parses the blocks of one file on all cores and hands the results on in the file's order.
///
/// A worker takes the next block (reading is done by one at a time), parses it, and leaves the result;
/// whoever completes the run of results that are next in order delivers them. So what is delivered
/// comes from one thread at a time, and never from two blocks at once.
///
/// Sendable by rule: everything mutable is touched only under `lock`.
final class BlockPipeline: @unchecked Sendable {
  private let reader: BlockReader
  private let firstBlock: TextBlock?
  private let firstStart: Int
  private let makeParser: () -> BlockParser
  private let deliver: (ParsedBlock) throws(SQLError) -> Void
  private let lock = Mutex<Void>(())
  private let deliveryLock = Mutex<Void>(())

  private var isFirst = true
  private var isAtEnd = false
  private var ready: [Int: ParsedBlock] = [:]
  private var next: Int
  private var failure: (block: Int, error: SQLError)?

  /// A pipeline over what `reader` still gives.
  ///
  /// `first` is a block that was read already, to sniff it; parsing of it starts at byte `start`, behind the header.
  init(
    _ reader: BlockReader, first: TextBlock?, start: Int, makeParser: @escaping () -> BlockParser,
    deliver: @escaping (ParsedBlock) throws(SQLError) -> Void
  ) {
    self.reader = reader
    firstBlock = first
    firstStart = start
    self.makeParser = makeParser
    self.deliver = deliver
    next = first?.index ?? 0
  }

  /// Parses and delivers everything.
  ///
  /// - Throws: the error of the first block, in the file's order, that failed.
  func run(workerLimit: Int = .max) throws(SQLError) {
    let isSmall = firstBlock?.isLast ?? false
    let workers = isSmall ? 1 : min(workerLimit, parallelWidth)
    if workers <= 1 {
      work()
    } else {
      parallelFor(tasks: workers) { [self] _ in work() }
    }
    if let failure { throw failure.error }
  }

  private func work() {
    let parser = makeParser()
    while let (block, start) = takeBlock() {
      do throws(SQLError) {
        let parsed = try parser.parse(block, from: start)
        lock.withLock { _ in
          ready[parsed.index] = parsed
          if parsed.isEnd { isAtEnd = true }
        }
        try deliverReady()
      } catch {
        fail(error, at: block.index)
      }
    }
  }

  private func takeBlock() -> (TextBlock, Int)? {
    lock.withLock { _ in
      if isAtEnd || failure != nil { return nil }
      if isFirst {
        isFirst = false
        if let firstBlock { return (firstBlock, firstStart) }
      }
      do throws(SQLError) {
        if let block = try reader.next() { return (block, 0) }
      } catch {
        failure = (Int.max, error)
      }
      isAtEnd = true
      return nil
    }
  }

  /// Delivers the results that are next in order, as far as they are there.
  private func deliverReady() throws(SQLError) {
    let failed: SQLError? = deliveryLock.withLock { _ in
      while let parsed = takeReady() {
        do throws(SQLError) { try deliver(parsed) } catch { return error }
      }
      return nil
    }
    if let failed { throw failed }
  }

  private func takeReady() -> ParsedBlock? {
    lock.withLock { _ in
      guard failure == nil, let parsed = ready.removeValue(forKey: next) else { return nil }
      next += 1
      return parsed
    }
  }

  private func fail(_ error: SQLError, at block: Int) {
    lock.withLock { _ in
      if failure.map({ $0.block > block }) ?? true { failure = (block, error) }
    }
  }
}
