/// A value that is the same for all rows of a group, such as the fraction of a percentile: the first one that comes.
struct GroupConstants {
  /// Where the value of a group stands.
  struct Row {
    var vector: Vector
    var index: Int
  }
  /// Whether all groups have one value.
  var isShared = false
  private var shared: Vector?
  private var values: VectorBuilder
  /// The place of each group's value in `values`, from 1.
  private var places = GroupStates<UInt32>()
  private var finished: Vector?

  init(_ type: LogicalType) { values = VectorBuilder(type) }

  var byteCount: Int { values.byteCount + places.byteCount }

  mutating func grow(to groupCount: Int) { places.grow(to: groupCount) }

  /// Takes the values of groups that have none yet; row *i* is of group `groups[i]`, or all of group 0.
  mutating func note(_ vector: Vector, groups: Buffer<UInt32>?, count: Int) {
    if shared != nil || count == 0 { return }
    if isShared {
      shared = vector.resized(to: 1).flattened()
      return
    }
    let flat = vector.flattened()
    if groups == nil {
      if places[0] == 0 { add(flat, row: 0, to: 0) }
    } else if let groups {
      for row in 0..<count where places[Int(groups[row])] == 0 {
        add(flat, row: row, to: Int(groups[row]))
      }
    }
  }

  /// Takes the values of another worker's groups; its group *i* is group `groups[i]` here.
  mutating func merge(_ other: GroupConstants, groups: Buffer<UInt32>, count: Int) {
    if isShared {
      shared = shared ?? other.shared
      return
    }
    let theirs = other.values.finish()
    for group in 0..<min(count, other.places.count)
    where other.places[group] > 0 && places[Int(groups[group])] == 0 {
      add(theirs, row: Int(other.places[group]) - 1, to: Int(groups[group]))
    }
  }

  private mutating func add(_ vector: Vector, row: Int, to group: Int) {
    values.append(vector.slice(from: row, count: 1).flattened())
    places[group] = UInt32(truncatingIfNeeded: values.count)
    finished = nil
  }

  /// The value of a group; nil where it is NULL or none has come.
  mutating func row(of group: Int) -> Row? {
    if isShared {
      return shared.flatMap { $0.validity.isValid(0) ? Row(vector: $0, index: 0) : nil }
    }
    guard group < places.count, places[group] > 0 else { return nil }
    let vector = finished ?? values.finish()
    finished = vector
    let index = Int(places[group]) - 1
    return vector.validity.isValid(index) ? Row(vector: vector, index: index) : nil
  }
}
