/// A schema as it is drawn: tables as boxes, relationships as edges between them.
///
/// It says neither where things stand, which is `DiagramLayout`'s to say, nor how a format spells them: each of those is a
/// file over it.
struct Diagram: Sendable, Equatable {
  /// How many rows may stand at one end of an edge for a row at the other.
  enum Multiplicity: Sendable, Hashable {
    case exactlyOne, zeroOrOne, zeroOrMany

    /// The multiplicity in words.
    var words: String {
      switch self {
      case .exactlyOne: "exactly one"
      case .zeroOrOne: "none or one"
      case .zeroOrMany: "any number"
      }
    }
  }

  /// A column of a table.
  struct Column: Sendable, Equatable {
    var name: String
    /// The type in PostgreSQL's shorter words.
    var type: String
    var isPrimary = false
    /// Whether it is a key all by itself.
    var isUnique = false
    /// The foreign keys of the table that it belongs to, by their places in it.
    var foreignKeys: [Int] = []
    /// Whether foreign keys are told apart by number: one of several is of more than one column.
    var numbersForeignKeys = false

    /// `PK`, `FK` and `UK`, as far as they hold.
    var marks: [String] {
      var marks = isPrimary ? ["PK"] : []
      marks +=
        numbersForeignKeys ? foreignKeys.map { "FK\($0 + 1)" } : foreignKeys.isEmpty ? [] : ["FK"]
      if isUnique { marks.append("UK") }
      return marks
    }
  }

  /// A table.
  struct Box: Sendable, Equatable {
    /// The name, with its schema unless that is searched anyway.
    var title: String
    var columns: [Column]
  }

  /// Where an edge meets a box.
  struct End: Sendable, Equatable {
    var box: Int
    /// The columns that it is about; none where it stands for the table as a whole.
    var columns: [Int]
    var multiplicity: Multiplicity
  }

  /// A junction table that is drawn as an edge.
  struct Junction: Sendable, Equatable {
    var title: String
    /// The columns that it has besides its foreign keys.
    var columns: [Column]
  }

  /// A relationship: a foreign key from the parent to the child, or a junction table between two tables.
  struct Edge: Sendable, Equatable {
    var first: End
    var second: End
    /// The name of the constraint, or of the junction table.
    var name: String
    var junction: Junction?

    /// Whether it leads back to its own table.
    var isSelfRelation: Bool { first.box == second.box }
  }

  var boxes: [Box] = []
  var edges: [Edge] = []

  /// The boxes in groups that edges hold together, each in order, and the groups by their first box.
  ///
  /// - Complexity: O(*b* + *e*), nearly.
  var components: [[Int]] {
    var roots = Array(boxes.indices)
    func root(_ box: Int) -> Int {
      var box = box
      while roots[box] != box {
        roots[box] = roots[roots[box]]
        box = roots[box]
      }
      return box
    }
    for edge in edges {
      let (left, right) = (root(edge.first.box), root(edge.second.box))
      roots[max(left, right)] = min(left, right)
    }
    var groups: [Int: [Int]] = [:]
    for box in boxes.indices { groups[root(box), default: []].append(box) }
    return groups.sorted { $0.key < $1.key }.map(\.value)
  }
}
