package import SimulatedDisk

extension SimulationRandom {
  package mutating func pick<T>(_ list: [T]) -> T { list[below(list.count)] }

  /// A number of a range.
  package mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.upperBound - range.lowerBound + 1)
  }

  /// Some members of a list, in an order of their own.
  package mutating func sample<T>(_ list: [T], _ count: Int) -> [T] {
    Array(list.shuffled(using: &self).prefix(max(count, 0)))
  }
}
