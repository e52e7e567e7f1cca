import DelimitedText
import Diagnostics
import SQLSyntax

/// The options of COPY, checked.
struct CopyOptions {
  var format = DelimitedTextFormat()
  /// Whether the format is `text` rather than `csv`.
  var isText = true
  /// How rows are written, if not as delimited text.
  var rows = RowFormat.delimited
  /// Whether the pages of a parquet file are packed by snappy.
  var isSnappy = true
  /// The most rows of a row group of a parquet file.
  var rowGroupSize: Int?
  /// HEADER MATCH: the header must name the columns in order.
  var headerMustMatch = false
  var forceQuote: ForceColumns = .none
  var forceNotNull: [String] = []
  var forceNull: [String] = []
  /// ENCODING: how the file is written, if not in UTF-8.
  var encoding: TextEncoding?
  /// REJECTS: where bad rows go, so that the others are loaded.
  var rejectsPath: String?

  /// How the rows of a file are written.
  enum RowFormat {
    /// Text or CSV.
    case delimited
    /// One array of objects.
    case json
    /// An object on each line.
    case jsonLines
    case parquet

    /// How a file is written whose name ends like this; the format of text has to be asked for.
    init(_ path: String) {
      switch FileFormat(path) {
      case .text: self = .delimited
      case .parquet: self = .parquet
      case .json:
        self =
          path.lowercased().contains(".json") && !path.lowercased().contains(".jsonl")
          ? .json : .jsonLines
      }
    }
  }

  /// Columns that an option names.
  enum ForceColumns {
    case none, all
    case columns([String])
  }

  /// The options of a file of a folder: csv.
  init() { isText = false }

  /// Reads the options of a statement.
  ///
  /// - Throws: 42601 for a repeated or unknown option, 0A000 and 22023 for values that cannot be.
  init(_ statement: CopyStatement) throws(SQLError) {
    var seen: Set<String> = []
    for option in statement.options {
      guard seen.insert(option.name).inserted else {
        throw SQLError(.syntaxError, "conflicting or redundant options", at: option.range)
      }
    }
    if let name = statement.options.first(where: { $0.name == "format" }) {
      try setFormat(name)
    } else if case .file(let path) = statement.endpoint {
      rows = RowFormat(path)
    }
    if rows != .delimited {
      try refuseOthers(statement)
      return
    }
    format.null = isText ? Array("\\N".utf8) : []
    format.delimiter = isText ? 9 : UInt8(ascii: ",")
    var quote = UInt8(ascii: "\"")
    var escape: UInt8?
    for option in statement.options {
      switch option.name {
      case "format": continue
      case "delimiter": format.delimiter = try Self.byte(option, "COPY delimiter")
      case "null": format.null = Array(try Self.text(option).utf8)
      case "header": try setHeader(option, isFrom: statement.isFrom)
      case "quote":
        try requireCSV("quote", option)
        quote = try Self.byte(option, "COPY quote")
      case "escape":
        try requireCSV("escape", option)
        escape = try Self.byte(option, "COPY escape")
      case "force_quote":
        try requireCSV("force quote", option)
        if statement.isFrom {
          throw SQLError(
            .featureNotSupported, "COPY force quote only available using COPY TO",
            at: option.range)
        }
        if case .list(let names)? = option.value {
          forceQuote = .columns(names)
        } else {
          forceQuote = .all
        }
      case "force_not_null":
        try requireLoading("force not null", option, statement)
        forceNotNull = try Self.names(option)
      case "force_null":
        try requireLoading("force null", option, statement)
        forceNull = try Self.names(option)
      case "rejects": rejectsPath = try Self.text(option)
      case "encoding":
        do throws(SQLError) {
          encoding = try TextEncoding.named(try Self.text(option))
        } catch {
          var located = error
          located.range = option.range
          throw located
        }
      case "freeze": continue
      default:
        throw SQLError(
          .syntaxError, "option \"\(option.name)\" not recognized", at: option.range)
      }
    }
    format.usesBackslashes = isText
    format.quote = isText ? nil : quote
    format.escape = escape ?? quote
    try checkTogether()
  }

