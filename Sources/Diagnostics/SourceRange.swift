/// A stretch of a statement's text, in UTF-8 bytes from the start of that text.
public struct SourceRange: Hashable, Sendable {
  /// The offset of the first byte.
  public var lower: Int32
  /// The offset just past the last byte.
  public var upper: Int32

  /// A range from `lower` up to, not including, `upper`.
  public init(_ lower: Int, _ upper: Int) {
    self.lower = Int32(clamping: lower)
    self.upper = Int32(clamping: upper)
  }

  /// The range of something that no text stands for, such as a default.
  public static let none = SourceRange(-1, -1)

  /// Whether the range points into a text.
  public var isKnown: Bool { lower >= 0 }

  /// The least range that covers both.
  public func union(_ other: SourceRange) -> SourceRange {
    if !isKnown { return other }
    if !other.isKnown { return self }
    return SourceRange(Int(min(lower, other.lower)), Int(max(upper, other.upper)))
  }
}
