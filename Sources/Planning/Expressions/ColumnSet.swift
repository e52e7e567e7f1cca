/// Some columns of a statement, as bits.
///
/// Rules ask at every operator which columns come from where. Identities are numbers without wide gaps, and those of one table
/// stand together, so a set of a table's columns mostly is one word, and to compare or unite two sets takes a few instructions.
package struct ColumnSet: Sendable {
  /// The number of the word in `head`; those in `tail` follow it.
  private var base = 0
  private var head: UInt64 = 0
  private var tail: [UInt64] = []

  package init() {}

  @inlinable package init(_ columns: some Sequence<ColumnID>) {
    self.init()
    for column in columns { insert(column) }
  }

  private static let width = 64

  private static func place(_ column: ColumnID) -> (word: Int, bit: UInt64) {
    let number = Int(column.number)
    return (number >> 6, 1 << UInt64(number & (width - 1)))
  }

  /// Behind the last word.
  private var end: Int { base + 1 + tail.count }

  private func word(_ number: Int) -> UInt64 {
    if number == base { return head }
    let place = number - base - 1
    return place >= 0 && place < tail.count ? tail[place] : 0
  }

  package var isEmpty: Bool { head == 0 && tail.allSatisfy { $0 == 0 } }

  package var count: Int { tail.reduce(head.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  package func contains(_ column: ColumnID) -> Bool {
    let (number, bit) = Self.place(column)
    return word(number) & bit != 0
  }

  /// Adds a column; whether it was not there yet.
  @discardableResult
  package mutating func insert(_ column: ColumnID) -> Bool {
    let (number, bit) = Self.place(column)
    if number == base {
      let isNew = head & bit == 0
      head |= bit
      return isNew
    }
    reach(number, number + 1)
    let isNew = word(number) & bit == 0
    unite(number, bit)
    return isNew
  }

  /// Takes a column away; nil if it was not there.
  @discardableResult
  package mutating func remove(_ column: ColumnID) -> ColumnID? {
    guard contains(column) else { return nil }
    let (number, bit) = Self.place(column)
    if number == base { head &= ~bit } else { tail[number - base - 1] &= ~bit }
    return column
  }

  /// Makes room for a range of words.
  private mutating func reach(_ first: Int, _ last: Int) {
    if head == 0, tail.isEmpty { base = first }
    if first < base {
      let gap = [UInt64](repeating: 0, count: base - first - 1)
      tail = gap + [head] + tail
      head = 0
      base = first
    }
    while end < last { tail.append(0) }
  }

  private mutating func unite(_ number: Int, _ bits: UInt64) {
    if number == base { head |= bits } else { tail[number - base - 1] |= bits }
  }

  package mutating func formUnion(_ other: ColumnSet) {
    if other.head == 0, other.tail.isEmpty { return }
    if head == 0, tail.isEmpty {
      self = other
      return
    }
    reach(other.base, other.end)
    unite(other.base, other.head)
    for (place, bits) in other.tail.enumerated() { unite(other.base + 1 + place, bits) }
  }

  @inlinable package mutating func formUnion(_ columns: some Sequence<ColumnID>) {
    for column in columns { insert(column) }
  }

  package func union(_ other: ColumnSet) -> ColumnSet {
    var result = self
    result.formUnion(other)
    return result
  }

  @inlinable package func union(_ columns: some Sequence<ColumnID>) -> ColumnSet {
    var result = self
    result.formUnion(columns)
    return result
  }

  /// The same set with each word changed, which is given with its number.
  private func mappingWords(_ change: (Int, UInt64) -> UInt64) -> ColumnSet {
    var result = self
    result.head = change(base, head)
    for place in tail.indices { result.tail[place] = change(base + 1 + place, tail[place]) }
    return result
  }

  package func intersection(_ other: ColumnSet) -> ColumnSet {
    mappingWords { $1 & other.word($0) }
  }

  package mutating func formIntersection(_ other: ColumnSet) { self = intersection(other) }

  @inlinable package mutating func formIntersection(_ columns: some Sequence<ColumnID>) {
    formIntersection(ColumnSet(columns))
  }

  package func subtracting(_ other: ColumnSet) -> ColumnSet {
    mappingWords { $1 & ~other.word($0) }
  }

  package mutating func subtract(_ other: ColumnSet) { self = subtracting(other) }

  package func isSubset(of other: ColumnSet) -> Bool {
    if head & ~other.word(base) != 0 { return false }
    for place in tail.indices where tail[place] & ~other.word(base + 1 + place) != 0 {
      return false
    }
    return true
  }

  package func isSuperset(of other: ColumnSet) -> Bool { other.isSubset(of: self) }

  @inlinable package func isSuperset(of columns: some Sequence<ColumnID>) -> Bool {
    columns.allSatisfy(contains)
  }

  package func isDisjoint(with other: ColumnSet) -> Bool {
    if head & other.word(base) != 0 { return false }
    for place in tail.indices where tail[place] & other.word(base + 1 + place) != 0 {
      return false
    }
    return true
  }

  @inlinable package func isDisjoint(with columns: some Sequence<ColumnID>) -> Bool {
    !columns.contains(where: contains)
  }
}

extension ColumnSet: ExpressibleByArrayLiteral {
  package init(arrayLiteral elements: ColumnID...) { self.init(elements) }
}

extension ColumnSet: Hashable {
  /// Words without columns, in front or behind, make no difference.
  package static func == (left: ColumnSet, right: ColumnSet) -> Bool {
    left.isSubset(of: right) && right.isSubset(of: left)
  }

  package func hash(into hasher: inout Hasher) {
    for column in self { hasher.combine(column) }
  }
}

extension ColumnSet: Sequence {
  /// Gives the columns in the order of their numbers.
  package struct Iterator: IteratorProtocol {
    private let set: ColumnSet
    private var number: Int
    private var rest: UInt64

    fileprivate init(_ set: ColumnSet) {
      self.set = set
      number = set.base
      rest = set.head
    }

    package mutating func next() -> ColumnID? {
      while rest == 0 {
        number += 1
        if number >= set.end { return nil }
        rest = set.word(number)
      }
      let bit = rest.trailingZeroBitCount
      rest &= rest &- 1
      return ColumnID(Int32(truncatingIfNeeded: number << 6 | bit))
    }
  }

  package func makeIterator() -> Iterator { Iterator(self) }
}

extension [PlanColumn] {
  /// The identities of the columns.
  package var ids: ColumnSet {
    var ids = ColumnSet()
    for place in indices { ids.insert(self[place].id) }
    return ids
  }
}
