import Diagnostics

/// One option of `\pset`: how it is set, what is said then, and how it is listed.
struct PrintOption: Sendable {
  let name: String
  /// The values that completion offers.
  let values: [String]
  /// What `\? options` says.
  let help: String
  let set: @Sendable (inout PrintSettings, String?) throws(SQLError) -> Void
  let says: @Sendable (PrintSettings) -> String
  let shown: @Sendable (PrintSettings) -> String
  /// Whether nothing is said where a value was given, as psql does it.
  var isSilentWithValue = false

  /// The option of this name.
  static func named(_ name: String) -> PrintOption? {
    let full = ["x": "expanded", "vertical": "expanded", "t": "tuples_only"][name] ?? name
    return all.first { $0.name == full }
  }

  /// Every option, in the order in which `\pset` lists them.
  static let all: [PrintOption] = lines + separators + texts + styles

  /// An option that is a word of a set.
  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ help: String, _ path: any WritableKeyPath<PrintSettings, Choice> & Sendable,
    _ what: (many: String, one: String)
  ) -> PrintOption {
    PrintOption(
      name: name, values: Choice.allCases.map(\.rawValue), help: help,
      set: { settings, value throws(SQLError) in
        guard let value else { return }
        settings[keyPath: path] = try chosen(value, "\\pset: allowed \(what.many) are")
      }, says: { "\(what.one) is \($0[keyPath: path].rawValue)." },
      shown: { $0[keyPath: path].rawValue })
  }

  /// The one of a set that a word, or the beginning of one, means.
  ///
  /// - Throws: 22023 with all of them, or with the two that it might be.
  static func chosen<Choice: RawRepresentable<String> & CaseIterable>(
    _ word: String, _ message: String
  ) throws(SQLError) -> Choice {
    if let exact = Choice(rawValue: word) { return exact }
    let all = Choice.allCases.map { $0 }
    let found = word.isEmpty ? [] : all.filter { $0.rawValue.hasPrefix(word.lowercased()) }
    if found.count > 1 {
      throw SQLError(
        .invalidParameterValue,
        "\\pset: ambiguous abbreviation \"\(word)\" matches both \"\(found[0].rawValue)\" and "
          + "\"\(found[1].rawValue)\"")
    }
    guard let match = found.first else {
      let names = all.map(\.rawValue)
      throw SQLError(
        .invalidParameterValue, "\(message) \(names.joined(separator: ", "))",
        hint: nearestNames(to: word, among: names, limit: 1).first.map {
          "Perhaps you meant \"\($0)\"."
        })
    }
    return match
  }

  /// An option that is on or off; without a value it changes.
  static func toggle(
    _ name: String, _ help: String, _ path: any WritableKeyPath<PrintSettings, Bool> & Sendable,
    _ what: String
  ) -> PrintOption {
    PrintOption(
      name: name, values: ["off", "on"], help: help,
      set: { settings, value throws(SQLError) in
        guard let value else {
          settings[keyPath: path].toggle()
          return
        }
        guard let isOn = ShellBoolean.parse(value) else {
          throw SQLError(
            .invalidParameterValue,
            "unrecognized value \"\(value)\" for \"\(name)\": Boolean expected")
        }
        settings[keyPath: path] = isOn
      }, says: { "\(what) is \(onOff($0[keyPath: path]))." },
      shown: { onOff($0[keyPath: path]) }, isSilentWithValue: true)
  }

  /// An option that is a whole number, not negative.
  static func number(
    _ name: String, _ help: String, values: [String] = [],
    _ path: any WritableKeyPath<PrintSettings, Int> & Sendable,
    says: @escaping @Sendable (Int) -> String
  ) -> PrintOption {
    PrintOption(
      name: name, values: values, help: help,
      set: { settings, value throws(SQLError) in
        guard let value else { return }
        guard let number = Int(value), (0...65535).contains(number) else {
          throw SQLError(
            .invalidParameterValue,
            "unrecognized value \"\(value)\" for \"\(name)\": number expected")
        }
        settings[keyPath: path] = number
      }, says: { says($0[keyPath: path]) }, shown: { String($0[keyPath: path]) })
  }

  static func onOff(_ isOn: Bool) -> String { isOn ? "on" : "off" }

  static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "''").replacing("\n", with: "\\n") + "'"
  }
}

extension PrintSettings {
  /// Sets one option as `\pset` does and says what it is now; nil where psql says nothing.
  ///
  /// - Throws: 22023 for an option or value that does not exist.
  mutating func set(_ option: String, to value: String?) throws(SQLError) -> String? {
    guard let found = PrintOption.named(option) else {
      throw SQLError(
        .invalidParameterValue, "\\pset: unknown option: \(option)",
        hint: nearestNames(to: option, among: PrintOption.all.map(\.name), limit: 1).first.map {
          "Perhaps you meant \"\($0)\"."
        })
    }
    try found.set(&self, value)
    return found.isSilentWithValue && value != nil ? nil : found.says(self)
  }

  /// All options and what they are, as `\pset` lists them.
  var all: [(name: String, value: String)] {
    PrintOption.all.sorted { $0.name < $1.name }.map { ($0.name, $0.shown(self)) }
  }
}
