import Columnar
import Diagnostics
import Synchronization

/// The settings of a session, as SET, SHOW and RESET know them.
struct SessionSettings: Sendable {
  /// Names and values as they were set; what is not here has its default.
  private var values: [String: String] = [:] {
    didSet {
      effective = EffectiveSettings(values)
      version = Self.lastVersion.wrappingAdd(1, ordering: .relaxed).newValue
    }
  }
  /// Another number after each setting: plans hold under one of them, as names and literals mean
  /// what the settings say.
  private(set) var version: UInt64 = 0
  private static let lastVersion = Atomic<UInt64>(0)
  private var effective = EffectiveSettings.initial

  /// Every setting that SHOW knows, with its default.
  static let defaults: [String: String] = [
    "application_name": "junction", "bytea_output": "hex", "client_encoding": "UTF8",
    "client_min_messages": "notice", "datestyle": "ISO, MDY",
    "default_transaction_isolation":
      "read committed", "default_transaction_read_only": "off", "extra_float_digits": "1",
    "integer_datetimes": "on", "intervalstyle": "postgres", "lc_collate": "C", "lc_ctype": "C",
    "lock_timeout": "0", "max_identifier_length": "63",
    "memory_limit": String(MachineMemory.defaultLimit),
    "search_path": "\"$user\", public", "server_encoding": "UTF8", "server_version": "15.0",
    "server_version_num": "150000", "standard_conforming_strings": "on", "statement_timeout": "0",
    "threads": "0", "timezone": "UTC", "transaction_isolation": "read committed",
    "transaction_read_only": "off",
  ]

  /// Settings that cannot be set.
  private static let readOnly: Set<String> = [
    "integer_datetimes", "lc_collate", "lc_ctype", "max_identifier_length", "server_encoding",
    "server_version", "server_version_num",
  ]

  /// The value of a setting; nil for one that does not exist.
  subscript(name: String) -> String? { values[name] ?? Self.defaults[name] }

  /// Sets a setting; names with a dot are a user's own.
  ///
  /// - Throws: 42704 for an unknown name, 22023 for a bad value, 55P02 for one that is fixed.
  mutating func set(_ name: String, to value: String) throws(SQLError) {
    guard Self.defaults[name] != nil || name.contains(".") || Self.ignored.contains(name) else {
      throw SQLError(
        .undefinedObject, "unrecognized configuration parameter \"\(name)\"",
        hint: nearestNames(to: name, among: Array(Self.defaults.keys), limit: 1).first.map {
          "Perhaps you meant \"\($0)\"."
        })
    }
    if Self.readOnly.contains(name) {
      throw SQLError(SQLState("55P02"), "parameter \"\(name)\" cannot be changed")
    }
    values[name] = try Self.checked(name, value, current: self[name] ?? "")
  }

  /// PostgreSQL's planner and storage settings: accepted, so that scripts run, and without effect.
  private static let ignored: Set<String> = [
    "work_mem", "maintenance_work_mem", "enable_seqscan", "enable_indexscan", "enable_hashjoin",
    "enable_hashagg", "enable_mergejoin", "enable_nestloop", "enable_sort", "enable_bitmapscan",
    "enable_indexonlyscan", "enable_material", "enable_memoize", "enable_incremental_sort",
    "max_parallel_workers_per_gather", "parallel_setup_cost", "parallel_tuple_cost",
    "min_parallel_table_scan_size", "random_page_cost", "cpu_tuple_cost", "jit", "role",
    "session_authorization", "row_security", "check_function_bodies", "xmloption",
    "default_tablespace", "default_table_access_method", "idle_in_transaction_session_timeout",
    "plan_cache_mode", "constraint_exclusion", "escape_string_warning", "from_collapse_limit",
    "join_collapse_limit", "geqo", "seed", "track_counts", "synchronous_commit",
  ]

  mutating func reset(_ name: String) { values[name] = nil }
  mutating func resetAll() { values = [:] }

  /// The names of all settings, sorted.
  var names: [String] { Self.defaults.keys.sorted() }

