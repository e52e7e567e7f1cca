import Diagnostics
import Testing

@testable import Columnar

/// Kernels over random vectors of every form and length, against what each row by itself gives.
@Suite("Kernels agree with a row at a time")
struct KernelPropertyTests {
  static let context = EvaluationContext(transactionTime: 0, statementTime: 0)
  private static let comparisons: [Comparison] = [
    .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
  ]

  private func truth(_ vector: Vector, _ row: Int) -> Bool? {
    guard vector.isValid(row) else { return nil }
    return vector.values(UInt8.self)[vector.position(row)] != 0
  }

  @Test("comparing, filtering and telling apart", arguments: keyTypes)
  func comparing(_ type: LogicalType) {
    var random = RandomColumns(seed: 21)
    for length in chunkLengths {
      let left = random.column(type, length)
      let right = random.column(type, length)
      let a = left.flattened()
      let b = right.flattened()
      let orders = (0..<length).map { row -> Int? in
        a.validity.isValid(row) && b.validity.isValid(row)
          ? ValueOrder.compare(a, row, b, row) : nil
      }
      for comparison in Self.comparisons {
        let result = Comparisons.compare(comparison, left, right, count: length)
        let wanted: [Bool?] = orders.map { $0.map { comparison.holds($0) } }
        let found: [Bool?] = (0..<length).map { truth(result, $0) }
        #expect(found == wanted)
        let holding: [UInt32] = (0..<length).filter { wanted[$0] == true }.map { UInt32($0) }
        let kept = Filtering.select(comparison, left, right, count: length)
        let keptRows: [UInt32] = kept.positions.array(kept.count)
        #expect(keptRows == holding)
        let thirds: [UInt32] = (0..<length).filter { $0 % 3 == 0 }.map { UInt32($0) }
        let among = Filtering.select(
          comparison, left, right, count: length,
          among: SelectionVector(Buffer(thirds), count: thirds.count))
        let amongRows: [UInt32] = among.positions.array(among.count)
        #expect(amongRows == holding.filter { $0 % 3 == 0 })
      }
      let distinct = Comparisons.distinct(left, right, negated: false, count: length)
      for row in 0..<length {
        let differs = ValueOrder.compareNullable(a, row, b, row) != 0
        #expect(truth(distinct, row) == differs)
      }
    }
  }

  @Test("looking up in a set of constants", arguments: keyTypes)
  func membership(_ type: LogicalType) throws {
    var random = RandomColumns(seed: 22)
    for length in chunkLengths {
      let constants = Vector(type, (0..<5).map { _ in random.value(type) })
      let set = try ConstantSet(constants)
      let column = random.column(type, length)
      let flat = column.flattened()
      let hasNull = (0..<5).contains { !constants.isValid($0) }
      for negated in [false, true] {
        let result = try set.contains(column, negated: negated, count: length)
        for row in 0..<length {
          let isFound = (0..<5).contains {
            constants.isValid($0) && flat.isValid(row)
              && ValueOrder.compare(flat, row, constants, $0) == 0
          }
          let wanted: Bool? =
            !flat.isValid(row) ? nil : isFound ? !negated : hasNull ? nil : negated
          #expect(truth(result, row) == wanted)
        }
      }
    }
  }

  @Test("adding whole numbers, with garbage under NULLs")
  func adding() throws {
    let kernel = IntegerArithmetic.kernel(.add, .integer)
    for length in chunkLengths {
      let values = Buffer<Int32>(repeating: .max, count: max(length, 1))
      var validity = ValidityMask.writable(count: length)
      for row in 0..<length {
        if row % 2 == 0 { values[row] = Int32(row) } else { validity.setNull(row, count: length) }
      }
      let column = Vector(.integer, values, count: length, validity: validity)
      let sum = try kernel([column, column], length, Self.context)
      for row in 0..<length {
        #expect(sum.isValid(row) == (row % 2 == 0))
        if row % 2 == 0 { #expect(sum.values(Int32.self)[row] == Int32(row) * 2) }
      }
    }
    let large = Vector(.integer, [.int32(1), .null, .int32(.max)])
    #expect(throws: SQLError(.numericOutOfRange, "integer out of range")) {
      try kernel([large, large], 3, Self.context)
    }
  }

  @Test("three-valued AND, OR and NOT")
  func logic() {
    let values: [Value] = [.boolean(true), .boolean(false), .null]
    let left = Vector(.boolean, values.flatMap { [$0, $0, $0] })
    let right = Vector(.boolean, values + values + values)
    let and = BooleanLogic.and(left, right, count: 9)
    let or = BooleanLogic.or(left, right, count: 9)
    func all(_ vector: Vector, _ count: Int) -> [Bool?] { (0..<count).map { truth(vector, $0) } }
    let conjunction: [Bool?] = [true, false, nil, false, false, false, nil, false, nil]
    let disjunction: [Bool?] = [true, true, true, true, false, nil, true, nil, nil]
    #expect(all(and, 9) == conjunction)
    #expect(all(or, 9) == disjunction)
    let not = BooleanLogic.not(right, count: 9)
    #expect(all(not, 3) == [false, true, nil])
    let isTrue = BooleanLogic.isBoolean(right, true, negated: false, count: 9)
    #expect(all(isTrue, 3) == [true, false, false])
  }

  @Test("LIKE against a matcher that tries everything")
  func like() throws {
    var random = RandomColumns(seed: 23)
    func naive(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
      guard let first = pattern.first else { return text.isEmpty }
      if first == 0x25 {
        return naive(text, pattern.dropFirst())
          || (!text.isEmpty && naive(text.dropFirst(), pattern))
      }
      guard let head = text.first, first == 0x5F || first == head else { return false }
      return naive(text.dropFirst(), pattern.dropFirst())
    }
    let letters = Array("ab%_".utf8)
    for _ in 0..<3000 {
      let text = (0..<Int(random.generator.next() % 8)).map { _ in
        letters[Int(random.generator.next() % 2)]
      }
      let pattern = (0..<Int(random.generator.next() % 6)).map { _ in
        letters[Int(random.generator.next() % 4)]
      }
      let result = try LikeFunctions.like()(
        [Vector(.text, [.text(text)]), Vector(.text, [.text(pattern)])], 1, Self.context)
      #expect(truth(result, 0) == naive(text[...], pattern[...]), "\(text) LIKE \(pattern)")
    }
  }

  @Test("regular expressions stay linear where backtracking would not")
  func linearTime() throws {
    let text = Vector(.text, [.text(Array(repeating: 0x61, count: 20_000))])
    let pattern = Vector(constant: .string("(a*)*(a|aa)*b"), type: .text, count: 1)
    let result = try RegexFunctions.matches()([text, pattern], 1, Self.context)
    #expect(truth(result, 0) == false)
  }
}
