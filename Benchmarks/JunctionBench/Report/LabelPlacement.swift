/// Places for labels that would cover one another where they belong.
enum LabelPlacement {
  /// Moves labels beside the ends of lines apart, each as little as its neighbours allow.
  ///
  /// Labels that would touch form a block with its centre where theirs was, and blocks that come to touch are joined.
  ///
  /// - Returns: places in the order given, at least `gap` apart and within the bounds; evenly over the bounds where
  ///   there are too many for that.
  static func spread(
    _ places: [Double], gap: Double, within bounds: ClosedRange<Double>
  ) -> [Double] {
    let room = bounds.upperBound - bounds.lowerBound
    let gap = places.count > 1 ? min(gap, room / Double(places.count - 1)) : gap
    let order = places.indices.sorted { (places[$0], $0) < (places[$1], $1) }
    // A block's labels stand at its start, at its start and one gap, and so on.
    var blocks: [(start: Double, count: Int)] = []
    func clamped(_ start: Double, _ count: Int) -> Double {
      max(bounds.lowerBound, min(start, bounds.upperBound - gap * Double(count - 1)))
    }
    for index in order {
      var block = (start: clamped(places[index], 1), count: 1)
      while let last = blocks.last, last.start + gap * Double(last.count) > block.start {
        blocks.removeLast()
        let count = last.count + block.count
        // The mean of where each of them would have the block start.
        let wanted =
          Double(last.count) * last.start
          + Double(block.count) * (block.start - gap * Double(last.count))
        block = (clamped(wanted / Double(count), count), count)
      }
      blocks.append(block)
    }
    var spread = places
    var rest = order[...]
    for block in blocks {
      for number in 0..<block.count {
        if let index = rest.popFirst() { spread[index] = block.start + gap * Double(number) }
      }
    }
    return spread
  }

  /// The labels along an axis that can be shown: the first of all, and each that stands clear of the one shown before.
  ///
  /// - Parameters:
  ///   - places: the middles of the labels, rising.
  ///   - widths: their widths, in the same unit.
  ///   - gap: what is to be free between two.
  /// - Returns: the positions of those to show.
  static func visible(_ places: [Double], widths: [Double], gap: Double) -> [Int] {
    var shown: [Int] = []
    var end = -Double.infinity
    for index in places.indices where places[index] - widths[index] / 2 >= end + gap {
      shown.append(index)
      end = places[index] + widths[index] / 2
    }
    return shown
  }
}
