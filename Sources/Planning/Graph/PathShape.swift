import Diagnostics
import SQLSyntax

/// A path of MATCH in the form in which it is bound: vertices and what leads from each to the next.
///
/// Vertices that the pattern leaves out between edges are put in, and vertices that stand side by side are one.
struct PathShape {
  /// A vertex, with all the patterns that it must meet.
  typealias Site = [ElementPattern]

  /// What leads from a vertex to the next.
  enum Link {
    case edge(ElementPattern, EdgeDirection)
    case repeated(Repetition)
  }

  /// A part that comes several times in a row.
  struct Repetition {
    var quantifier: PathQuantifier
    /// One more than edges.
    var sites: [Site]
    var edges: [(element: ElementPattern, direction: EdgeDirection)]
    /// Conditions on each time.
    var filters: [Expression] = []
    /// Ranges of edges that have a mode of their own each time.
    var modes: [(edges: Range<Int>, mode: PathPrefix.Mode)] = []
    /// Whether it stands for single edges that have a condition in common: it comes once, its names are those of single
    /// elements, and its first and last vertex are those of the path, named there.
    var isJoined = false
    var range: SourceRange

    /// Whether each of its names stands for one element, or for none.
    var namesAreSingle: Bool { quantifier.isOptional || isJoined }

    /// The places of the vertices that are its own.
    var ownSites: Range<Int> { isJoined ? 1..<(sites.count - 1) : sites.indices }
  }

  /// A part in parentheses that comes once and has a mode or a variable.
  struct Part {
    var links: Range<Int>
    var mode = PathPrefix.Mode.walk
    var variable: Identifier?
    var range: SourceRange
  }

  var sites: [Site] = []
  var links: [Link] = []
  /// Conditions of parts in parentheses that come once.
  var filters: [Expression] = []
  var parts: [Part] = []

  /// One time of a repeated part.
  init(_ repetition: Repetition) {
    sites = repetition.sites
    links = repetition.edges.map { .edge($0.element, $0.direction) }
  }

  /// One edge with its ends.
  init(_ hop: HopPattern) {
    sites = [hop.start, hop.end]
    links = [.edge(hop.edge, hop.direction)]
  }

  /// What edges cost, as far as it is said.
  var costs: [Expression] {
    links.flatMap { link in
      switch link {
      case .edge(let element, _): element.cost.map { [$0] } ?? []
      case .repeated(let repetition): repetition.edges.compactMap(\.element.cost)
      }
    }
  }

  /// The edges of all links, those of a repeated part once.
  var edgeCount: Int {
    links.reduce(0) { count, link in
      if case .repeated(let repetition) = link { return count + repetition.edges.count }
      return count + 1
    }
  }

  /// - Throws: 0A000 for what is not built.
  init(_ terms: [PathTerm]) throws(SQLError) {
    for term in terms { try append(term) }
    awaitSite()
    if sites.isEmpty { sites.append([]) }
  }

  /// Whether the last link still lacks the vertex that it leads to.
  private var isOpen: Bool { sites.count == links.count }

  private mutating func awaitSite() { if isOpen, !links.isEmpty { sites.append([]) } }

  private mutating func append(site: Site) {
    if isOpen { sites.append(site) } else { sites[sites.count - 1] += site }
  }

  private mutating func append(link: Link) {
    if isOpen { sites.append([]) }
    links.append(link)
  }

  private mutating func append(_ term: PathTerm) throws(SQLError) {
    switch (term.kind, term.quantifier) {
    case (.vertex(let element), _): append(site: [element])
    case (.edge(let element, let direction), nil): append(link: .edge(element, direction))
    case (.edge(let element, let direction), let quantifier?):
      append(
        link: .repeated(
          Repetition(
            quantifier: quantifier, sites: [[], []], edges: [(element, direction)],
            range: term.range)))
    case (.group(let group), let quantifier):
      try append(group, quantifier, at: term.range)
    }
  }

