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

  /// Lends the object, if there is one.
  @inlinable
  @inline(__always)
  package func withObject(_ body: (Object) -> Void) {
    guard let reference = unsafe reference else { return }
    unsafe reference._withUnsafeGuaranteedRef { body($0) }
  }
}
