package import Diagnostics

/// Functions of regular expressions that take a place to start from, and which match is meant.
extension RegexFunctions {
  /// The error of a function that does not look for all matches.
  static func globalOption(_ function: String) -> SQLError {
    SQLError(
      .invalidParameterValue, "\(function)() does not support the \"global\" option")
  }

  private static func invalid(_ name: String, _ value: Int32) -> SQLError {
    SQLError(.invalidParameterValue, "invalid value for parameter \"\(name)\": \(value)")
  }

  /// A parameter that counts from 1; left out, it is 1.
  ///
  /// - Throws: 22023.
  static func positive(_ value: Int32?, _ name: String) throws(SQLError) -> Int {
    guard let value else { return 1 }
    if value < 1 { throw invalid(name, value) }
    return Int(value)
  }

  /// Finds the match number `ordinal` from character `start` on; it is noted in the matcher.
  @inline(__always)
  private static func find(
    _ matcher: RegexMatcher, _ text: TextBytes, start: Int, ordinal: Int
  ) -> Bool {
    var place = text.offset(of: start - 1)
    var left = ordinal
    if start - 1 > text.characterCount { return false }
    while place <= text.count, matcher.find(text, from: place) {
      left &-= 1
      if left == 0 { return true }
      place = advance(matcher, text)
    }
    return false
  }

  /// `regexp_instr(text, pattern [, start [, n [, endoption [, flags [, subexpr]]]]])`: where the match, or a group of
  /// it, begins or ends; 0 for none.
  ///
  /// - Throws: 2201B, 22023.
  package static func position(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    func number(_ index: Int) -> Operand<Int32>? {
      arguments.count > index ? Operand(arguments[index], Int32.self) : nil
    }
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let starts = number(2)
    let ordinals = number(3)
    let ends = number(4)
    let flags = arguments.count > 5 ? Operand(arguments[5]) : nil
    let groups = number(6)
    var cache = Cache()
    return try TextLoop.compute(arguments, count, .integer) { (row) throws(SQLError) -> Int32 in
      let start = try positive(starts?[row], "start")
      let ordinal = try positive(ordinals?[row], "n")
      let end = ends?[row] ?? 0
      if end != 0 && end != 1 { throw invalid("endoption", end) }
      let group = groups?[row] ?? 0
      if group < 0 { throw invalid("subexpr", group) }
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: true)
      if cache.isGlobal { throw globalOption("regexp_instr") }
      let text = texts.bytes(row)
      guard find(matcher, text, start: start, ordinal: ordinal),
        let range = range(of: Int(group), matcher)
      else { return 0 }
      let offset = end == 0 ? range.lowerBound : range.upperBound
      return Int32(truncatingIfNeeded: text.slice(0..<offset).characterCount &+ 1)
    }
  }

  /// `regexp_substr(text, pattern [, start [, n [, flags [, subexpr]]]])`: the match, or a group of it; NULL for none.
  ///
  /// - Throws: 2201B, 22023.
  package static func matchText(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(.text, count: count) }
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let starts = arguments.count > 2 ? Operand(arguments[2], Int32.self) : nil
    let ordinals = arguments.count > 3 ? Operand(arguments[3], Int32.self) : nil
    let flags = arguments.count > 4 ? Operand(arguments[4]) : nil
    let groups = arguments.count > 5 ? Operand(arguments[5], Int32.self) : nil
    var validity = RowLoop.validity(arguments, count).copy(count: count)
    let views = Buffer<TextView>(zeroed: count)
    var cache = Cache()
    for row in 0..<count where validity.isValid(row) {
      let start = try positive(starts?[row], "start")
      let ordinal = try positive(ordinals?[row], "n")
      let group = groups?[row] ?? 0
      if group < 0 { throw invalid("subexpr", group) }
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: true)
      if cache.isGlobal { throw globalOption("regexp_substr") }
      let text = texts.bytes(row)
      if find(matcher, text, start: start, ordinal: ordinal),
        let range = range(of: Int(group), matcher)
      {
        views[row] = TextView(referring: text.slice(range))
      } else {
        validity.setNull(row, count: count)
      }
    }
    return Vector(.text, views, count: count, validity: validity, heaps: arguments[0].heaps)
  }

  /// `regexp_replace(text, pattern, replacement, start [, n [, flags]])`: match number `n` is replaced, or every one where
  /// `n` is 0.
  ///
  /// - Throws: 2201B, 22023, 54000.
  package static func replaceFrom(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let patterns = Operand(arguments[1])
    let replacements = Operand(arguments[2])
    let starts = Operand(arguments[3], Int32.self)
    let ordinals = arguments.count > 4 ? Operand(arguments[4], Int32.self) : nil
    let flags = arguments.count > 5 ? Operand(arguments[5]) : nil
    var cache = Cache()
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let start = try positive(starts[row], "start")
      let wanted = ordinals?[row] ?? 1
      if wanted < 0 { throw invalid("n", wanted) }
      let matcher = try cache.matcher(patterns, flags, row, notesGroups: true)
      var copied = 0
      var found: Int32 = 0
      var place = start - 1 > text.characterCount ? text.count + 1 : text.offset(of: start - 1)
      while place <= text.count, matcher.find(text, from: place) {
        found &+= 1
        if wanted == 0 || found == wanted {
          output.append(text.slice(copied..<Int(matcher.match[0])))
          append(replacements.bytes(row), matcher, text, &output)
          copied = Int(matcher.match[1])
          if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
        }
        place = advance(matcher, text)
        if found == wanted { break }
      }
      output.append(text.slice(copied..<text.count))
    }
  }
}
