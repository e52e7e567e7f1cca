/// Values by column, in the order of the columns' numbers.
///
/// Most maps that rules make have few entries, or are filled in the order in which columns were made: a search among sorted numbers
/// then takes less than to hash one, and whoever goes through the entries meets them in the same order each time.
package struct ColumnMap<Value> {
  @usableFromInline var columns: [ColumnID] = []
  @usableFromInline var entries: [Value] = []

  @inlinable package init() {}

  /// A map without entries, with room for some.
  @inlinable package init(minimumCapacity: Int) {
    columns.reserveCapacity(minimumCapacity)
    entries.reserveCapacity(minimumCapacity)
  }

  /// The columns, in the order of their numbers, and their values in the same order.
  @inlinable package var keys: [ColumnID] { columns }
  @inlinable package var values: [Value] { entries }

  /// A map of pairs; `combine` makes one value of those of the same column.
  @inlinable package init(
    _ pairs: some Sequence<(ColumnID, Value)>, uniquingKeysWith combine: (Value, Value) -> Value
  ) {
    for (key, value) in pairs {
      let (place, isKnown) = place(of: key)
      if isKnown {
        entries[place] = combine(entries[place], value)
      } else {
        insert(key, value, at: place)
      }
    }
  }

  /// Where a column stands, or would.
  @inlinable func place(of key: ColumnID) -> (place: Int, isKnown: Bool) {
    guard let last = columns.last, key <= last else { return (columns.count, false) }
    var (low, high) = (0, columns.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if columns[middle] < key { low = middle + 1 } else { high = middle }
    }
    return (low, columns[low] == key)
  }

  @inlinable mutating func insert(_ key: ColumnID, _ value: Value, at place: Int) {
    // Most columns come in their order.
    if place == columns.count {
      columns.append(key)
      entries.append(value)
    } else {
      columns.insert(key, at: place)
      entries.insert(value, at: place)
    }
  }

  @inlinable package var isEmpty: Bool { columns.isEmpty }
  @inlinable package var count: Int { columns.count }

  @inlinable package subscript(key: ColumnID) -> Value? {
    get {
      let (place, isKnown) = place(of: key)
      return isKnown ? entries[place] : nil
    }
    set {
      let (place, isKnown) = place(of: key)
      guard let newValue else {
        if isKnown {
          columns.remove(at: place)
          entries.remove(at: place)
        }
        return
      }
      if isKnown { entries[place] = newValue } else { insert(key, newValue, at: place) }
    }
  }

  @inlinable package subscript(key: ColumnID, default fallback: @autoclosure () -> Value) -> Value {
    get {
      let (place, isKnown) = place(of: key)
      return isKnown ? entries[place] : fallback()
    }
    set { self[key] = newValue }
    _modify {
      let (place, isKnown) = place(of: key)
      if !isKnown { insert(key, fallback(), at: place) }
      yield &entries[place]
    }
  }

  /// Gives a column a value, unless it has one.
  @inlinable package mutating func add(_ key: ColumnID, _ value: Value) {
    let (place, isKnown) = place(of: key)
    if !isKnown { insert(key, value, at: place) }
  }

  /// Changes the value of a column in place, if it has one.
  @inlinable package mutating func change(_ key: ColumnID, _ body: (inout Value) -> Void) {
    let (place, isKnown) = place(of: key)
    if isKnown { body(&entries[place]) }
  }

  /// Changes all entries in place.
  @inlinable package mutating func changeAll(_ body: (inout Value) -> Void) {
    for place in entries.indices { body(&entries[place]) }
  }

  @inlinable package func mapValues<Result>(_ transform: (Value) -> Result) -> ColumnMap<Result> {
    var result = ColumnMap<Result>()
    result.columns = columns
    result.entries = entries.map(transform)
    return result
  }

  /// Adds the entries of another map; `combine` makes one value of two of the same column.
  @inlinable package mutating func merge(
    _ other: ColumnMap, uniquingKeysWith combine: (Value, Value) -> Value
  ) {
    if isEmpty {
      self = other
      return
    }
    if let last = columns.last, let first = other.columns.first, last < first {
      columns += other.columns
      entries += other.entries
      return
    }
    for (key, value) in other {
      let (place, isKnown) = place(of: key)
      if isKnown {
        entries[place] = combine(entries[place], value)
      } else {
        insert(key, value, at: place)
      }
    }
  }

  @inlinable package func merging(
    _ other: ColumnMap, uniquingKeysWith combine: (Value, Value) -> Value
  ) -> ColumnMap {
    var result = self
    result.merge(other, uniquingKeysWith: combine)
    return result
  }

  @inlinable package func filter(_ isIncluded: ((key: ColumnID, value: Value)) -> Bool) -> ColumnMap
  {
    var result = ColumnMap()
    for entry in self where isIncluded(entry) {
      result.columns.append(entry.key)
      result.entries.append(entry.value)
    }
    return result
  }
}

extension ColumnMap: Sendable where Value: Sendable {}

extension ColumnMap: ExpressibleByDictionaryLiteral {
  @inlinable package init(dictionaryLiteral elements: (ColumnID, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension ColumnMap: Sequence {
  /// Gives the entries in the order of the columns' numbers.
  package struct Iterator: IteratorProtocol {
    @usableFromInline let map: ColumnMap
    @usableFromInline var place = 0

    @inlinable init(_ map: ColumnMap) { self.map = map }

    @inlinable package mutating func next() -> (key: ColumnID, value: Value)? {
      guard place < map.columns.count else { return nil }
      defer { place += 1 }
      return (map.columns[place], map.entries[place])
    }
  }

  @inlinable package func makeIterator() -> Iterator { Iterator(self) }
}
