import Durability

/// The calls that change names, and what the others find.
extension SimulatedState {
  /// The file behind an opening.
  func file(
    _ file: DiskFile, _ operation: DiskError.Operation
  ) -> Result<(Int, File), DiskError> {
    guard let opening = openings[file.descriptor], case .file(let contents) = nodes[opening.node]
    else { return .failure(DiskError(operation, file.path, code: DiskError.badFile)) }
    return .success((opening.node, contents))
  }

  mutating func open(_ path: String, _ mode: OpenMode) -> Result<DiskFile, DiskError> {
    var node = self.node(at: path)
    if case .create = mode {
      guard node == nil else {
        return .failure(DiskError(.open, path, code: DiskError.exists))
      }
      guard let (folder, name) = place(of: path) else {
        return .failure(DiskError(.open, path, code: DiskError.missing))
      }
      nodes.append(.file(File()))
      node = nodes.count - 1
      change(.enter(name, node: nodes.count - 1), in: folder)
    }
    guard let node, case .file = nodes[node] else {
      return .failure(DiskError(.open, path, code: DiskError.missing))
    }
    let descriptor = nextDescriptor
    nextDescriptor += 1
    openings[descriptor] = Opening(node: node, mode: mode)
    return .success(DiskFile(descriptor: descriptor, path: path))
  }

  mutating func rename(_ path: String, to newPath: String) -> Result<Void, DiskError> {
    guard let node = node(at: path), let (folder, name) = place(of: path),
      let (newFolder, newName) = place(of: newPath), folder == newFolder
    else { return .failure(DiskError(.rename, path, code: DiskError.missing)) }
    change(.rename(name, to: newName, node: node), in: folder)
    return .success(())
  }

  mutating func unlink(_ path: String) -> Result<Void, DiskError> {
    guard node(at: path) != nil, let (folder, name) = place(of: path) else {
      return .failure(DiskError(.unlink, path, code: DiskError.missing))
    }
    change(.remove(name), in: folder)
    return .success(())
  }

  mutating func makeDirectory(_ path: String) -> Result<Void, DiskError> {
    guard node(at: path) == nil else {
      return .failure(DiskError(.makeDirectory, path, code: DiskError.exists))
    }
    guard let (folder, name) = place(of: path) else {
      return .failure(DiskError(.makeDirectory, path, code: DiskError.missing))
    }
    nodes.append(.folder(Folder()))
    change(.enter(name, node: nodes.count - 1), in: folder)
    return .success(())
  }

  mutating func removeDirectory(_ path: String) -> Result<Void, DiskError> {
    guard let node = node(at: path), let (folder, name) = place(of: path),
      case .folder(let contents) = nodes[node]
    else { return .failure(DiskError(.removeDirectory, path, code: DiskError.missing)) }
    guard contents.visible.isEmpty else {
      return .failure(DiskError(.removeDirectory, path, code: DiskError.notEmpty))
    }
    change(.remove(name), in: folder)
    return .success(())
  }

  /// A sync that fails.
  ///
  /// A part of the changes reaches the disk, and the system forgets that the rest was not written.
  /// Programs go on to see them.
  mutating func loseChanges(of path: String, seed: UInt64) {
    guard let node = node(at: path), case .file(var file) = nodes[node] else { return }
    var random = SimulationRandom(seed: seed)
    Self.applySome(file.pending, to: &file.durable, &random)
    file.pending = []
    nodes[node] = .file(file)
  }
}
