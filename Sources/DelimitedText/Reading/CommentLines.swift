import Columnar

/// The lines at the beginning of a file that begin with `#`, and are no records.
///
/// One such line alone, or one behind lines that begin with `##`, is the header where it is cut into as many fields as what
/// follows.
struct CommentLines {
  /// Where they end.
  let end: Int
  let count: Int
  /// Whether others may stand between records.
  var areUsual: Bool { count > 1 }

  init(_ block: TextBlock, from start: Int, _ delimiters: [UInt8]) {
    var starts: [Int] = []
    var place = start
    while place < block.count, block.bytes[place] == UInt8(ascii: "#") {
      starts.append(place)
      while place < block.count, ![.newline, .carriageReturn].contains(block.bytes[place]) {
        place += 1
      }
      while place < block.count, [.newline, .carriageReturn].contains(block.bytes[place]) {
        place += 1
      }
    }
    guard let last = starts.last, place < block.count else {
      (end, count) = (start, 0)
      return
    }
    let isMarked = starts.dropLast().allSatisfy { block.bytes[$0 + 1] == UInt8(ascii: "#") }
    let isHeader =
      isMarked
      && delimiters.contains { delimiter in
        let widths = [last, place].map {
          SampleSplit(block, from: $0, delimiter: delimiter, limit: 1).records.first?.count ?? 0
        }
        return widths[0] > 1 && widths[0] == widths[1]
      }
    end = isHeader ? last : place
    count = starts.count - (isHeader ? 1 : 0)
  }
}
