/// At which lengths walks of a pattern lead from one vertex to another: how far a search without an end must look.
struct NaiveLengths {
  private struct Place: Hashable {
    var link: Int
    var count: Int
    var vertex: Int
    var rest: Int
  }

  private let search: NaiveSearch
  private let path: MatchPattern.Path
  private var known: [Place: Set<Int>] = [:]

  init(_ search: NaiveSearch, _ path: MatchPattern.Path) {
    self.search = search
    self.path = path
  }

  /// The length by which every pair of ends that has walks at all has them at so many lengths, or at all there are.
  mutating func furthest(lengths wanted: Int) -> Int {
    let most = 60
    var furthest = 0
    for start in search.vertices.keys where search.accepts(path.vertices[0], vertex: start) {
      var counts: [Int: Int] = [:]
      for length in 0...most {
        for end in ends(0, 0, start, length) where counts[end, default: 0] < wanted {
          counts[end, default: 0] += 1
          furthest = max(furthest, length)
        }
      }
    }
    return furthest
  }

  /// Where walks of exactly `rest` further edges end.
  private mutating func ends(_ link: Int, _ count: Int, _ vertex: Int, _ rest: Int) -> Set<Int> {
    if link == path.links.count { return rest == 0 ? [vertex] : [] }
    let place = Place(link: link, count: count, vertex: vertex, rest: rest)
    if let found = known[place] { return found }
    var found: Set<Int> = []
    let part = path.links[link]
    if let quantifier = part.quantifier {
      if count >= quantifier.minimum, search.accepts(path.vertices[link + 1], vertex: vertex) {
        found.formUnion(ends(link + 1, 0, vertex, rest))
      }
      if count < quantifier.maximum ?? .max, rest >= part.edges.count {
        // Beyond the least number it does not matter how often an unbounded part has come.
        let next = quantifier.maximum == nil ? min(count + 1, quantifier.minimum) : count + 1
        for end in onceMore(part, from: vertex) {
          found.formUnion(ends(link, next, end, rest - part.edges.count))
        }
      }
    } else if rest > 0 {
      for (_, end) in search.neighbours(of: vertex, part.edges[0])
      where search.accepts(path.vertices[link + 1], vertex: end) {
        found.formUnion(ends(link + 1, 0, end, rest - 1))
      }
    }
    known[place] = found
    return found
  }

  private func onceMore(_ part: MatchPattern.Link, from vertex: Int) -> Set<Int> {
    var current = [(vertices: [vertex], edges: [Int]())]
    for (index, edge) in part.edges.enumerated() {
      if !part.sites.isEmpty {
        current = current.filter { search.accepts(part.sites[index], vertex: $0.vertices[index]) }
      }
      current = current.flatMap { walked in
        search.neighbours(of: walked.vertices[index], edge).map {
          (walked.vertices + [$0.vertex], walked.edges + [$0.edge])
        }
      }
    }
    current = current.filter { search.meets(part, $0.vertices, $0.edges) }
    let ends = current.map { $0.vertices[part.edges.count] }
    guard let last = part.sites.last else { return Set(ends) }
    return Set(ends.filter { search.accepts(last, vertex: $0) })
  }
}
