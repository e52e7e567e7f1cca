/// A reference that does not keep its object alive: for readers of plain bytes, so that a look-up counts no references.
///
/// - Invariant: whoever follows a reference holds what owns the object.
@frozen @safe
@usableFromInline
package struct UncountedReference<Object: AnyObject>: BitwiseCopyable, @unchecked Sendable {
  @usableFromInline let reference: Unmanaged<Object>?

  /// A reference to an object that somebody else keeps alive, or to none.
  @inlinable
  package init(_ object: Object?) {
    unsafe reference = object.map { unsafe Unmanaged.passUnretained($0) }
  }

  /// Whether there is no object.
  @inlinable package var isNone: Bool {
    @inline(__always) get { unsafe reference == nil }
  }

  /// Lends the object, and gives what `body` makes of it; nil if there is none.
  @inlinable
  @inline(__always)
  @discardableResult
  package func withObject<Result, Failure: Error>(
    _ body: (Object) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let reference = unsafe reference else { return nil }
    // The library's function knows nothing of the type of an error.
    return try unsafe reference._withUnsafeGuaranteedRef {
      object -> Swift.Result<Result, Failure> in
      do throws(Failure) { return .success(try body(object)) } catch { return .failure(error) }
    }.get()
  }
}
