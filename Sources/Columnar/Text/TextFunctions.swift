package import Diagnostics

/// The functions of text that take texts and numbers apart and put them together.
package enum TextFunctions {
  /// `length`, in characters; those of `character(n)` count without trailing spaces.
  package static func length(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    if arguments[0].type == .character {
      return try TextLoop.compute(arguments, count, .integer) {
        Int32(truncatingIfNeeded: texts.bytes($0).withoutTrailingSpaces.characterCount)
      }
    }
    return try TextLoop.compute(arguments, count, .integer) {
      let view = texts[$0]
      return Int32(
        truncatingIfNeeded: view.isInlineASCII ? view.count : texts.bytes($0).characterCount)
    }
  }

  /// `octet_length`: bytes.
  package static func octetLength(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .integer) {
      Int32(truncatingIfNeeded: texts[$0].count)
    }
  }

  /// `bit_length`: bytes times eight.
  package static func bitLength(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.compute(arguments, count, .integer) {
      Int32(truncatingIfNeeded: texts[$0].count &* 8)
    }
  }

  package static func lower(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try TextLoop.map(arguments, count, words: CharacterCase.lowerASCII) { text, output in
      CharacterCase.appendLower(text, to: &output)
    }
  }

  package static func upper(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try TextLoop.map(arguments, count, words: CharacterCase.upperASCII) { text, output in
      CharacterCase.appendUpper(text, to: &output)
    }
  }

  package static func initialCapitals(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    return try TextLoop.build(arguments, count) { row, output in
      CharacterCase.appendInitialCapitals(texts.bytes(row), to: &output)
    }
  }

  /// `substring(text, start [, length])`, in characters from 1; parts before the text count as length.
  ///
  /// - Throws: 22011 for a negative length.
  package static func substring(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let starts = Operand(arguments[1], Int32.self)
    let lengths = arguments.count > 2 ? Operand(arguments[2], Int32.self) : nil
    let isBytes = arguments[0].type == .bytea
    return try TextLoop.slice(arguments, count, isBytes ? .bytea : .text) {
      (text, row) throws(SQLError) -> Range<Int> in
      let start = Int(starts[row])
      var end = Int.max
      if let lengths {
        if lengths[row] < 0 {
          throw SQLError(.substringError, "negative substring length not allowed")
        }
        end = start &+ Int(lengths[row])
      }
      let first = max(start, 1) &- 1
      let wanted = max(0, end == .max ? text.count : end &- 1 &- first)
      if isBytes {
        let lower = min(first, text.count)
        return lower..<min(text.count, lower &+ wanted)
      }
      let lower = text.offset(of: first)
      return lower..<(end == .max ? text.count : text.offset(of: wanted, from: lower))
    }
  }

  /// `left(text, n)`: the first *n* characters, or all but the last -*n*.
  package static func left(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let lengths = Operand(arguments[1], Int32.self)
    return try TextLoop.slice(arguments, count) { text, row in
      let wanted = Int(lengths[row])
      return 0..<text.offset(of: wanted >= 0 ? wanted : max(0, text.characterCount &+ wanted))
    }
  }

  /// `right(text, n)`: the last *n* characters, or all but the first -*n*.
  package static func right(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let lengths = Operand(arguments[1], Int32.self)
    return try TextLoop.slice(arguments, count) { text, row in
      let wanted = Int(lengths[row])
      let skipped = wanted >= 0 ? max(0, text.characterCount &- wanted) : 0 &- wanted
      return text.offset(of: skipped)..<text.count
    }
  }

  /// Where characters are taken off.
  package enum Side: Sendable { case start, end, both }

  /// `btrim`, `ltrim`, `rtrim`: takes characters of the second argument, or spaces, off the ends.
  package static func trim(_ side: Side) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let sets = arguments.count > 1 ? Operand(arguments[1]) : nil
      let space = Buffer<UInt8>([0x20])
      let isBytes = arguments[0].type == .bytea
      return try TextLoop.slice(arguments, count, isBytes ? .bytea : .text) { text, row in
        let set = sets?.bytes(row) ?? space.bytes(0..<1)
        var lower = 0
        var upper = text.count
        if side != .end {
          while lower < upper {
            let length =
              isBytes ? 1 : min(TextBytes.sequenceLength(text[lower]), upper &- lower)
            guard set.firstRange(of: text.slice(lower..<(lower &+ length))) != nil else { break }
            lower &+= length
          }
        }
        if side != .start {
          while upper > lower {
            var start = upper &- 1
            while !isBytes && start > lower && text[start] & 0xC0 == 0x80 { start &-= 1 }
            guard set.firstRange(of: text.slice(start..<upper)) != nil else { break }
            upper = start
          }
        }
        return lower..<upper
      }
    }
  }

  /// `lpad` and `rpad`: to a number of characters, by cutting the end or repeating the filling.
  ///
  /// - Throws: 54000 for a length past the limit.
  package static func pad(_ side: Side) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let lengths = Operand(arguments[1], Int32.self)
      let fills = arguments.count > 2 ? Operand(arguments[2]) : nil
      let space = Buffer<UInt8>([0x20])
      return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
        let text = texts.bytes(row)
        let wanted = max(0, Int(lengths[row]))
        let fill = fills?.bytes(row) ?? space.bytes(0..<1)
        let have = text.characterCount
        if have >= wanted || fill.count == 0 {
          output.append(text.slice(0..<text.offset(of: wanted)))
          return
        }
        if wanted > TextLoop.byteCountMax / 4 { throw TextLoop.tooLong }
        if side == .end { output.append(text) }
        let width = fill.characterCount
        let missing = wanted &- have
        output.append(fill, times: missing / width)
        output.append(fill.slice(0..<fill.offset(of: missing % width)))
        if side == .start { output.append(text) }
      }
    }
  }

  /// `replace(text, from, to)`.
  ///
  /// - Throws: 54000 for a result past the limit.
  package static func replace(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let sources = Operand(arguments[1])
    let targets = Operand(arguments[2])
    var pace = TextLoop.Pace()
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let source = sources.bytes(row)
      let target = targets.bytes(row)
      var place = 0
      if source.count > 0 {
        while let hit = text.firstRange(of: source, from: place) {
          try pace.step()
          output.append(text.slice(place..<hit))
          output.append(target)
          place = hit &+ source.count
          if output.count > TextLoop.byteCountMax { throw TextLoop.tooLong }
        }
      }
      output.append(text.slice(place..<text.count))
    }
  }

  /// `translate(text, from, to)`: replaces characters one by one, and drops those without a partner.
  package static func translate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let sources = Operand(arguments[1])
    let targets = Operand(arguments[2])
    var pace = TextLoop.Pace()
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let source = sources.bytes(row)
      let target = targets.bytes(row)
      var index = 0
      while index < text.count {
        try pace.step()
        let length = min(TextBytes.sequenceLength(text[index]), text.count &- index)
        let character = text.slice(index..<(index &+ length))
        if let hit = source.firstRange(of: character) {
          let place = source.slice(0..<hit).characterCount
          let start = target.offset(of: place)
          if start < target.count {
            output.append(target.slice(start..<target.offset(of: 1, from: start)))
          }
        } else {
          output.append(character)
        }
        index &+= length
      }
    }
  }

  /// `strpos(text, part)`: the character at which the part begins, from 1; 0 if it does not occur.
  package static func position(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let parts = Operand(arguments[1])
    let isBytes = arguments[0].type == .bytea
    return try TextLoop.compute(arguments, count, .integer) { row -> Int32 in
      let text = texts.bytes(row)
      guard let hit = text.firstRange(of: parts.bytes(row)) else { return 0 }
      let before = isBytes ? hit : text.slice(0..<hit).characterCount
      return Int32(truncatingIfNeeded: before &+ 1)
    }
  }

  /// `starts_with(text, prefix)`, also `^@`.
  package static func startsWith(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let prefixes = Operand(arguments[1])
    return try TextLoop.compute(arguments, count, .boolean) { row -> UInt8 in
      UInt8(truncatingIfNeeded: bit(texts.bytes(row).starts(with: prefixes.bytes(row))))
    }
  }

  /// `text || text`.
  ///
  /// - Throws: 54000 for a result past the limit.
  package static func concatenate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let left = Operand(arguments[0])
    let right = Operand(arguments[1])
    let type: LogicalType = arguments[0].type == .bytea ? .bytea : .text
    return try TextLoop.build(arguments, count, type, inline: { left[$0].joined(right[$0]) }) {
      (row, output) throws(SQLError) in
      if left[row].count &+ right[row].count > TextLoop.byteCountMax { throw TextLoop.tooLong }
      output.append(left.bytes(row))
      output.append(right.bytes(row))
    }
  }

  /// `repeat(text, n)`.
  ///
  /// - Throws: 54000 for a result past the limit.
  package static func `repeat`(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let times = Operand(arguments[1], Int32.self)
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let wanted = max(0, Int(times[row]))
      if text.count &* wanted > TextLoop.byteCountMax { throw TextLoop.tooLong }
      output.append(text, times: wanted)
    }
  }

  /// Texts of no more bytes are not long work.
  private static let shortTextMax = 256

  /// `reverse(text)`, by characters.
  package static func reverse(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    var pace = TextLoop.Pace()
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      var end = text.count
      if text.isASCII && end <= shortTextMax {
        while end > 0 {
          end &-= 1
          output.append(text[end])
        }
        return
      }
      while end > 0 {
        try pace.step()
        var start = end &- 1
        while start > 0 && text[start] & 0xC0 == 0x80 { start &-= 1 }
        output.append(text.slice(start..<end))
        end = start
      }
    }
  }

  /// `split_part(text, delimiter, n)`: the *n*-th field, from the end for negative *n*.
  ///
  /// - Throws: 22023 for field 0.
  package static func splitPart(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let delimiters = Operand(arguments[1])
    let fields = Operand(arguments[2], Int32.self)
    return try TextLoop.slice(arguments, count) { (text, row) throws(SQLError) -> Range<Int> in
      let delimiter = delimiters.bytes(row)
      var wanted = Int(fields[row])
      if wanted == 0 {
        throw SQLError(.invalidParameterValue, "field position must not be zero")
      }
      if text.count == 0 { return 0..<0 }
      if delimiter.count == 0 { return wanted == 1 || wanted == -1 ? 0..<text.count : 0..<0 }
      if wanted < 0 {
        var total = 1
        var place = 0
        while let hit = text.firstRange(of: delimiter, from: place) {
          total &+= 1
          place = hit &+ delimiter.count
        }
        wanted = total &+ wanted &+ 1
        if wanted < 1 { return 0..<0 }
      }
      var start = 0
      while true {
        let end = text.firstRange(of: delimiter, from: start)
        if wanted == 1 { return start..<(end ?? text.count) }
        guard let end else { return 0..<0 }
        wanted &-= 1
        start = end &+ delimiter.count
      }
    }
  }

  /// `overlay(text placing part from start [for length])`.
  ///
  /// - Throws: 22011 for a start before the text, 22003 for an end past all integers.
  package static func overlay(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let parts = Operand(arguments[1])
    let starts = Operand(arguments[2], Int32.self)
    let lengths = arguments.count > 3 ? Operand(arguments[3], Int32.self) : nil
    return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
      let text = texts.bytes(row)
      let part = parts.bytes(row)
      let start = Int(starts[row])
      if start <= 0 { throw SQLError(.substringError, "negative substring length not allowed") }
      let length = lengths.map { Int($0[row]) } ?? part.characterCount
      if Int32(exactly: start &+ length) == nil { throw IntegerArithmetic.overflow(.integer) }
      output.append(text.slice(0..<text.offset(of: start &- 1)))
      output.append(part)
      output.append(text.slice(text.offset(of: max(0, start &- 1 &+ length))..<text.count))
    }
  }
}