  private static func checked(
    _ name: String, _ value: String, current: String
  ) throws(SQLError) -> String {
    let lowered = value.lowercased()
    func invalid() -> SQLError {
      SQLError(
        .invalidParameterValue, "invalid value for parameter \"\(name)\": \"\(value)\"")
    }
    switch name {
    case "statement_timeout", "lock_timeout":
      guard let number = milliseconds(lowered) else { throw invalid() }
      return String(number)
    case "memory_limit", "threads":
      guard let number = bytes(lowered) else { throw invalid() }
      return String(number)
    case "timezone", "datestyle", "intervalstyle", "bytea_output", "extra_float_digits":
      return try StyleSettings.checked(name, value, current: current)
    case "client_encoding":
      guard ["utf8", "utf-8", "unicode", "sql_ascii"].contains(lowered) else { throw invalid() }
      return "UTF8"
    case "default_transaction_read_only", "transaction_read_only":
      guard ["on", "off", "true", "false", "1", "0"].contains(lowered) else { throw invalid() }
      return ["on", "true", "1"].contains(lowered) ? "on" : "off"
    default: return value
    }
  }

  /// `250`, `250ms`, `2s` or `1min` in milliseconds.
  private static func milliseconds(_ text: String) -> Int? {
    for (suffix, factor) in [("ms", 1), ("min", 60_000), ("h", 3_600_000), ("s", 1000)]
    where text.hasSuffix(suffix) {
      return Int(text.dropLast(suffix.count).filter { $0 != " " }).map { $0 * factor }
    }
    return Int(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// `1000`, `64MB` or `2 GB` in bytes.
  private static func bytes(_ text: String) -> Int? {
    for (suffix, shift) in [("kb", 10), ("mb", 20), ("gb", 30)] where text.hasSuffix(suffix) {
      guard let number = Int(text.dropLast(2).filter { $0 != " " }), number < 1 << 20 else {
        return nil
      }
      return number << shift
    }
    return Int(text).flatMap { $0 >= 0 ? $0 : nil }
  }

  // What the engine reads at every statement.

  /// How values are written and read; nil where nothing of that was set.
  var ownStyle: ValueStyle? { effective.style }
  var statementTimeout: Duration? { effective.statementTimeout }
  var lockTimeout: Int? { effective.lockTimeout }
  var memoryLimit: MemoryLimit { effective.memoryLimit }
  var workerLimit: Int { effective.workerLimit }
  /// Whether transactions that do not say otherwise only read.
  var isReadOnly: Bool { effective.isReadOnly }
  /// The schemas of `search_path` in order, the temporary one first and the system's last.
  var searchPath: [String] { effective.searchPath }

  /// The schema that gets new objects.
  var creationSchema: String {
    searchPath.first { $0 != "pg_temp" && $0 != "pg_catalog" } ?? "public"
  }
}

/// Settings in the form in which statements use them, worked out when one is set.
private struct EffectiveSettings {
  let style: ValueStyle?
  let statementTimeout: Duration?
  let lockTimeout: Int?
  let memoryLimit: MemoryLimit
  let workerLimit: Int
  let isReadOnly: Bool
  let searchPath: [String]

  init(_ values: [String: String]) {
    func setting(_ name: String) -> String {
      values[name] ?? SessionSettings.defaults[name] ?? ""
    }
    func limit(_ name: String) -> Int? { Int(setting(name)).flatMap { $0 > 0 ? $0 : nil } }
    let isStyled = StyleSettings.names.contains { values[$0] != nil }
    style = isStyled ? StyleSettings.style(setting) : nil
    statementTimeout = limit("statement_timeout").map { .milliseconds($0) }
    lockTimeout = limit("lock_timeout")
    let byteLimit = limit("memory_limit") ?? .max
    memoryLimit = MemoryLimit(
      byteCount: byteLimit, isDefault: values["memory_limit"] == nil || byteLimit == .max)
    workerLimit = limit("threads") ?? .max
    isReadOnly = setting("default_transaction_read_only") == "on"
    let listed = setting("search_path").split(separator: ",").map {
      $0.trimmed.filter { $0 != "\"" && $0 != "'" }
    }
    var path = ["pg_temp"] + listed.filter { $0 != "$user" && $0 != "pg_temp" && !$0.isEmpty }
    if !path.contains("pg_catalog") { path.append("pg_catalog") }
    searchPath = path
  }

  /// What holds in a session that has set nothing.
  static let initial = EffectiveSettings([:])
}

extension Substring {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    var view = self
    while view.first?.isWhitespace ?? false { view.removeFirst() }
    while view.last?.isWhitespace ?? false { view.removeLast() }
    return String(view)
  }
}
