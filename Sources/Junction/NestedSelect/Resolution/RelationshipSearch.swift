import Catalog
import Diagnostics

/// Finds the relationship that an embed means.
struct RelationshipSearch {
  let catalog: CatalogSnapshot
  /// The table whose rows embed.
  let origin: ReadTable

  /// The one relationship that fits the embed's name and hint.
  ///
  /// - Throws: PGRST200 if there is none, PGRST201 if there are several.
  func find(_ embed: RequestEmbed) throws(NestedSelectError) -> Relationship {
    let all = catalog.relationships(of: origin.id)
    var found = all.filter { fits($0, embed) }
    if found.isEmpty, let hint = embed.hint {
      // A foreign key of the junction tells the two directions of a many-to-many self-relation apart.
      found = all.filter { name(of: $0.target) == embed.name && farKeyMatches($0, hint) }
    }
    switch found.count {
    case 1: return found[0]
    case 0: throw notFound(embed, among: all)
    default: throw ambiguous(embed, among: found)
    }
  }

  /// Whether an embed may mean a relationship.
  ///
  /// A foreign key of a table to itself is a relationship in either direction: by the table's name it
  /// leads to the children, by that of its column or constraint to the parent.
  private func fits(_ relationship: Relationship, _ embed: RequestEmbed) -> Bool {
    let isParent =
      if case .toParent = relationship.route { true } else { false }
    if name(of: relationship.target) == embed.name {
      if relationship.isSelfRelation && isParent { return false }
      guard let hint = embed.hint else { return true }
      return matches(relationship, hint)
    }
    guard embed.hint == nil else { return false }
    switch relationship.route {
    case .toParent(let link):
      return link.name == embed.name || isOnly(link.columns, embed.name, of: link.child)
    case .toChildren(let link): return link.name == embed.name && !relationship.isSelfRelation
    case .throughJunction: return false
    }
  }

  /// Whether a hint names the relationship: its constraint, a column at either end, or its junction.
  private func matches(_ relationship: Relationship, _ hint: String) -> Bool {
    switch relationship.route {
    case .toParent(let link), .toChildren(let link):
      link.name == hint || isOnly(link.columns, hint, of: link.child)
        || isOnly(link.parentColumns, hint, of: link.parent)
    case .throughJunction(let near, _): name(of: near.child) == hint
    }
  }

  private func farKeyMatches(_ relationship: Relationship, _ hint: String) -> Bool {
    guard case .throughJunction(_, let far) = relationship.route else { return false }
    return far.name == hint || isOnly(far.columns, hint, of: far.child)
  }

  /// Whether a key is the one column of this name.
  private func isOnly(_ columns: [Int], _ name: String, of table: ObjectID) -> Bool {
    columns.count == 1 && self.names(columns, of: table) == [name]
  }

  private func name(of table: ObjectID) -> String { catalog.tables[table]?.name.name ?? "" }

  private func names(_ columns: [Int], of table: ObjectID) -> [String] {
    guard let table = catalog.tables[table] else { return [] }
    return columns.map { table.columns[$0].name }
  }

  // MARK: Errors

  private func notFound(
    _ embed: RequestEmbed, among all: [Relationship]
  ) -> NestedSelectError {
    let parent = origin.name.name
    let using = embed.hint.map { "' using the hint '\($0)" } ?? ""
    let targets = Set(all.map { name(of: $0.target) })
    // With the right target it is the hint that is wrong.
    let nearest =
      targets.contains(embed.name)
      ? nil : nearestNames(to: embed.name, among: targets.sorted(), limit: 1).first
    return NestedSelectError(
      "PGRST200",
      "Could not find a relationship between '\(parent)' and '\(embed.name)' in the schema cache",
      details: "Searched for a foreign key relationship between '\(parent)' and '\(embed.name)"
        + "\(using)' in the schema '\(origin.name.schema)', but no matches were found.",
      hint: nearest.map { "Perhaps you meant '\($0)' instead of '\(embed.name)'." })
  }

  private func ambiguous(
    _ embed: RequestEmbed, among found: [Relationship]
  ) -> NestedSelectError {
    let hints = found.map { hint(for: $0, among: found) }
    return NestedSelectError(
      "PGRST201",
      "Could not embed because more than one relationship was found for "
        + "'\(origin.name.name)' and '\(embed.name)'",
      hint: "Try changing '\(embed.name)' to one of the following: "
        + hints.joined(separator: ", ")
        + ". Find the desired relationship in the 'details' key.",
      candidates: found.map(candidate))
  }

  /// The spelling of an embed that means this relationship only.
  private func hint(for relationship: Relationship, among found: [Relationship]) -> String {
    let target = name(of: relationship.target)
    switch relationship.route {
    case .toParent(let link), .toChildren(let link): return "'\(target)!\(link.name)'"
    case .throughJunction(let near, let far):
      let isShared = found.contains { other in
        guard other != relationship, case .throughJunction(let its, _) = other.route else {
          return false
        }
        return its.child == near.child
      }
      return "'\(target)!\(isShared ? far.name : name(of: near.child))'"
    }
  }

  private func candidate(_ relationship: Relationship) -> NestedSelectError.Candidate {
    func list(_ columns: [Int], _ table: ObjectID) -> String {
      "(" + names(columns, of: table).joined(separator: ", ") + ")"
    }
    let text: String
    switch relationship.route {
    case .toParent(let link):
      text =
        "\(link.name) using \(name(of: link.child))\(list(link.columns, link.child)) and "
        + "\(name(of: link.parent))\(list(link.parentColumns, link.parent))"
    case .toChildren(let link):
      text =
        "\(link.name) using \(name(of: link.parent))\(list(link.parentColumns, link.parent)) and "
        + "\(name(of: link.child))\(list(link.columns, link.child))"
    case .throughJunction(let near, let far):
      text =
        "\(name(of: near.child)) using \(near.name)\(list(near.columns, near.child)) and "
        + "\(far.name)\(list(far.columns, far.child))"
    }
    return NestedSelectError.Candidate(
      cardinality: relationship.cardinality.rawValue,
      embedding: "\(origin.name.name) with \(name(of: relationship.target))", relationship: text)
  }
}
