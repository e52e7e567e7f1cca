import Columnar
import DelimitedText
import Diagnostics

/// A type for the values of a column, and how they are spelled.
struct ColumnGuess: Equatable {
  var type: LogicalType
  /// nil where they are spelled as SQL spells them.
  var spelling: FieldSpelling?

  init(_ type: LogicalType, _ spelling: FieldSpelling? = nil) {
    self.type = type
    self.spelling = spelling.flatMap { $0.isPlain ? nil : $0 }
  }
}

extension SchemaInference {
  /// The narrowest type that keeps all that the values of a file's column say, however they are spelled.
  ///
  /// What could mean two things is decided by the column as a whole: a day above 12 tells days from months. Where nothing
  /// decides, the values stay texts.
  ///
  /// - Parameters:
  ///   - values: the values, none of them empty.
  ///   - delimiter: what stands between the file's fields; where that is no comma, a comma is rather a decimal one.
  ///   - hasCommas: whether other columns have decimal commas, so that points stand between thousands.
  ///   - name: the column's name, by which eight digits may be a date.
  /// - Returns: the type; text for values that have nothing else in common.
  func guess(
    of values: [String], delimiter: UInt8, hasCommas: Bool = false, name: String = ""
  ) -> ColumnGuess {
    let words = FieldSpelling.nullWords(in: values)
    let present = words.isEmpty ? values : values.filter { !words.contains($0.trimmed) }
    guard !present.isEmpty else { return ColumnGuess(.text) }
    let plain = guessType(of: present)
    if hasCommas, plain == .numeric {
      let thousands = FieldSpelling(
        .number(NumberMarks(decimal: UInt8(ascii: ","), group: .point)), nullWords: words)
      if let respelled = Self.respelled(present, thousands) {
        return ColumnGuess(guessType(of: respelled), thousands)
      }
    }
    if plain == .integer, NameWords(name).namesDate {
      let compact = FieldSpelling(.date(.compact), nullWords: words)
      if let respelled = Self.respelled(present, compact), guessType(of: respelled) == .date {
        return ColumnGuess(.date, compact)
      }
    }
    if plain != .text { return ColumnGuess(plain, FieldSpelling(nullWords: words)) }
    for form in forms(for: present, delimiter) {
      let spelling = FieldSpelling(form, nullWords: words)
      guard let respelled = Self.respelled(present, spelling) else { continue }
      let type = guessType(of: respelled)
      if Self.suits(type, form) { return ColumnGuess(type, spelling) }
    }
    // A word that stands among texts may be one of them.
    return ColumnGuess(.text)
  }

  /// What the spelling of a column is said to be; nil if it is plain.
  static func description(of guess: ColumnGuess) -> String? {
    guard let spelling = guess.spelling else { return nil }
    var parts: [String] = []
    switch spelling.form {
    case .plain: break
    case .number(let marks):
      let decimal = marks.decimal == UInt8(ascii: ",") ? "decimal commas" : nil
      let group = marks.group == nil ? nil : "marks between thousands"
      let unit: String? =
        switch marks.unit {
        case .percent: "percent signs"
        case .currency(let sign): sign
        case nil: nil
        }
      parts.append(
        "numbers with "
          + [decimal, group, unit, marks.hasExponents ? "powers of ten" : nil].compactMap { $0 }
          .joined(separator: ", "))
    case .date(let order):
      let name =
        switch order {
        case .dayFirst: "with the day first"
        case .monthFirst: "with the month first"
        case .named: "with names of months"
        case .compact: "of eight digits"
        }
      parts.append("dates \(name)")
    case .words(let yes, let no): parts.append("\(yes) and \(no) for true and false")
    }
    if !spelling.nullWords.isEmpty {
      parts.append(
        spelling.nullWords.sorted().map { $0.isEmpty ? "blanks" : "\"\($0)\"" }
          .joined(separator: ", ") + " for NULL")
    }
    return parts.joined(separator: "; ")
  }

