package import Diagnostics

/// `GRAPH_TABLE (graph MATCH … [WHERE …] COLUMNS (…))`, an entry of FROM.
///
/// Source: ISO/IEC 9075-16:2023, 7.6, <graph table>; the patterns are those of ISO/IEC 39075 (GQL).
package struct GraphTable: Sendable {
  /// The graph; nil is `*`, every relationship that the catalog knows.
  package var graph: QualifiedName?
  package var paths: [PathPattern]
  /// The condition on a whole match.
  package var filter: Expression?
  /// What is given of each match; `variable.*` is all properties of an element.
  package var columns: [SelectItem]
  package var alias: TableAlias?
  package var range: SourceRange
}

/// One path of MATCH.
package struct PathPattern: Sendable {
  /// The name of the path, of `p = …`.
  package var variable: Identifier?
  /// Which paths are wanted; nil where nothing says so, which is every walk.
  package var prefix: PathPrefix?
  /// What the path passes, in order.
  package var terms: [PathTerm]
  package var range: SourceRange
}

/// Which paths are wanted.
package struct PathPrefix: Sendable {
  /// What may not come twice in a path.
  package enum Mode: String, Sendable, Hashable {
    case walk = "WALK"
    /// No edge twice.
    case trail = "TRAIL"
    /// No vertex twice, except that the last may be the first.
    case simple = "SIMPLE"
    /// No vertex twice.
    case acyclic = "ACYCLIC"
  }
  /// Which of the paths between the same two ends.
  package enum Selector: Sendable, Hashable {
    case all
    /// ANY or ANY k.
    case any(Int)
    case allShortest
    /// ANY SHORTEST and SHORTEST k: the first in the order of length.
    case shortest(Int)
    /// SHORTEST k GROUPS: all paths of the k least lengths.
    case shortestGroups(Int)
    case allCheapest
    /// ANY CHEAPEST and CHEAPEST k: the first in the order of what they cost.
    case cheapest(Int)

    /// Whether paths are chosen by what they cost.
    package var goesByCost: Bool {
      switch self {
      case .allCheapest, .cheapest: true
      case .all, .any, .allShortest, .shortest, .shortestGroups: false
      }
    }
  }
  package var mode: Mode
  package var selector: Selector

  package init(mode: Mode = .walk, selector: Selector = .all) {
    self.mode = mode
    self.selector = selector
  }
}

/// A part of a path.
package struct PathTerm: Sendable {
  package indirect enum Kind: Sendable {
    case vertex(ElementPattern)
    case edge(ElementPattern, EdgeDirection)
    /// `(…)` or `[…]` around a part of the path, with a mode and a condition of its own.
    case group(PathGroup)
  }
  package var kind: Kind
  /// How often in a row, for edges and groups; nil is once.
  package var quantifier: PathQuantifier?
  package var range: SourceRange
}

/// A part of a path in parentheses.
package struct PathGroup: Sendable {
  package var variable: Identifier?
  package var mode: PathPrefix.Mode?
  package var terms: [PathTerm]
  package var filter: Expression?
  /// What each of its edges costs; only where it has one edge.
  package var cost: Expression?
}

/// `variable IS label WHERE condition COST expression`, for a vertex or an edge; only edges cost something.
package struct ElementPattern: Sendable {
  package var variable: Identifier?
  package var label: LabelExpression?
  package var filter: Expression?
  package var cost: Expression?
  package var range: SourceRange
}

/// Which way an edge is walked.
package enum EdgeDirection: String, Sendable, Hashable {
  /// `-[…]->`
  case right = "->"
  /// `<-[…]-`
  case left = "<-"
  /// `-[…]-` and `<-[…]->`.
  case either = "-"
}

/// How often a part of a path comes in a row.
package struct PathQuantifier: Sendable, Hashable {
  package var minimum: Int
  /// nil is no bound.
  package var maximum: Int?
  /// Whether it is a question mark: once or not at all as {0,1}, but names within stand for one element or NULL, not
  /// for lists.
  package var isOptional = false
  package var range: SourceRange

  package init(minimum: Int, maximum: Int?, range: SourceRange) {
    self.minimum = minimum
    self.maximum = maximum
    self.range = range
  }
}

/// A condition on the labels of an element.
package struct LabelExpression: Sendable {
  package indirect enum Kind: Sendable {
    case name(Identifier)
    /// `%`: any label.
    case any
    case not(LabelExpression)
    case and(LabelExpression, LabelExpression)
    case or(LabelExpression, LabelExpression)
  }
  package var kind: Kind
  package var range: SourceRange
}
