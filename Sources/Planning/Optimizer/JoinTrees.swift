/// A way to join a set of relations.
struct JoinTree {
  var relations: UInt64
  var rows: Double
  var cost: Double
  /// The two sets joined last; 0 for a single relation.
  var left: UInt64 = 0
  var right: UInt64 = 0
}

/// The cheapest way found for each set of relations.
struct JoinTrees {
  private var list: [JoinTree] = []
  /// For few relations the place of each set in `list`, behind it by one; 0 for none.
  private var places: [UInt32]
  private var others: [UInt64: UInt32] = [:]

  private static let directMax = 16

  init(relationCount: Int) {
    places =
      relationCount <= Self.directMax ? Array(repeating: 0, count: 1 << relationCount) : []
  }

  subscript(set: UInt64) -> JoinTree? {
    get {
      let place =
        places.isEmpty ? others[set] ?? 0 : places[Int(truncatingIfNeeded: set)]
      return place == 0 ? nil : list[Int(place) - 1]
    }
    set {
      guard let newValue else { return }
      let known = places.isEmpty ? others[set] ?? 0 : places[Int(truncatingIfNeeded: set)]
      if known != 0 {
        list[Int(known) - 1] = newValue
        return
      }
      list.append(newValue)
      let place = UInt32(truncatingIfNeeded: list.count)
      if places.isEmpty { others[set] = place } else { places[Int(set)] = place }
    }
  }

  /// Forgets all sets of more than one relation.
  mutating func keepSingles() {
    let singles = list.filter { $0.relations.nonzeroBitCount == 1 }
    list = []
    others = [:]
    for place in places.indices { places[place] = 0 }
    for tree in singles { self[tree.relations] = tree }
  }
}
