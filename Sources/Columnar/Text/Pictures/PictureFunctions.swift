package import Diagnostics

/// `to_char`, `to_date`, `to_timestamp` and `to_number`.
package enum PictureFunctions {
  /// `to_char(time, picture)` of timestamp, timestamptz and interval; an empty picture gives NULL.
  ///
  /// - Throws: 22007.
  package static func timeText(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let pictures = Operand(arguments[1])
      let zone = TimeZoneRules.named(context.timeZone) ?? .utc
      let times = type == .interval ? nil : Operand(arguments[0], Int64.self)
      let spans = type == .interval ? Operand(arguments[0], Interval.self) : nil
      var last: (picture: TextView, pieces: [DatePiece])?
      return try JSONFunctions.optional(arguments, count, .text) {
        (row, output) throws(SQLError) -> Bool in
        let picture = pictures[row]
        if picture.count == 0 { return false }
        let pieces: [DatePiece]
        if let last, last.picture == picture {
          pieces = last.pieces
        } else {
          pieces = DatePiece.parse(pictures.bytes(row))
          last = (picture, pieces)
        }
        var parts = DateParts(spans?[row] ?? Interval())
        if let times {
          let time = times[row]
          guard Calendar.isFinite(timestamp: time) else { return false }
          parts = DateParts(local: type == .timestamptz ? zone.local(time) : time)
          if type == .timestamptz {
            let seconds = TimeZoneRules.unixSeconds(time)
            parts.offset = zone.offset(at: seconds)
            parts.zone = zone.abbreviation(at: seconds)
          }
        }
        for piece in pieces { try piece.append(parts, to: &output) }
        return true
      }
    }
  }

  /// `to_char(number, picture)` of every type of number.
  ///
  /// - Throws: 22003.
  package static func numberText(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let pictures = Operand(arguments[1])
      let numbers = arguments[0]
      var last: (view: TextView, picture: NumberPicture)?
      return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
        let view = pictures[row]
        let picture: NumberPicture
        if let last, last.view == view {
          picture = last.picture
        } else {
          picture = try NumberPicture(pictures.bytes(row))
          last = (view, picture)
        }
        let position = numbers.position(row)
        let value: Numeric
        switch type.physical {
        case .int32: value = Numeric(numbers.values(Int32.self)[position])
        case .int64: value = Numeric(numbers.values(Int64.self)[position])
        case .float: value = try Numeric(numbers.values(Float.self)[position])
        case .double: value = try Numeric(numbers.values(Double.self)[position])
        default: value = numbers.numeric(at: position)
        }
        try picture.append(value, to: &output)
      }
    }
  }

  /// `to_date(text, picture)` and `to_timestamp(text, picture)`.
  ///
  /// - Throws: 22007, 22008.
  package static func read(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let pictures = Operand(arguments[1])
      let zone = TimeZoneRules.named(context.timeZone) ?? .utc
      if type == .date {
        return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int32 in
          var reader = DatePictureReader(texts.bytes(row))
          try reader.read(DatePiece.parse(pictures.bytes(row)))
          return try TemporalArithmetic.checked(Int64(try reader.days()))
        }
      }
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        var reader = DatePictureReader(texts.bytes(row))
        try reader.read(DatePiece.parse(pictures.bytes(row)))
        let date = try TemporalArithmetic.checked(Int64(try reader.days()))
        let local = try TemporalArithmetic.midnight(date) + (try reader.time())
        if let offset = reader.offset { return local - Int64(offset) * 1_000_000 }
        return zone.universal(local)
      }
    }
  }

  /// `to_number(text, picture)`: the digits, sign and point of the text, whatever stands between.
  ///
  /// - Throws: 22P02.
  package static func number(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let pictures = Operand(arguments[1])
    var digits = ByteBuilder()
    return try TextLoop.compute(arguments, count, .numeric) { (row) throws(SQLError) -> Numeric in
      let text = texts.bytes(row)
      let picture = try NumberPicture(pictures.bytes(row))
      digits.removeAll()
      var isNegative = false
      var behind: Int?
      for index in 0..<text.count {
        let byte = text[index]
        switch byte {
        case 0x2D, 0x3C: isNegative = true
        case 0x2E where behind == nil:
          if picture.behind == 0 { break }
          behind = 0
          digits.append(byte)
        case 0x30...0x39:
          if let places = behind {
            if places >= picture.behind { continue }
            behind = places + 1
          }
          digits.append(byte)
        default: break
        }
      }
      if digits.count == 0 {
        throw SQLError(
          .invalidTextRepresentation, "invalid input syntax for type numeric: \"\(text.string)\"")
      }
      let value = try Numeric.parse(digits.bytes)
      return isNegative ? Numeric.negate(value) : value
    }
  }
}