  /// Whether the values are dates of which nobody can tell days from months.
  func areUndecidedDates(_ values: [String]) -> Bool {
    let words = FieldSpelling.nullWords(in: values)
    let present = values.filter { !words.contains($0.trimmed) }
    return !present.isEmpty
      && [DateOrder.dayFirst, .monthFirst].allSatisfy {
        Self.respelled(present, FieldSpelling(.date($0))) != nil
      }
  }

  /// Forms that the values may have, the likeliest first.
  private func forms(for values: [String], _ delimiter: UInt8) -> [FieldSpelling.Form] {
    var forms: [FieldSpelling.Form] = []
    if values.contains(where: { $0.utf8.contains { $0 &- 48 < 10 } }) {
      // Where a day could be a month, nothing is decided unless only one reading holds.
      let dates = [DateOrder.dayFirst, .monthFirst].filter {
        Self.respelled(values, FieldSpelling(.date($0))) != nil
      }
      let hasPoints = values.allSatisfy { $0.contains(".") }
      if let first = dates.first, dates.count == 1 || hasPoints { forms.append(.date(first)) }
      forms.append(.date(.named))
      forms += numberForms(for: values, delimiter)
    }
    let lowered = Set(values.map { $0.lowercased().trimmed })
    for (yes, no) in FieldSpelling.knownWords where lowered == [yes, no] {
      forms.append(.words(yes: yes, no: no))
    }
    return forms
  }

  private func numberForms(
    for values: [String], _ delimiter: UInt8
  ) -> [FieldSpelling.Form] {
    var unit: NumberMarks.Unit?
    if values.allSatisfy({ $0.trimmed.hasSuffix("%") }) {
      unit = .percent
    } else if let sign = NumberMarks.currencies.first(where: { sign in
      values.contains { $0.contains(sign) }
    }) {
      unit = .currency(sign)
    }
    let (point, comma) = (UInt8(ascii: "."), UInt8(ascii: ","))
    let english = [(point, nil), (point, .comma)] as [(UInt8, NumberMarks.Group?)]
    let european =
      [(comma, nil), (comma, .point), (comma, .space)] as [(UInt8, NumberMarks.Group?)]
    let others = [(point, .space), (point, .apostrophe)] as [(UInt8, NumberMarks.Group?)]
    let styles = delimiter == comma ? english + european + others : european + english + others
    let forms = styles.map {
      FieldSpelling.Form.number(NumberMarks(decimal: $0.0, group: $0.1, unit: unit))
    }
    // Among numbers with points `1e3` is one of them.
    guard unit == nil, values.contains(where: { $0.contains(".") }) else { return forms }
    return forms + [.number(NumberMarks(decimal: point, hasExponents: true))]
  }

  /// The values as SQL spells them; nil if one is not spelled like this.
  private static func respelled(_ values: [String], _ spelling: FieldSpelling) -> [String]? {
    var result: [String] = []
    result.reserveCapacity(values.count)
    var target = ByteBuilder()
    for value in values {
      let bytes = Buffer(Array(value.utf8))
      target.removeAll()
      guard spelling.read(bytes.bytes(0..<bytes.count), to: &target) == .value else { return nil }
      result.append(target.bytes.string)
    }
    return result
  }

  private static func suits(_ type: LogicalType, _ form: FieldSpelling.Form) -> Bool {
    switch form {
    case .plain: type != .text
    case .number: type.isNumeric
    case .date: type == .date || type == .timestamp
    case .words: type == .boolean
    }
  }
}

extension FieldSpelling {
  /// What stands for NULL among some values: words that are known for it, and blanks.
  static func nullWords(in values: [String]) -> Set<String> {
    Set(values.lazy.map(\.trimmed).filter { $0.isEmpty || knownNullWords.contains($0) })
  }
}

extension String {
  /// Without spaces around it.
  var trimmed: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
