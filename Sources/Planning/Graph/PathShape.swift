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
    var range: SourceRange
  }

  var sites: [Site] = []
  var links: [Link] = []
  /// Conditions of parts in parentheses that come once.
  var filters: [Expression] = []

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
      if group.mode != nil {
        throw SQLError.unsupported("a path mode for a part of a path", at: term.range)
          .hinted("Write the mode before the whole path.")
      }
      if group.variable != nil {
        throw SQLError.unsupported("a variable for a part of a path", at: term.range)
      }
      try append(group, quantifier, at: term.range)
    }
  }

  private mutating func append(
    _ group: PathGroup, _ quantifier: PathQuantifier?, at range: SourceRange
  ) throws(SQLError) {
    let inner = try PathShape(group.terms)
    guard let quantifier else {
      append(site: inner.sites[0])
      for (link, site) in zip(inner.links, inner.sites.dropFirst()) {
        append(link: link)
        append(site: site)
      }
      filters += inner.filters
      if let filter = group.filter { filters.append(filter) }
      return
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
    append(link: .repeated(repetition))
  }
}

extension PathShape {
  /// A mark for each link: links of one mark have no names that tell the edges of one from those of the other.
  ///
  /// What a path is by its edges and names it is once, in however many ways links can share its edges. A name is seen
  /// where it stands for something; so those before it and behind it differ, be it a vertex or a link that must come.
  var marks: [Int] {
    var marks: [Int] = []
    var run = 0
    for (index, link) in links.enumerated() {
      let isGateNamed = index > 0 && sites[index].contains { $0.variable != nil }
      if isGateNamed { run = links.count + index }
      marks.append(link.isNamed ? index : run + 2 * links.count)
      if link.isNamed, link.minimum > 0 { run = links.count + index + 1 }
    }
    return marks
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
        || repetition.sites.joined().contains { $0.variable != nil }
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
