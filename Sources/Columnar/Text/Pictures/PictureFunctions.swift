package import Diagnostics

/// `to_char`, `to_date`, `to_timestamp` and `to_number`.
package enum PictureFunctions {
  /// `to_char(time, picture)` of timestamp, timestamptz and interval; an empty picture gives NULL.
  ///
  /// - Throws: 22007.
  package static func timeText(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let pictures = Operand(arguments[1])
      let zone = context.style.zone
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
  /// - Throws: 42601, 22003.
  package static func numberText(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      let pictures = Operand(arguments[1])
      let numbers = arguments[0]
      var last: (view: TextView, picture: NumberPicture)?
      return try TextLoop.build(arguments, count) { (row, output) throws(SQLError) in
        let view = pictures[row]
        var picture: NumberPicture
        if let last, last.view == view {
          picture = last.picture
        } else {
          picture = try NumberPicture(pictures.bytes(row))
          last = (view, picture)
        }
        if view.count == 0 { return }
        let position = numbers.position(row)
        switch type.physical {
        case .int32:
          try append(Int64(numbers.values(Int32.self)[position]), is32Bits: true, &picture, &output)
        case .int64:
          try append(numbers.values(Int64.self)[position], is32Bits: false, &picture, &output)
        case .float:
          append(Double(numbers.values(Float.self)[position]), isSingle: true, &picture, &output)
        case .double:
          append(numbers.values(Double.self)[position], isSingle: false, &picture, &output)
        case .bool, .int16, .numeric, .interval, .uuid, .text, .list, .record:
          try append(numbers.numeric(at: position), &picture, &output)
        }
      }
    }
  }

  /// A whole number; with `V` its product must fit its type.
  private static func append(
    _ value: Int64, is32Bits: Bool, _ picture: inout NumberPicture, _ output: inout ByteBuilder
  ) throws(SQLError) {
    let exact = Numeric(coefficient: Int128(value), scale: 0)
    guard picture.isShifted && !picture.isRoman && !picture.isExponent else {
      return try append(exact, &picture, &output)
    }
    var product = value
    for _ in 0..<picture.shift {
      let (next, isTooLarge) = product.multipliedReportingOverflow(by: 10)
      if is32Bits {
        product = Int64(Int32(truncatingIfNeeded: product &* 10))
      } else if isTooLarge {
        throw SQLError(.numericOutOfRange, "bigint out of range")
      } else {
        product = next
      }
    }
    picture.before += picture.shift
    picture.isShifted = false
    picture.append(
      NumberDigits(Numeric(coefficient: Int128(product), scale: 0), &picture), to: &output)
  }

  private static func append(
    _ value: Double, isSingle: Bool, _ picture: inout NumberPicture, _ output: inout ByteBuilder
  ) {
    if picture.isRoman {
      let whole = value.rounded(.toNearestOrEven)
      picture.append(roman: NumberDigits.roman(Int32(exactly: whole) ?? .min), to: &output)
    } else if picture.isExponent {
      let text = NumberDigits.scientific(value, places: picture.behind, before: picture.before)
      for byte in text { output.append(byte) }
    } else {
      let digits = NumberDigits(
        value, significant: isSingle ? 6 : 15, isSingle: isSingle, &picture)
      picture.append(digits, to: &output)
    }
  }

  private static func append(
    _ value: Numeric, _ picture: inout NumberPicture, _ output: inout ByteBuilder
  ) throws(SQLError) {
    if picture.isRoman {
      let number = try Numeric.round(value, places: 0).int32()
      picture.append(roman: NumberDigits.roman(number), to: &output)
    } else if picture.isExponent {
      let text = NumberDigits.scientific(value, places: picture.behind, before: picture.before)
      for byte in text { output.append(byte) }
    } else {
      picture.append(NumberDigits(value, &picture), to: &output)
    }
  }

  /// `to_date(text, picture)` and `to_timestamp(text, picture)`.
  ///
  /// - Throws: 22007, 22008, 22009, 0A000.
  package static func read(_ type: LogicalType) -> ScalarKernel {
    { (arguments: [Vector], count: Int, context: EvaluationContext) throws(SQLError) -> Vector in
      let texts = Operand(arguments[0])
      let pictures = Operand(arguments[1])
      let zone = context.style.zone
      func moment(_ row: Int) throws(SQLError) -> DatePictureReader.Moment {
        var reader = DatePictureReader(texts.bytes(row))
        try reader.read(DatePiece.parse(pictures.bytes(row)))
        return try reader.moment()
      }
      if type == .date {
        return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int32 in
          let day = try moment(row).day
          guard let narrow = Int32(exactly: day), Calendar.dateRange.contains(narrow) else {
            throw SQLError(
              .datetimeOverflow, "date out of range: \"\(texts.bytes(row).string)\"")
          }
          return narrow
        }
      }
      return try TextLoop.compute(arguments, count, type) { (row) throws(SQLError) -> Int64 in
        let moment = try moment(row)
        let (start, isTooLarge) = Int64(moment.day).multipliedReportingOverflow(
          by: Calendar.microsecondsPerDay)
        let (local, overflow) = start.addingReportingOverflow(moment.time)
        if isTooLarge || overflow { throw TemporalArithmetic.timestampOutOfRange }
        let offset = moment.offset ?? zone.offset(wall: TimeZoneRules.unixSeconds(local))
        let (result, isPast) = local.subtractingReportingOverflow(Int64(offset) * 1_000_000)
        return try TemporalArithmetic.checked(timestamp: result, isPast)
      }
    }
  }

  /// `to_number(text, picture)`; an empty picture gives NULL.
  ///
  /// - Throws: 42601, 22P02, 22003, 0A000.
  package static func number(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(.numeric, count: count) }
    let texts = Operand(arguments[0])
    let pictures = Operand(arguments[1])
    var validity = RowLoop.validity(arguments, count).copy(count: count)
    let result = Buffer<Numeric>(zeroed: count)
    for row in 0..<count where validity.isValid(row) {
      let picture = pictures.bytes(row)
      if picture.count == 0 {
        validity.setNull(row, count: count)
      } else {
        result[row] = try NumberPicture(picture).read(texts.bytes(row))
      }
    }
    return Vector(.numeric, result, count: count, validity: validity)
  }
}
