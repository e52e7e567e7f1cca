import Diagnostics

/// The loops of which kernels are made: one for each mix of flat and constant operands.
///
/// The bodies are literal closures that the compiler inlines into a loop for the concrete types; nothing
/// is called per row. Functions that cannot fail compute every row, garbage under NULLs included; those
/// that can fail, and all that follow addresses (texts, arrays), compute only rows that are present.
enum RowLoop {
  /// Which rows of a strict function's result are present.
  static func validity(_ arguments: [Vector], _ count: Int) -> ValidityMask {
    var result = ValidityMask.allValid
    for argument in arguments { result = .both(result, spread(argument, count), count: count) }
    return result
  }

  /// The validity of one operand, row by row even if it is constant.
  static func spread(_ vector: Vector, _ count: Int) -> ValidityMask {
    if vector.validity.isAllValid { return .allValid }
    if vector.form != .constant { return vector.validity }
    return vector.validity.isValid(0) ? .allValid : .noneValid(count: count)
  }

  /// Whether every row is NULL because a constant operand is.
  static func isNull(_ arguments: [Vector]) -> Bool {
    for argument in arguments where argument.isConstantNull { return true }
    return false
  }

  /// Computes every row of a function of one argument that cannot fail.
  @inline(__always)
  static func map<A: BitwiseCopyable, R: BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ a: A.Type,
    _ body: (A) -> R
  ) -> Vector {
    let argument = arguments[0]
    let rows = argument.form == .constant ? min(count, 1) : count
    let result = Buffer<R>(uninitialized: rows)
    let values = argument.values(a)
    for row in 0..<rows { result[row] = body(values[row]) }
    return finish(type, result, argument, rows, count)
  }

  /// Computes the rows that are present of a function of one argument.
  @inline(__always)
  static func mapValid<A: BitwiseCopyable, R: BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ a: A.Type,
    _ body: (A) throws(SQLError) -> R
  ) throws(SQLError) -> Vector {
    let argument = arguments[0]
    let rows = argument.form == .constant ? min(count, 1) : count
    let result = Buffer<R>(zeroed: rows)
    let values = argument.values(a)
    let validity = argument.validity
    if validity.isAllValid {
      for row in 0..<rows { result[row] = try body(values[row]) }
    } else {
      for row in 0..<rows where validity.isValid(row) { result[row] = try body(values[row]) }
    }
    return finish(type, result, argument, rows, count)
  }

  private static func finish<R: BitwiseCopyable>(
    _ type: LogicalType, _ result: Buffer<R>, _ argument: Vector, _ rows: Int, _ count: Int
  ) -> Vector {
    Vector(
      type: type, count: count, form: argument.form == .constant ? .constant : .flat,
      storage: result.block, validity: argument.validity)
  }

  /// Computes every row of a function of two arguments that cannot fail.
  @inline(__always)
  static func map<A: BitwiseCopyable, B: BitwiseCopyable, R: BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ a: A.Type, _ b: B.Type,
    _ body: (A, B) -> R
  ) -> Vector {
    let left = arguments[0]
    let right = arguments[1]
    if isNull(arguments) { return .null(type, count: count) }
    let result = Buffer<R>(uninitialized: count)
    let x = left.values(a)
    let y = right.values(b)
    if count > 0 {
      switch (left.form, right.form) {
      case (.constant, .constant): result.fill(0..<count, with: body(x[0], y[0]))
      case (.constant, _):
        let constant = x[0]
        for row in 0..<count { result[row] = body(constant, y[row]) }
      case (_, .constant):
        let constant = y[0]
        for row in 0..<count { result[row] = body(x[row], constant) }
      case (.flat, _), (.indirect, _):
        for row in 0..<count { result[row] = body(x[row], y[row]) }
      }
    }
    return Vector(type, result, count: count, validity: validity(arguments, count))
  }

  /// Computes the rows that are present of a function of two arguments.
  @inline(__always)
  static func mapValid<A: BitwiseCopyable, B: BitwiseCopyable, R: BitwiseCopyable>(
    _ arguments: [Vector], _ count: Int, _ type: LogicalType, _ a: A.Type, _ b: B.Type,
    _ body: (A, B) throws(SQLError) -> R
  ) throws(SQLError) -> Vector {
    if isNull(arguments) { return .null(type, count: count) }
    let result = Buffer<R>(zeroed: count)
    let validity = validity(arguments, count)
    let x = arguments[0].values(a)
    let y = arguments[1].values(b)
    let maskX = arguments[0].form == .constant ? 0 : -1
    let maskY = arguments[1].form == .constant ? 0 : -1
    if validity.isAllValid {
      for row in 0..<count { result[row] = try body(x[row & maskX], y[row & maskY]) }
    } else {
      for row in 0..<count where validity.isValid(row) {
        result[row] = try body(x[row & maskX], y[row & maskY])
      }
    }
    return Vector(type, result, count: count, validity: validity)
  }

  /// Calls `body` with the number of each row of which every argument is present.
  @inline(__always)
  static func forEachValid(
    _ validity: ValidityMask, _ count: Int, _ body: (Int) throws(SQLError) -> Void
  ) throws(SQLError) {
    if validity.isAllValid {
      for row in 0..<count { try body(row) }
    } else {
      for row in 0..<count where validity.isValid(row) { try body(row) }
    }
  }
}

/// An operand read by row, whether it is flat or constant.
struct Operand<Element: BitwiseCopyable> {
  let values: Buffer<Element>
  private let mask: Int

  init(_ vector: Vector, _ type: Element.Type) {
    values = vector.values(type)
    mask = vector.form == .constant ? 0 : -1
  }

  @inline(__always)
  subscript(row: Int) -> Element { values[row & mask] }

  /// The position of a row.
  @inline(__always)
  func position(_ row: Int) -> Int { row & mask }
}

extension Operand where Element == TextView {
  init(_ vector: Vector) { self.init(vector, TextView.self) }

  /// The bytes of the text at `row`.
  @inline(__always)
  func bytes(_ row: Int) -> TextBytes { values.bytes(at: position(row)) }
}