  private mutating func append(
    _ group: PathGroup, _ quantifier: PathQuantifier?, at range: SourceRange
  ) throws(SQLError) {
    var inner = try PathShape(group.terms)
    if let cost = group.cost { try inner.set(cost: cost) }
    guard let quantifier else { return append(inner, group, at: range) }
    if group.variable != nil || inner.parts.contains(where: { $0.variable != nil }) {
      throw SQLError.unsupported("a variable for a repeated part of a path", at: range)
        .hinted("Name the edges within, or the whole path.")
    }
    var repetition = Repetition(
      quantifier: quantifier, sites: inner.sites, edges: [], range: range)
    for link in inner.links {
      guard case .edge(let element, let direction) = link else {
        throw SQLError.unsupported("a quantifier within a repeated part of a path", at: range)
      }
      repetition.edges.append((element, direction))
    }
    if repetition.edges.isEmpty {
      throw SQLError(
        .syntaxError, "a repeated part of a path must have an edge", at: range)
    }
    repetition.filters = inner.filters + (group.filter.map { [$0] } ?? [])
    repetition.modes = inner.parts.map { ($0.links, $0.mode) }
    if let mode = group.mode { repetition.modes.append((inner.links.indices, mode)) }
    repetition.modes.removeAll { $0.mode == .walk }
    append(link: .repeated(repetition))
  }

  /// Says what the only edge costs.
  ///
  /// - Throws: 0A000 where there are more, 42601 where the edge has a cost already.
  private mutating func set(cost: Expression) throws(SQLError) {
    guard links.count == 1, case .edge(var element, let direction) = links[0] else {
      throw SQLError.unsupported("COST for a part of a path of several edges", at: cost.range)
        .hinted("Write it within the brackets of an edge, as in -[e COST e.weight]->.")
    }
    if element.cost != nil {
      throw SQLError(.syntaxError, "an edge can have one COST only", at: cost.range)
    }
    element.cost = cost
    links[0] = .edge(element, direction)
  }

  /// Takes a part that comes once.
  private mutating func append(
    _ inner: PathShape, _ group: PathGroup, at range: SourceRange
  ) {
    append(site: inner.sites[0])
    let first = links.count
    for (link, site) in zip(inner.links, inner.sites.dropFirst()) {
      append(link: link)
      append(site: site)
    }
    parts += inner.parts.map { part in
      var part = part
      part.links = (part.links.lowerBound + first)..<(part.links.upperBound + first)
      return part
    }
    filters += inner.filters
    if let filter = group.filter { filters.append(filter) }
    guard group.variable != nil || group.mode ?? .walk != .walk else { return }
    parts.append(
      Part(
        links: first..<links.count, mode: group.mode ?? .walk, variable: group.variable,
        range: range))
  }
}

extension PathShape {
  /// A mark for each link: links of one mark have no names that tell the edges of one from those of the other.
  ///
  /// What a path is by its edges and names it is once, in however many ways links can share its edges. A name is seen
  /// where it stands for something; so those before it and behind it differ, be it a vertex or a link that must come.
  var marks: [Int] {
    var numbers: [[Int]: Int] = [:]
    var run = 0
    return links.enumerated().map { (index, link) in
      let isGateNamed = index > 0 && sites[index].contains { $0.variable != nil }
      if isGateNamed { run = links.count + index }
      // What tells it from other links: its own names, or what stands before it and the parts around it that have names.
      var key = [link.isNamed ? index : run + 2 * links.count]
      for (number, part) in parts.enumerated()
      where part.variable != nil && part.links.contains(index) {
        key.append(number)
      }
      if link.isNamed, link.minimum > 0 { run = links.count + index + 1 }
      let mark = numbers[key] ?? numbers.count
      numbers[key] = mark
      return mark
    }
  }

  /// The links between which, both included, edges can be shared in several ways.
  var ambiguousRanges: [ClosedRange<Int>] {
    let marks = self.marks
    var ranges: [ClosedRange<Int>] = []
    for (index, link) in links.enumerated() where link.isVariable {
      let same = ranges.firstIndex { marks[$0.lowerBound] == marks[index] }
      let lower = same.map { ranges[$0].lowerBound } ?? index
      // What stands between two of one mark goes with them.
      ranges.removeLast(ranges.count - (same ?? ranges.count))
      ranges.append(lower...index)
    }
    return ranges.filter { $0.count > 1 }
  }
}

extension PathShape.Link {
  fileprivate var isNamed: Bool {
    switch self {
    case .edge(let element, _): return element.variable != nil
    case .repeated(let repetition):
      return repetition.edges.contains { $0.element.variable != nil }
        || repetition.sites[repetition.ownSites].joined().contains { $0.variable != nil }
    }
  }

  fileprivate var minimum: Int {
    if case .repeated(let repetition) = self { return repetition.quantifier.minimum }
    return 1
  }

  /// Whether it may come a different number of times.
  fileprivate var isVariable: Bool {
    guard case .repeated(let repetition) = self else { return false }
    return repetition.quantifier.maximum != repetition.quantifier.minimum
  }
}
