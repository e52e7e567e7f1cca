import Catalog

/// What stands behind `\d`: a name, perhaps with a schema, in which `*` and `?` stand for any letters.
struct NamePattern {
  /// One part: characters and the wildcards outside of quotes.
  private enum Piece: Equatable { case character(Character), one, any }
  private let schema: [Piece]?
  private let name: [Piece]
  /// The pattern as it was typed.
  let text: String
  /// Whether it may fit more than one name.
  var hasWildcard: Bool { name.contains(.any) || name.contains(.one) }

  /// Reads a pattern: letters outside of double quotes are folded to lower case.
  init(_ text: String) {
    self.text = text
    var parts: [[Piece]] = [[]]
    var isQuoted = false
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case "." where !isQuoted: parts.append([])
      case "*" where !isQuoted: parts[parts.count - 1].append(.any)
      case "?" where !isQuoted: parts[parts.count - 1].append(.one)
      default:
        let folded = isQuoted ? String(character) : character.lowercased()
        parts[parts.count - 1] += folded.map(Piece.character)
      }
    }
    name = parts.removeLast()
    schema = parts.last
  }

  /// Whether an object of this name is meant; without a schema those of the search path are, and where `inSystem` says so
  /// those of the system.
  func matches(_ object: ObjectName, inSystem: Bool = false) -> Bool {
    if let schema {
      guard Self.matches(schema[...], object.schema[...]) else { return false }
    } else if !inSystem && object.schema != "public" && object.schema != "pg_temp" {
      return false
    }
    return name.isEmpty || Self.matches(name[...], object.name[...])
  }

  /// Whether a name without a schema is meant.
  func matches(_ word: String) -> Bool { name.isEmpty || Self.matches(name[...], word[...]) }

  /// Whether the pieces fit the text, by going back to the last `*` where they do not.
  ///
  /// - Complexity: O(pieces × characters).
  private static func matches(_ pieces: ArraySlice<Piece>, _ text: Substring) -> Bool {
    var pieces = pieces
    var text = text
    var retry: (pieces: ArraySlice<Piece>, text: Substring)?
    while true {
      switch pieces.first {
      case .any:
        pieces.removeFirst()
        retry = (pieces, text)
        continue
      case .one where !text.isEmpty:
        pieces.removeFirst()
        text.removeFirst()
        continue
      case .character(let character) where text.first == character:
        pieces.removeFirst()
        text.removeFirst()
        continue
      case nil where text.isEmpty: return true
      case .character, .one, nil: break
      }
      guard let last = retry, !last.text.isEmpty else { return false }
      pieces = last.pieces
      text = last.text.dropFirst()
      retry = (pieces, text)
    }
  }
}
