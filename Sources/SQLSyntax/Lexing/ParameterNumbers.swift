/// A text whose parameters `$1`, `$2`, … have numbers higher by `offset`; what looks like one within strings, names and comments stays.
///
/// - Complexity: O(*n*).
package func raisingParameterNumbers(in text: String, by offset: Int) -> String {
  let bytes = Array(text.utf8)
  if offset == 0 || !bytes.contains(ASCII.dollar) { return text }
  var lexer = Lexer(bytes)
  lexer.run()
  var result: [UInt8] = []
  var copied = 0
  for token in lexer.tokens where token.kind == .dollarNumber {
    let digits = String(decoding: bytes[Int(token.start + 1)..<Int(token.end)], as: UTF8.self)
    // A number too large is left to the parser, which says so.
    guard let number = Int(digits), number < Int(Int32.max) - offset else { continue }
    result += bytes[copied..<Int(token.start)]
    result += Array("$\(number + offset)".utf8)
    copied = Int(token.end)
  }
  result += bytes[copied...]
  return String(decoding: result, as: UTF8.self)
}
