import Diagnostics

/// The options of `\pset`.
extension PrintOption {
  static let lines: [PrintOption] = [
    number(
      "border", "lines around and between columns: 0, 1, 2", values: ["0", "1", "2"], \.border,
      says: { "Border style is \($0)." }),
    number(
      "columns", "width of wrapped output; 0 for that of the screen", \.columns,
      says: { $0 == 0 ? "Target width is unset." : "Target width is \($0)." }),
    PrintOption(
      name: "expanded", values: ["auto", "off", "on"], help: "a line for each column",
      set: { settings, value throws(SQLError) in
        guard let value else {
          settings.expanded = settings.expanded == .off ? .on : .off
          return
        }
        if value.lowercased() == "auto" {
          settings.expanded = .auto
        } else if let isOn = ShellBoolean.parse(value) {
          settings.expanded = isOn ? .on : .off
        } else {
          throw SQLError(
            .invalidParameterValue,
            "unrecognized value \"\(value)\" for \"expanded\"\nAvailable values are: on, off, auto."
          )
        }
      },
      says: {
        $0.expanded == .auto
          ? "Expanded display is used automatically."
          : "Expanded display is \($0.expanded.rawValue)."
      }, shown: { $0.expanded.rawValue }),
    choice("format", "the layout of results", \.format, ("formats", "Output format")),
    toggle("footer", "the count of rows below a table", \.footer, "Default footer"),
    toggle("tuples_only", "rows only", \.tuplesOnly, "Tuples only"),
    toggle(
      "numericlocale", "a comma between groups of three digits", \.groupsDigits,
      "Locale-adjusted numeric output"),
    PrintOption(
      name: "pager", values: Pager.allCases.map(\.rawValue).sorted(), help: "when a pager is used",
      set: { settings, value throws(SQLError) in
        guard let value else {
          settings.pager = settings.pager == .off ? .on : .off
          return
        }
        if value.lowercased() == "always" {
          settings.pager = .always
        } else if let isOn = ShellBoolean.parse(value) {
          settings.pager = isOn ? .on : .off
        } else {
          throw SQLError(
            .invalidParameterValue,
            "unrecognized value \"\(value)\" for \"pager\": Boolean expected")
        }
      },
      says: { settings in
        switch settings.pager {
        case .off: "Pager usage is off."
        case .on: "Pager is used for long output."
        case .always: "Pager is always used."
        }
      },
      shown: { settings in
        switch settings.pager {
        case .off: "0"
        case .on: "1"
        case .always: "2"
        }
      }),
    number(
      "pager_min_lines", "shorter output never goes through the pager", \.pagerLinesMin,
      says: { "Pager won't be used for less than \($0) line\($0 == 1 ? "" : "s")." }),
  ]

  private typealias Pager = PrintSettings.Pager

  static let separators: [PrintOption] = [
    PrintOption(
      name: "csv_fieldsep", values: [], help: "between the columns of CSV",
      set: { settings, value throws(SQLError) in
        if let value { settings.csvFieldSeparator = try checkedSeparator(value) }
      }, says: { "Field separator for CSV is \"\($0.csvFieldSeparator)\"." },
      shown: { quoted($0.csvFieldSeparator) }),
    PrintOption(
      name: "fieldsep", values: [], help: "between the columns of unaligned output",
      set: { settings, value in if let value { settings.fieldSeparator = value } },
      says: { fieldSeparatorText($0) },
      shown: { $0.fieldSeparator == "\0" ? "''" : quoted($0.fieldSeparator) }),
    PrintOption(
      name: "fieldsep_zero", values: [], help: "makes fieldsep a zero byte",
      set: { settings, _ in settings.fieldSeparator = "\0" }, says: { fieldSeparatorText($0) },
      shown: { onOff($0.fieldSeparator == "\0") }),
    PrintOption(
      name: "recordsep", values: [], help: "between the rows of unaligned output",
      set: { settings, value in if let value { settings.recordSeparator = value } },
      says: { recordSeparatorText($0) },
      shown: { $0.recordSeparator == "\0" ? "''" : quoted($0.recordSeparator) }),
    PrintOption(
      name: "recordsep_zero", values: [], help: "makes recordsep a zero byte",
      set: { settings, _ in settings.recordSeparator = "\0" }, says: { recordSeparatorText($0) },
      shown: { onOff($0.recordSeparator == "\0") }),
  ]

  private static func fieldSeparatorText(_ settings: PrintSettings) -> String {
    let separator = settings.fieldSeparator
    return "Field separator is \(separator == "\0" ? "zero byte" : "\"\(separator)\"")."
  }

  private static func recordSeparatorText(_ settings: PrintSettings) -> String {
    switch settings.recordSeparator {
    case "\0": "Record separator is zero byte."
    case "\n": "Record separator is <newline>."
    default: "Record separator is \"\(settings.recordSeparator)\"."
    }
  }

  /// - Throws: 22023 for what cannot part the fields of CSV.
  private static func checkedSeparator(_ value: String) throws(SQLError) -> String {
    guard value.utf8.count == 1 else {
      throw SQLError(
        .invalidParameterValue, "\\pset: csv_fieldsep must be a single one-byte character")
    }
    guard !["\"", "\n", "\r"].contains(value) else {
      throw SQLError(
        .invalidParameterValue,
        "\\pset: csv_fieldsep cannot be a double quote, a newline, or a carriage return")
    }
    return value
  }

  static let texts: [PrintOption] = [
    PrintOption(
      name: "null", values: [], help: "what stands for NULL",
      set: { settings, value in if let value { settings.null = value } },
      says: { "Null display is \"\($0.null)\"." }, shown: { quoted($0.null) }),
    PrintOption(
      name: "title", values: [], help: "what stands above each table; nothing without a value",
      set: { settings, value in settings.title = value },
      says: { $0.title.map { "Title is \"\($0)\"." } ?? "Title is unset." },
      shown: { $0.title.map(quoted) ?? "" }),
    PrintOption(
      name: "tableattr", values: [],
      help: "attributes of an HTML table, or widths of the columns of latex-longtable",
      set: { settings, value in settings.tableAttributes = value },
      says: {
        $0.tableAttributes.map { "Table attributes are \"\($0)\"." } ?? "Table attributes unset."
      }, shown: { $0.tableAttributes.map(quoted) ?? "" }),
    PrintOption(
      name: "insert_table", values: [], help: "the table that format insert writes rows for",
      set: { settings, value in if let value { settings.insertTable = value } },
      says: { "Rows are inserted into \"\($0.insertTable)\"." },
      shown: { quoted($0.insertTable) }),
  ]

  static let styles: [PrintOption] = [
    choice(
      "linestyle", "the characters of lines: ascii, old-ascii, unicode", \.lineStyle,
      ("line styles", "Line style")),
    weight("border", \.borderWeight), weight("column", \.columnWeight),
    weight("header", \.headerWeight),
  ]

  private static func weight(
    _ part: String,
    _ path: any WritableKeyPath<PrintSettings, PrintSettings.LineWeight> & Sendable
  ) -> PrintOption {
    PrintOption(
      name: "unicode_\(part)_linestyle", values: ["double", "single"],
      help: "unicode lines of the \(part): single or double",
      set: { settings, value throws(SQLError) in
        guard let value else { return }
        settings[keyPath: path] = try chosen(
          value, "\\pset: allowed Unicode \(part) line styles are")
      }, says: { "Unicode \(part) line style is \"\($0[keyPath: path].rawValue)\"." },
      shown: { $0[keyPath: path].rawValue })
  }
}