  /// The other formats have few options or none.
  private mutating func refuseOthers(_ statement: CopyStatement) throws(SQLError) {
    var others = statement.options.filter { $0.name != "format" }
    if rows == .parquet && !statement.isFrom {
      for option in others where option.name == "compression" {
        switch try Self.text(option).lowercased() {
        case "snappy": isSnappy = true
        case "none", "uncompressed": isSnappy = false
        case let name:
          throw SQLError(
            .featureNotSupported, "compression \"\(name)\" is not written", at: option.range,
            hint: "Choose snappy or none.")
        }
      }
      for option in others where option.name == "row_group_size" {
        guard case .integer(let size)? = option.value, (1...Int64(1 << 30)).contains(size) else {
          throw SQLError(
            .invalidParameterValue, "row_group_size is a number of rows", at: option.range)
        }
        rowGroupSize = Int(size)
      }
      others.removeAll { ["compression", "row_group_size"].contains($0.name) }
    }
    guard let other = others.first else { return }
    throw SQLError(
      .featureNotSupported, "COPY \(other.name) available only in text and CSV mode",
      at: other.range)
  }

  private mutating func setFormat(_ option: DefinitionOption) throws(SQLError) {
    switch try Self.text(option) {
    case "csv": isText = false
    case "text": isText = true
    case "json": rows = .json
    case "ndjson", "jsonl": rows = .jsonLines
    case "parquet": rows = .parquet
    case let name:
      throw SQLError(
        .invalidParameterValue, "COPY format \"\(name)\" not recognized", at: option.range)
    }
  }

  private mutating func setHeader(
    _ option: DefinitionOption, isFrom: Bool
  ) throws(SQLError) {
    switch option.value {
    case nil, .boolean(true): format.hasHeader = true
    case .boolean(false): format.hasHeader = false
    case .integer(let number) where number == 0 || number == 1: format.hasHeader = number == 1
    case .word(let word), .string(let word):
      switch word.lowercased() {
      case "true", "on": format.hasHeader = true
      case "false", "off": format.hasHeader = false
      case "match":
        guard isFrom else {
          throw SQLError(
            .featureNotSupported, "cannot use \"match\" with HEADER in COPY TO", at: option.range)
        }
        format.hasHeader = true
        headerMustMatch = true
      default: throw Self.badHeader(option)
      }
    case .integer, .decimal, .boolean, .list, .all: throw Self.badHeader(option)
    }
  }

  private static func badHeader(_ option: DefinitionOption) -> SQLError {
    SQLError(.syntaxError, "header requires a Boolean value or \"match\"", at: option.range)
  }

  private func requireCSV(_ name: String, _ option: DefinitionOption) throws(SQLError) {
    if isText {
      throw SQLError(
        .featureNotSupported, "COPY \(name) available only in CSV mode", at: option.range)
    }
  }

  private func requireLoading(
    _ name: String, _ option: DefinitionOption, _ statement: CopyStatement
  ) throws(SQLError) {
    try requireCSV(name, option)
    if !statement.isFrom {
      throw SQLError(
        .featureNotSupported, "COPY \(name) only available using COPY FROM", at: option.range)
    }
  }

  private func checkTogether() throws(SQLError) {
    if format.delimiter == 10 || format.delimiter == 13 {
      throw SQLError(
        .invalidParameterValue, "COPY delimiter cannot be newline or carriage return")
    }
    if format.null.contains(10) || format.null.contains(13) {
      throw SQLError(
        .invalidParameterValue, "COPY null representation cannot use newline or carriage return")
    }
    if !isText && format.quote == format.delimiter {
      throw SQLError(.invalidParameterValue, "COPY delimiter and quote must be different")
    }
    if let quote = format.quote, format.null.contains(quote) {
      throw SQLError(
        .featureNotSupported, "CSV quote character must not appear in the NULL specification")
    }
    if format.null.contains(format.delimiter) {
      throw SQLError(
        .invalidParameterValue, "COPY delimiter must not appear in the NULL specification")
    }
  }

  private static func text(_ option: DefinitionOption) throws(SQLError) -> String {
    switch option.value {
    case .word(let text), .string(let text): return text
    case .integer, .decimal, .boolean, .list, .all, nil:
      throw SQLError(.syntaxError, "\(option.name) requires a parameter", at: option.range)
    }
  }

  private static func byte(
    _ option: DefinitionOption, _ what: String
  ) throws(SQLError) -> UInt8 {
    let text = try Self.text(option)
    guard text.utf8.count == 1, let byte = text.utf8.first else {
      throw SQLError(
        .featureNotSupported, "\(what) must be a single one-byte character", at: option.range)
    }
    return byte
  }

  private static func names(_ option: DefinitionOption) throws(SQLError) -> [String] {
    if case .list(let names)? = option.value { return names }
    throw SQLError(
      .invalidParameterValue,
      "argument to option \"\(option.name)\" must be a list of column names", at: option.range)
  }
}
