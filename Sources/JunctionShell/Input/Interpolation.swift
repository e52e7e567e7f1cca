/// Puts variables into a statement, outside of its quotes and comments.
enum Interpolation {
  /// The statement with `:name`, `:'name'` and `:"name"` replaced, where such a variable is set.
  static func expand(_ text: String, _ variables: VariableTable) -> String {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return text }
    var result = ""
    var pieces = TextPieces(text)
    func place(_ offset: Int) -> String.Index {
      text.utf8.index(text.utf8.startIndex, offsetBy: offset)
    }
    while let piece = pieces.next() {
      let start = piece.range.lowerBound
      let isColon = piece.kind == .mark && pieces.bytes[start] == UInt8(ascii: ":")
      if isColon, start + 1 < pieces.bytes.count, pieces.bytes[start + 1] == UInt8(ascii: ":") {
        result += "::"
        pieces.index = start + 2
      } else if isColon, let (value, rest) = variables.expansion(at: text[place(start)...]) {
        result += value
        pieces.index = pieces.bytes.count - rest.utf8.count
      } else {
        result += text[place(start)..<place(piece.range.upperBound)]
      }
    }
    return result
  }
}
