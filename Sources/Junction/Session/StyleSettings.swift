import Columnar
import Diagnostics

/// The settings that say how values are written and read.
enum StyleSettings {
  static let names = [
    "timezone", "datestyle", "intervalstyle", "bytea_output", "extra_float_digits",
  ]

  private static let intervalStyles: [(String, ValueStyle.Intervals)] = [
    ("postgres", .postgres), ("postgres_verbose", .verbose), ("sql_standard", .sqlStandard),
    ("iso_8601", .iso8601),
  ]

  /// The value of a setting in its one spelling.
  ///
  /// - Throws: 22023 for one that it cannot have.
  static func checked(
    _ name: String, _ value: String, current: String
  ) throws(SQLError) -> String {
    let lowered = value.lowercased()
    switch name {
    case "datestyle": return try dateStyle(value, current: current)
    case "intervalstyle":
      let known = intervalStyles.map(\.0)
      guard known.contains(lowered) else { throw invalid(name, value, known) }
      return lowered
    case "bytea_output":
      guard lowered == "hex" || lowered == "escape" else {
        throw invalid(name, value, ["escape", "hex"])
      }
      return lowered
    case "extra_float_digits":
      guard let digits = Int(value) else { throw invalid(name, value, []) }
      guard (-15...3).contains(digits) else {
        throw SQLError(
          .invalidParameterValue,
          "\(digits) is outside the valid range for parameter \"\(name)\" (-15 .. 3)")
      }
      return String(digits)
    default:
      guard let zone = try zone(value) else { throw invalid("TimeZone", value, []) }
      return zone.name
    }
  }

  private static func invalid(_ name: String, _ value: String, _ known: [String]) -> SQLError {
    SQLError(
      .invalidParameterValue, "invalid value for parameter \"\(name)\": \"\(value)\"",
      hint: known.isEmpty ? nil : "Available values: \(known.joined(separator: ", ")).")
  }

  /// The zone of a name, of hours east of Greenwich, or of an interval.
  ///
  /// - Throws: what is wrong with an interval.
  private static func zone(_ text: String) throws(SQLError) -> TimeZoneRules? {
    if text.lowercased() == "default" { return .utc }
    if text.lowercased().hasPrefix("interval") { return try zone(interval: text.dropFirst(8)) }
    guard let hours = Double(text) else { return .named(text) }
    return hours.magnitude < 168 ? TimeZoneRules(offset: Int(hours * 3600)) : nil
  }

  /// The zone of `'-08:30' hour to minute`.
  private static func zone(interval text: Substring) throws(SQLError) -> TimeZoneRules? {
    let parts = text.split(separator: "'", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let fields = parts[2].drop { $0 == " " }
    let range = IntervalRange.allCases.first { $0.name == fields }
    let value = try Value(
      parsing: String(parts[1]),
      as: ColumnType(.interval, range.map { .interval($0, precision: nil) } ?? .none))
    guard case .interval(let span) = value, span.months == 0, span.days == 0,
      span.microseconds.magnitude < 168 * 3_600_000_000
    else { return nil }
    return TimeZoneRules(offset: Int(span.microseconds / 1_000_000))
  }

  /// `ISO, DMY` and the like: each half may be left out, and keeps its value then.
  private static func dateStyle(_ text: String, current: String) throws(SQLError) -> String {
    func invalid(_ detail: String) -> SQLError {
      SQLError(
        .invalidParameterValue, "invalid value for parameter \"DateStyle\": \"\(text)\"",
        detail: detail)
    }
    var form: String?
    var order: String?
    func set(_ target: inout String?, _ value: String) throws(SQLError) {
      if let known = target, known != value {
        throw invalid("Conflicting \"datestyle\" specifications.")
      }
      target = value
    }
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = String(part.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" })
      let lowered = word.lowercased()
      switch lowered {
      case "iso": try set(&form, "ISO")
      case "sql": try set(&form, "SQL")
      case _ where lowered.hasPrefix("postgres"): try set(&form, "Postgres")
      case "german":
        try set(&form, "German")
        // The German form brings its order along, unless another is named.
        if order == nil { order = "DMY" }
      case "ymd": try set(&order, "YMD")
      case "dmy": try set(&order, "DMY")
      case _ where lowered.hasPrefix("euro"): try set(&order, "DMY")
      case "mdy", "us": try set(&order, "MDY")
      case _ where lowered.hasPrefix("noneuro"): try set(&order, "MDY")
      case "default":
        form = form ?? "ISO"
        order = order ?? "MDY"
      default: throw invalid("Unrecognized key word: \"\(word)\".")
      }
    }
    let halves = current.split(separator: ",").map { $0.filter { $0 != " " } }
    return "\(form ?? halves.first ?? "ISO"), \(order ?? halves.last ?? "MDY")"
  }

  /// The style that checked settings come to.
  static func style(_ setting: (String) -> String) -> ValueStyle {
    var style = ValueStyle(zone: zone(named: setting("timezone")))
    let dates = setting("datestyle")
    style.dates =
      dates.hasPrefix("SQL")
      ? .sql : dates.hasPrefix("Postgres") ? .postgres : dates.hasPrefix("German") ? .german : .iso
    style.order =
      dates.hasSuffix("DMY") ? .dayFirst : dates.hasSuffix("YMD") ? .yearFirst : .monthFirst
    style.intervals =
      intervalStyles.first { $0.0 == setting("intervalstyle") }?.1 ?? .postgres
    style.escapesBytes = setting("bytea_output") == "escape"
    style.extraFloatDigits = Int(setting("extra_float_digits")) ?? 1
    return style
  }

  private static func zone(named name: String) -> TimeZoneRules { .named(name) ?? .utc }
}
