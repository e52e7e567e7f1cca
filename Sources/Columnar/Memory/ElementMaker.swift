public import Diagnostics
import Synchronization

/// Makes the elements of an array, one after another; each thread has its own.
@usableFromInline
package protocol ElementMaker: ~Copyable {
  associatedtype Element
  /// What all makers of an array have in common.
  associatedtype Recipe

  init(_ recipe: borrowing Recipe)

  /// The element of a place; the places that it is asked for rise.
  ///
  /// - Throws: why there is none.
  mutating func make(_ place: Int) throws(SQLError) -> Element

  /// Ends its work, if all that it was asked for is made.
  func finish()
}

extension Array {
  /// An array of elements that are made one after another, in parts by several threads at once if there are several parts.
  ///
  /// - Parameters:
  ///   - places: The places that the maker is asked for.
  ///   - partSize: The number of elements of each part but the last. Where there are several the elements are `Sendable`, even if the
  ///     caller cannot say so.
  ///   - maker: What makes the elements of a part.
  ///   - recipe: What it is made of.
  /// - Returns: The elements.
  /// - Throws: what the maker throws at the first place at which it does.
  // Inlined, as is what it calls for one part, so that a maker's functions are called directly.
  @inlinable
  package static func made<Maker: ElementMaker & ~Copyable>(
    _ places: Range<Int>, partSize: Int, by maker: Maker.Type, _ recipe: Maker.Recipe
  ) throws(SQLError) -> [Element] where Maker.Element == Element {
    var failure: SQLError?
    // An array that grows looks its type up with each element, which may take as long as to make one.
    let elements = unsafe Self(unsafeUninitializedCapacity: places.count) { memory, count in
      if partSize >= places.count {
        (count, failure) = unsafe fill(memory, places, Maker(recipe))
      } else {
        failure = unsafe fill(memory, places, partSize, maker, recipe)
        count = failure == nil ? places.count : 0
      }
    }
    if let failure { throw failure }
    return elements
  }

  /// Fills parts of memory by several threads at once; nothing stays in it where one fails.
  @usableFromInline
  static func fill<Maker: ElementMaker & ~Copyable>(
    _ memory: UnsafeMutableBufferPointer<Element>, _ places: Range<Int>, _ partSize: Int,
    _ maker: Maker.Type, _ recipe: Maker.Recipe
  ) -> SQLError? where Maker.Element == Element {
    let parts = stride(from: 0, to: places.count, by: partSize).map {
      $0..<Swift.min($0 + partSize, places.count)
    }
    let outcomes = Mutex(
      [(count: Int, failure: SQLError?)](repeating: (0, nil), count: parts.count))
    // Each part is one thread's, which alone writes to its memory; nobody does any more when the call returns.
    nonisolated(unsafe) let fillPart = { (part: Int) in
      let (first, end) = (parts[part].lowerBound, parts[part].upperBound)
      let outcome = unsafe fill(
        UnsafeMutableBufferPointer(rebasing: memory[first..<end]),
        (places.lowerBound + first)..<(places.lowerBound + end), Maker(recipe))
      outcomes.withLock { $0[part] = outcome }
    }
    parallelFor(tasks: parts.count) { unsafe fillPart($0) }
    let ended = outcomes.withLock { $0 }
    guard let failure = ended.lazy.compactMap(\.failure).first else { return nil }
    for (part, outcome) in zip(parts, ended) {
      let made = part.lowerBound..<(part.lowerBound + outcome.count)
      unsafe UnsafeMutableBufferPointer(rebasing: memory[made]).deinitialize()
    }
    return failure
  }

  /// Fills memory up to the first place that fails.
  @inlinable
  static func fill<Maker: ElementMaker & ~Copyable>(
    _ memory: UnsafeMutableBufferPointer<Element>, _ places: Range<Int>,
    _ maker: consuming Maker
  ) -> (count: Int, failure: SQLError?) where Maker.Element == Element {
    var count = 0
    for place in places {
      do throws(SQLError) {
        unsafe memory.initializeElement(at: count, to: try maker.make(place))
      } catch {
        return (count, error)
      }
      count += 1
    }
    maker.finish()
    return (count, nil)
  }
}
