import Diagnostics
import Testing

@testable import Columnar

/// Texts of up to 12 bytes are taken apart and put together without memory of their own; longer ones, and other scripts, are not.
@Suite("Functions of short texts")
struct ShortTextTests {
  private static let context = EvaluationContext(transactionTime: 0, statementTime: 0)

  private func strings(_ vector: Vector, _ count: Int) -> [String] {
    withExtendedLifetime(vector) {
      let texts = Operand(vector)
      return (0..<count).map { texts.bytes($0).string }
    }
  }

  @Test("give what the characters of the texts give", arguments: 1...3)
  func agreement(_ seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let letters: [Unicode.Scalar] = ["a", "Z", "m", "[", "@", "{", "`", "0", " ", "é", "日", "😀"]
    let known = 8 + Int(seed % 2) * 4
    func text() -> String {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int(random.next() % 16) {
        text.append(letters[Int(random.next() % UInt64(known))])
      }
      return String(text)
    }
    let count = 1_000
    let left = (0..<count).map { _ in text() }
    let right = (0..<count).map { _ in text() }
    let numbers = (0..<count).map { _ in Int32(random.next() % 19) - 2 }
    let texts = Vector(.text, left.map { .string($0) })
    let others = Vector(.text, right.map { .string($0) })
    let lengths = Vector(.integer, numbers.map { .int32($0) })
    func taken(_ row: Int, fromEnd: Bool) -> String {
      let scalars = left[row].unicodeScalars
      let wanted = Int(numbers[row])
      let kept = wanted >= 0 ? wanted : max(0, scalars.count + wanted)
      return String(String.UnicodeScalarView(fromEnd ? scalars.suffix(kept) : scalars.prefix(kept)))
    }
    func folded(_ text: String, _ map: (Unicode.Scalar) -> Unicode.Scalar) -> String {
      String(String.UnicodeScalarView(text.unicodeScalars.map(map)))
    }
    let rows = 0..<count
    let calls: [(ScalarKernel, [Vector], [String])] = [
      (TextFunctions.left, [texts, lengths], rows.map { taken($0, fromEnd: false) }),
      (TextFunctions.right, [texts, lengths], rows.map { taken($0, fromEnd: true) }),
      (TextFunctions.concatenate, [texts, others], rows.map { left[$0] + right[$0] }),
      (
        TextFunctions.lower, [texts],
        left.map { folded($0) { $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 } }
      ),
      (
        TextFunctions.upper, [texts],
        left.map { folded($0) { $0.properties.uppercaseMapping.unicodeScalars.first ?? $0 } }
      ),
      (
        TextFunctions.substring,
        [
          texts, Vector(constant: .int32(3), type: .integer, count: count),
          Vector(constant: .int32(9), type: .integer, count: count),
        ],
        left.map { String(String.UnicodeScalarView($0.unicodeScalars.dropFirst(2).prefix(9))) }
      ),
    ]
    for (kernel, arguments, wanted) in calls {
      let found = try kernel(arguments, count, Self.context)
      #expect(strings(found, count) == wanted)
    }
    let counted = try TextFunctions.length([texts], count, Self.context)
    #expect(rows.map { Int(counted.values(Int32.self)[$0]) } == left.map(\.unicodeScalars.count))
  }
}
