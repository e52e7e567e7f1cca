import Catalog
import Columnar
import Diagnostics

/// What was looked at to find types, keys and references of files that have no schema, and what came of it.
///
/// Names propose and values decide, and both are here with their numbers, also where they decided against.
public struct InferenceReport: Sendable {
  /// One thing that was looked at.
  public struct Finding: Sendable, Hashable {
    /// What it is about.
    public enum Kind: String, Sendable {
      /// The type of a column.
      case type
      /// A key of a table.
      case key
      /// A foreign key.
      case reference
    }
    /// The table that it is about.
    public let table: String
    /// What it is about.
    public let kind: Kind
    /// What was looked at, such as `author_id → author.id`.
    public let subject: String
    /// Whether the schema has it.
    public let isTaken: Bool
    /// Why, with numbers.
    public let reason: String
    /// What a person who edits the schema should know of a column.
    var remark: String?
  }

  /// Everything that was looked at: by table the types, keys and references.
  public internal(set) var findings: [Finding] = []

  /// A report of nothing.
  public init() {}

  /// Whether nothing was inferred.
  public var isEmpty: Bool { findings.isEmpty }
}

/// Gathers what is found, and what is said of it without being asked.
final class InferenceLog {
  private(set) var report = InferenceReport()
  private(set) var notices: [Notice] = []

  /// Notes something that was looked at.
  ///
  /// - Parameters:
  ///   - finding: what was looked at, and what came of it.
  ///   - text: what is told to everybody, too.
  func add(_ finding: InferenceReport.Finding, saying text: String? = nil) {
    report.findings.append(finding)
    if let text { say(text) }
  }

  /// Tells everybody something.
  func say(_ text: String) { notices.append(Notice(text, severity: .info)) }

  /// Notes the columns of a table that was made of a file which names their types itself.
  func add(_ table: TableDefinition, called name: String, rows count: Int, of format: FileFormat) {
    for column in table.columns {
      add(
        .init(
          table: name, kind: .type, subject: "\(column.name) \(column.columnType.name)",
          isTaken: true, reason: "\(count) rows of \(format)"))
    }
  }

  /// Brings what belongs to one table together, types before keys before references.
  func sort() {
    let order: [InferenceReport.Finding.Kind] = [.type, .key, .reference]
    let numbered = report.findings.enumerated().map { place, finding in
      (finding.table, order.firstIndex(of: finding.kind) ?? 0, place, finding)
    }
    report.findings = numbered.sorted { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }.map { $0.3 }
  }
}
