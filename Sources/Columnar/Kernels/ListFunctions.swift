package import Diagnostics

/// The functions of arrays.
///
/// Arrays have one dimension, whose subscripts start at 1.
package enum ListFunctions {
  /// What is asked about the shape of an array.
  package enum Measure: Sendable { case length, cardinality, lower, upper, dimensions }

  /// `array_length`, `cardinality`, `array_lower`, `array_upper`, `array_ndims`.
  package static func measure(_ measure: Measure) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(.integer, count: count) }
      var validity = RowLoop.validity(arguments, count).copy(count: count)
      let slices = Operand(arguments[0], ListSlice.self)
      let dimensions = arguments.count > 1 ? Operand(arguments[1], Int32.self) : nil
      let result = Buffer<Int32>(zeroed: count)
      for row in 0..<count where validity.isValid(row) {
        let length = Int32(truncatingIfNeeded: slices[row].count)
        let isOther = dimensions.map { $0[row] != 1 } ?? false
        if measure != .cardinality && (length == 0 || isOther) {
          validity.setNull(row, count: count)
        }
        switch measure {
        case .length, .cardinality, .upper: result[row] = length
        case .lower, .dimensions: result[row] = 1
        }
      }
      return Vector(.integer, result, count: count, validity: validity)
    }
  }

  /// `array_dims`: `[1:n]`.
  package static func dimensionText(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let slices = Operand(arguments[0], ListSlice.self)
    var validity = RowLoop.spread(arguments[0], count).copy(count: count)
    for row in 0..<count where validity.isValid(row) && slices[row].count == 0 {
      validity.setNull(row, count: count)
    }
    return try TextLoop.build(count, .text, validity) { row, output in
      output.append("[1:")
      output.append(integer: Int64(slices[row].count))
      output.append("]")
    }
  }

  private static func element(of arguments: [Vector]) -> LogicalType {
    for argument in arguments {
      if let element = argument.type.element { return element }
    }
    return .unknown
  }

  /// `array_append(array, element)`; a NULL array counts as empty.
  package static func append(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try join(arguments[0], isFirstList: true, arguments[1], isSecondList: false, count)
  }

  /// `array_prepend(element, array)`; a NULL array counts as empty.
  package static func prepend(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try join(arguments[0], isFirstList: false, arguments[1], isSecondList: true, count)
  }

  /// `array_cat(array, array)`; NULL only where both are.
  package static func concatenate(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    try join(arguments[0], isFirstList: true, arguments[1], isSecondList: true, count)
  }

  private static func join(
    _ first: Vector, isFirstList: Bool, _ second: Vector, isSecondList: Bool, _ count: Int
  ) throws(SQLError) -> Vector {
    let sides = [(first.flattened(), isFirstList), (second.flattened(), isSecondList)]
    let element = element(of: sides.filter { $0.1 }.map { $0.0 })
    var assembly = ListAssembly(
      sides.map { $0.1 ? $0.0.children[0] : $0.0 }, element: element, count: count)
    var validity = ValidityMask.allValid
    for row in 0..<count {
      var isPresent = false
      for (index, (side, isList)) in sides.enumerated() {
        let isValid = side.validity.isValid(row)
        if !isList {
          assembly.add(index, row)
          isPresent = true
        } else if isValid {
          assembly.add(index, side.values(ListSlice.self)[row])
          isPresent = true
        }
      }
      if !isPresent { validity.setNull(row, count: count) }
      if row & 7 == 0 { try assembly.check() }
      assembly.end(row)
    }
    return try assembly.finish(count: count, validity: validity)
  }

  /// `array_remove(array, element)` and `array_replace(array, from, to)`; NULL equals NULL.
  package static func replace(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let lists = arguments[0].flattened()
    let wanted = arguments[1].flattened()
    let substitute = arguments.count > 2 ? arguments[2].flattened() : nil
    let elements = lists.children[0]
    let slices = lists.values(ListSlice.self)
    var assembly = ListAssembly(
      [elements] + (substitute.map { [$0] } ?? []), element: elements.type, count: count)
    for row in 0..<count where lists.validity.isValid(row) {
      let slice = slices[row]
      for index in 0..<Int(slice.count) {
        let position = Int(slice.offset) &+ index
        if ValueOrder.compareNullable(elements, position, wanted, row) != 0 {
          assembly.add(0, position)
        } else if substitute != nil {
          assembly.add(1, row)
        }
      }
      assembly.end(row)
    }
    return try assembly.finish(count: count, validity: lists.validity)
  }

  /// `array_position(array, element [, start])`: the first subscript at which the element stands.
  ///
  /// - Throws: 22004 for a start that is NULL.
  package static func position(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let lists = arguments[0].flattened()
    let wanted = arguments[1].flattened()
    let starts = arguments.count > 2 ? Operand(arguments[2], Int32.self) : nil
    let elements = lists.children[0]
    let slices = lists.values(ListSlice.self)
    let result = Buffer<Int32>(zeroed: count)
    var validity = lists.validity.copy(count: count)
    let hasStart = arguments.count > 2 ? RowLoop.spread(arguments[2], count) : .allValid
    for row in 0..<count where validity.isValid(row) {
      guard hasStart.isValid(row) else {
        throw SQLError(.nullNotAllowed, "initial position must not be null")
      }
      let slice = slices[row]
      var index = max(0, Int(starts?[row] ?? 1) &- 1)
      while index < Int(slice.count)
        && ValueOrder.compareNullable(elements, Int(slice.offset) &+ index, wanted, row) != 0
      {
        index &+= 1
      }
      if index < Int(slice.count) {
        result[row] = Int32(truncatingIfNeeded: index &+ 1)
      } else {
        validity.setNull(row, count: count)
      }
    }
    return Vector(.integer, result, count: count, validity: validity)
  }

  /// `array_positions(array, element)`: every subscript at which the element stands.
  package static func positions(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let lists = arguments[0].flattened()
    let wanted = arguments[1].flattened()
    let elements = lists.children[0]
    let slices = lists.values(ListSlice.self)
    var builder = VectorBuilder(.array(.integer), capacity: count)
    for row in 0..<count {
      guard lists.validity.isValid(row) else {
        builder.appendNull()
        continue
      }
      let slice = slices[row]
      var found: [Value] = []
      for index in 0..<Int(slice.count)
      where ValueOrder.compareNullable(elements, Int(slice.offset) &+ index, wanted, row) == 0 {
        found.append(.int32(Int32(truncatingIfNeeded: index &+ 1)))
      }
      builder.append(.list(found))
    }
    return builder.finish()
  }

  /// How two arrays are compared as sets.
  package enum SetComparison: Sendable { case contains, containedBy, overlaps }

  /// `@>`, `<@` and `&&`; a NULL element matches nothing.
  package static func compareSets(_ comparison: SetComparison) -> ScalarKernel {
    { (arguments: [Vector], count: Int, _: EvaluationContext) throws(SQLError) -> Vector in
      if RowLoop.isNull(arguments) { return .null(.boolean, count: count) }
      let isSwapped = comparison == .containedBy
      let large = arguments[isSwapped ? 1 : 0].flattened()
      let small = arguments[isSwapped ? 0 : 1].flattened()
      return try TextLoop.compute([large, small], count, .boolean) { row -> UInt8 in
        let whole = large.values(ListSlice.self)[row]
        let part = small.values(ListSlice.self)[row]
        for index in 0..<Int(part.count) {
          let found = holds(
            large.children[0], whole, small.children[0], Int(part.offset) &+ index)
          if found != (comparison != .overlaps) { return comparison == .overlaps ? 1 : 0 }
        }
        return comparison == .overlaps ? 0 : 1
      }
    }
  }

  private static func holds(
    _ elements: Vector, _ slice: ListSlice, _ wanted: Vector, _ place: Int
  ) -> Bool {
    guard wanted.validity.isValid(place) else { return false }
    for index in 0..<Int(slice.count) {
      let position = Int(slice.offset) &+ index
      if elements.validity.isValid(position)
        && ValueOrder.compare(elements, position, wanted, place) == 0
      {
        return true
      }
    }
    return false
  }

  /// `trim_array(array, n)`: without the last *n* elements.
  ///
  /// - Throws: 2202E for an *n* outside the array.
  package static func trim(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    if RowLoop.isNull(arguments) { return .null(arguments[0].type, count: count) }
    let lists = arguments[0].flattened()
    let lengths = Operand(arguments[1], Int32.self)
    let validity = RowLoop.validity(arguments, count)
    let source = lists.values(ListSlice.self)
    let slices = Buffer<ListSlice>(zeroed: count)
    for row in 0..<count where validity.isValid(row) {
      let slice = source[row]
      guard lengths[row] >= 0 && Int(lengths[row]) <= Int(slice.count) else {
        throw SQLError(
          .arraySubscriptError,
          "number of elements to trim must be between 0 and \(slice.count)")
      }
      slices[row] = ListSlice(
        offset: slice.offset, count: slice.count &- UInt32(lengths[row]))
    }
    return Vector(
      type: lists.type, count: count, storage: slices.block, validity: validity,
      children: lists.children, heaps: lists.heaps)
  }

  /// `array_fill(element, ARRAY[length])`.
  ///
  /// - Throws: 54000 for an array past the limit, 22004 for a length that is NULL.
  package static func fill(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let values = arguments[0].flattened()
    let shapes = arguments[1].flattened()
    var assembly = ListAssembly([values], element: values.type, count: count)
    let slices = shapes.values(ListSlice.self)
    let lengths = shapes.children[0].values(Int32.self)
    for row in 0..<count {
      guard shapes.validity.isValid(row) else {
        throw SQLError(
          .nullNotAllowed, "dimension array or low bound array cannot be null")
      }
      let slice = slices[row]
      if slice.count > 1 { throw .unsupported("an array of several dimensions") }
      if slice.count == 1, !shapes.children[0].validity.isValid(Int(slice.offset)) {
        throw SQLError(.nullNotAllowed, "dimension values cannot be null")
      }
      let length = slice.count == 0 ? 0 : Int(lengths[slice.offset])
      if length > 1 << 26 || length < 0 {
        throw SQLError(
          .programLimitExceeded, "array size exceeds the maximum allowed (67108864)")
      }
      try (0..<length).inSlices { slice in
        for _ in slice { assembly.add(0, row) }
      }
      if row & 7 == 0 || length > 1 << 12 { try assembly.check() }
      assembly.end(row)
    }
    return try assembly.finish(count: count, validity: shapes.validity)
  }

  /// `string_to_array(text, delimiter [, null])`, pieces of each row.
  package static func split(
    _ arguments: [Vector], _ count: Int, _: EvaluationContext
  ) throws(SQLError) -> Vector {
    let texts = Operand(arguments[0])
    let present = RowLoop.spread(arguments[0], count)
    let delimiters = Operand(arguments[1])
    let hasDelimiter = RowLoop.spread(arguments[1], count)
    let nulls = arguments.count > 2 ? Operand(arguments[2]) : nil
    let hasNull = arguments.count > 2 ? RowLoop.spread(arguments[2], count) : .allValid
    var pieces = VectorBuilder(.text, capacity: count)
    let slices = Buffer<ListSlice>(zeroed: count)
    for row in 0..<count where present.isValid(row) {
      let start = pieces.count
      let null = hasNull.isValid(row) ? nulls?.bytes(row) : nil
      let delimiter = hasDelimiter.isValid(row) ? delimiters.bytes(row) : nil
      if row & 63 == 0 { try RunningStatement.check() }
      forEachPiece(texts.bytes(row), delimiter) { piece in
        if pieces.count & 0xFFFF == 0 && RunningStatement.isInterrupted { return }
        if let null, null == piece { pieces.appendNull() } else { pieces.append(piece) }
      }
      slices[row] = ListSlice(offset: UInt32(start), count: UInt32(pieces.count - start))
    }
    return Vector(slices, of: pieces.finish(), count: count, validity: present)
  }

  /// Calls `body` with each piece: each character without a delimiter, the whole for an empty one.
  static func forEachPiece(
    _ text: TextBytes, _ delimiter: TextBytes?, _ body: (TextBytes) -> Void
  ) {
    if text.count == 0 { return }
    guard let delimiter else {
      var index = 0
      while index < text.count {
        let end = text.offset(of: 1, from: index)
        body(text.slice(index..<end))
        index = end
      }
      return
    }
    if delimiter.count == 0 {
      body(text)
      return
    }
    var start = 0
    while let hit = text.firstRange(of: delimiter, from: start) {
      body(text.slice(start..<hit))
      start = hit &+ delimiter.count
    }
    body(text.slice(start..<text.count))
  }
}
