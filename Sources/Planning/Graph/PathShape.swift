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
