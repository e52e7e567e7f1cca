package import Diagnostics
import SQLSyntax

/// What keeps a query from being translated.
package struct Refusal: Error, Sendable, Hashable {
  /// What it is about, by which its place in the text is found.
  package enum Subject: Sendable, Hashable {
    /// A call of a function of this name.
    case function(String)
    /// An operator.
    case symbol(String)
    /// A word that stands by itself.
    case word(String)
    case statement
  }
  /// Why, as a sentence without a full stop.
  package var reason: String
  package var subject: Subject

  package init(_ reason: String, about subject: Subject = .statement) {
    self.reason = reason
    self.subject = subject
  }

  /// Where the subject stands in the text of a statement; nil if it is not found.
  package func range(in statement: String) -> SourceRange? {
    let search: TokenSearch
    switch subject {
    case .function(let name): search = TokenSearch(.function(name))
    case .symbol(let symbol): search = TokenSearch(.symbol(symbol))
    case .word(let word): search = TokenSearch(.word(word))
    case .statement: return nil
    }
    return search.firstRange(in: statement)
  }
}
