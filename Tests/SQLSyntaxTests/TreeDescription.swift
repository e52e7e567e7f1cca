@testable import SQLSyntax

/// A tree as text without the places of its nodes, to compare trees by what they mean.
func description(of tree: Any) -> String {
  var text = ""
  describe(tree, into: &text)
  return text
}

private func describe(_ value: Any, into text: inout String) {
  let mirror = Mirror(reflecting: value)
  let type = "\(mirror.subjectType)"
  if type == "SourceRange" { return }
  if mirror.children.isEmpty {
    text += "\(value) "
    return
  }
  if mirror.displayStyle == .enum, let label = mirror.children.first?.label { text += label }
  text += "("
  for child in mirror.children { describe(child.value, into: &text) }
  text += ")"
}
