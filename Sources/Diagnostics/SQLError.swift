/// What a statement that failed has to say, in the parts that PostgreSQL gives an error.
///
/// The message is one line, lower case, without a full stop; detail and hint are whole sentences.
public struct SQLError: Error, Sendable, Hashable {
  /// The code for programs.
  public var state: SQLState
  /// What went wrong, in one line.
  public var message: String
  /// Where in the statement, if that is known.
  public var range: SourceRange
  /// The particulars, such as the key that stood there already.
  public var detail: String?
  /// What to do about it.
  public var hint: String?
  /// What was being done when it happened, such as the line of a file that was read.
  public var context: String?
  /// What it is about, if it is about one thing; in one word of memory, as errors are handed on by value.
  private var subject: Subject?

  /// An error with these parts.
  public init(
    _ state: SQLState, _ message: String, at range: SourceRange = .none, detail: String? = nil,
    hint: String? = nil, context: String? = nil
  ) {
    self.state = state
    self.message = message
    self.range = range
    self.detail = detail
    self.hint = hint
    self.context = context
  }

  /// The same error, placed at `range` unless it has a place already.
  public func located(at range: SourceRange) -> SQLError {
    if self.range.isKnown { return self }
    var copy = self
    copy.range = range
    return copy
  }

  /// The table, column, type or constraint that it is about, for an error of a constraint.
  public var object: Object? { subject?.object }

  /// The rule of a relationship that was broken, if one was.
  public var rule: RelationshipRule? { subject?.rule }

  /// The same error about an object.
  package func about(_ object: Object, breaking rule: RelationshipRule? = nil) -> SQLError {
    var copy = self
    copy.subject = Subject(object, rule)
    return copy
  }

  /// An error for something PostgreSQL has and Junction does not.
  public static func unsupported(_ what: String, at range: SourceRange = .none) -> SQLError {
    SQLError(.featureNotSupported, "\(what) is not supported", at: range)
  }

  /// An error for a state of the engine that its own rules exclude; the statement ends, not the process.
  public static func `internal`(_ what: String) -> SQLError {
    SQLError(.internalError, "internal error: \(what)", hint: "Please report this as a bug.")
  }
}

/// A remark of the engine that is no error, such as "table … does not exist, skipping".
public struct Notice: Sendable, Hashable {
  /// How serious it is.
  public enum Severity: String, Sendable {
    case notice = "NOTICE", warning = "WARNING", info = "INFO"
  }
  /// How serious it is.
  public var severity: Severity
  /// The state, "00000" for a plain notice.
  public var state: SQLState
  /// What it says.
  public var message: String
  /// The particulars.
  public var detail: String?

  /// A remark.
  public init(
    _ message: String, severity: Severity = .notice, state: SQLState = SQLState("00000"),
    detail: String? = nil
  ) {
    self.severity = severity
    self.state = state
    self.message = message
    self.detail = detail
  }
}
