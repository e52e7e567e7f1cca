import Columnar
import Durability

/// What a simulated machine knows of its disk at one moment: a value, so that a copy is a fork.
///
/// For each file there are the bytes that survive the loss of power, the changes since that may or
/// may not, and the bytes that programs see. Likewise for the names in each folder.
package struct SimulatedState: Sendable {
  enum FileChange: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  struct File: Sendable {
    var durable: [UInt8] = []
    var pending: [FileChange] = []
    var visible: [UInt8] = []
  }

  enum NameChange: Sendable {
    case enter(String, node: Int)
    case remove(String)
    case rename(String, to: String, node: Int)
  }

  struct Folder: Sendable {
    var durable: [String: Int] = [:]
    var pending: [NameChange] = []
    var visible: [String: Int] = [:]
  }

  enum Node: Sendable {
    case file(File)
    case folder(Folder)
  }

  struct Opening: Sendable {
    let node: Int
    let mode: OpenMode
    var lock: LockMode?
  }

  /// All files and folders that ever were; the first is the root.
  var nodes: [Node] = [.folder(Folder())]
  var openings: [Int32: Opening] = [:]
  var nextDescriptor: Int32 = 3
  /// What the test last noted, such as how many commits were acknowledged.
  package var note = 0
  /// How long a file may become; nil for no limit.
  var fileByteLimit: Int?

  package init() {}
}

extension SimulatedState.FileChange {
  /// Makes the change in full.
  func apply(to bytes: inout [UInt8]) {
    switch self {
    case .write(let offset, let written):
      let end = offset + written.count
      if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
      bytes.replaceSubrange(offset..<end, with: written)
    case .truncate(let size):
      if size < bytes.count {
        bytes.removeLast(bytes.count - size)
      } else {
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
      }
    }
  }
}

extension SimulatedState.NameChange {
  /// Makes the change.
  func apply(to names: inout [String: Int]) {
    switch self {
    case .enter(let name, let node): names[name] = node
    case .remove(let name): names[name] = nil
    case .rename(let name, let newName, let node):
      names[name] = nil
      names[newName] = node
    }
  }
}

// MARK: Paths

extension SimulatedState {
  /// The node with this path, if there is one.
  func node(at path: String) -> Int? {
    var node = 0
    for part in path.split(separator: "/") where part != "." {
      guard case .folder(let folder) = nodes[node], let next = folder.visible[String(part)] else {
        return nil
      }
      node = next
    }
    return node
  }

  /// The folder that holds a path, and the path's last name.
  func place(of path: String) -> (folder: Int, name: String)? {
    let parts = path.split(separator: "/").filter { $0 != "." }
    guard let last = parts.last else { return nil }
    let parent = parts.dropLast().joined(separator: "/")
    guard let folder = node(at: parent), case .folder = nodes[folder] else { return nil }
    return (folder, String(last))
  }

  mutating func change(_ change: NameChange, in node: Int) {
    guard case .folder(var folder) = nodes[node] else { return }
    nodes[node] = .folder(Folder())
    change.apply(to: &folder.visible)
    folder.pending.append(change)
    nodes[node] = .folder(folder)
  }

  mutating func change(_ change: FileChange, of node: Int) {
    guard case .file(var file) = nodes[node] else { return }
    nodes[node] = .file(File())
    change.apply(to: &file.visible)
    file.pending.append(change)
    nodes[node] = .file(file)
  }

  /// Makes the changes of a node durable: all of them, or the first of a file's.
  mutating func sync(_ node: Int, first count: Int = .max) {
    switch nodes[node] {
    case .file(var file):
      nodes[node] = .file(File())
      // Change by change: what an earlier failure dropped is clean to the system and stays lost.
      for change in file.pending.prefix(count) { change.apply(to: &file.durable) }
      file.pending.removeFirst(min(count, file.pending.count))
      nodes[node] = .file(file)
    case .folder(var folder):
      folder.durable = folder.visible
      folder.pending = []
      nodes[node] = .folder(folder)
    }
  }
}
