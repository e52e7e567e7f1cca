import Columnar
package import Durability
import Foundation
import Synchronization

/// What goes wrong with a call.
package enum SimulatedFault: Hashable, Sendable {
  /// It fails with this number and changes nothing.
  case error(Int32)
  /// A read or write does a part of what it should; other calls work.
  case short
  /// A write says that all is well, and one bit of what it wrote is another; other calls work.
  case damage
  /// A sync fails, some of the changes are lost, and later syncs know nothing of it; other calls fail.
  case lostSync
  /// The machine stops: this call and all later ones fail.
  case crash
}

/// When something goes wrong.
package struct SimulatedFaultPlan: Hashable, Sendable {
  /// The number of the call, from 0.
  package var index: Int
  package var fault: SimulatedFault
  /// Whether all later calls have the fault, too.
  package var isForEver = false

  package init(at index: Int, _ fault: SimulatedFault, forEver isForEver: Bool = false) {
    self.index = index
    self.fault = fault
    self.isForEver = isForEver
  }
}

/// A disk in memory that does what it is told to do wrong, the same each time.
///
/// ```swift
/// let disk = SimulatedDisk()
/// disk.isRecording = true
/// … work on `disk`, with `disk.note = …` after each acknowledged commit …
/// for state in disk.history {
///   let survivor = SimulatedDisk(state.crash(seed: 7))
///   … open the database on `survivor`; at least `state.note` commits must be there …
/// }
/// ```
package final class SimulatedDisk: Disk {
  private struct Machine {
    var state: SimulatedState
    var plan: SimulatedFaultPlan?
    var operationCount = 0
    var isDown = false
    var isRecording = false
    var history: [SimulatedState] = []
    var syncCount = 0
    var syncMilliseconds = 0
    var reservations: [Range<UInt64>] = []
  }

  private let machine: Mutex<Machine>
  package let processID: Int32 = 4711

  /// A disk in this state; an empty one unless told otherwise.
  package init(
    _ state: SimulatedState = SimulatedState(), _ plan: SimulatedFaultPlan? = nil
  ) {
    machine = Mutex(Machine(state: state, plan: plan))
  }

  /// What the disk is like at this moment.
  package var state: SimulatedState { machine.withLock { $0.state } }
  /// How many calls there were.
  package var operationCount: Int { machine.withLock { $0.operationCount } }
  /// How many syncs of files succeeded.
  package var syncCount: Int { machine.withLock { $0.syncCount } }
  /// How long the sync of a file takes, for tests with threads; no time unless told otherwise.
  package var syncMilliseconds: Int {
    get { machine.withLock { $0.syncMilliseconds } }
    set { machine.withLock { $0.syncMilliseconds = newValue } }
  }
  /// Whether the state before each call that changes something is kept in `history`.
  package var isRecording: Bool {
    get { machine.withLock { $0.isRecording } }
    set { machine.withLock { $0.isRecording = newValue } }
  }
  /// The states in which the power may go, oldest first.
  package var history: [SimulatedState] { machine.withLock { $0.history } }
  /// What goes wrong from now on.
  package var plan: SimulatedFaultPlan? {
    get { machine.withLock { $0.plan } }
    set { machine.withLock { $0.plan = newValue } }
  }
  /// How long a file may become before the disk is full; nil for no limit.
  package var spaceLimit: Int? {
    get { machine.withLock { $0.state.fileByteLimit } }
    set { machine.withLock { $0.state.fileByteLimit = newValue } }
  }
  /// The space that was set aside, oldest first.
  package var reservations: [Range<UInt64>] { machine.withLock { $0.reservations } }
  /// Something that a test wants to find in the states of `history`.
  package var note: Int {
    get { machine.withLock { $0.state.note } }
    set { machine.withLock { $0.state.note = newValue } }
  }

  /// The bytes of a file as programs see them.
  package func bytes(of path: String) -> [UInt8]? {
    let state = self.state
    guard let node = state.node(at: path), case .file(let file) = state.nodes[node] else {
      return nil
    }
    return file.visible
  }

  /// The bytes of a file that would survive the loss of power if its name did.
  package func durableBytes(of path: String) -> [UInt8]? {
    let state = self.state
    guard let node = state.node(at: path), case .file(let file) = state.nodes[node] else {
      return nil
    }
    return file.durable
  }

  /// Puts a durable file in place, whatever is there.
  package func place(_ bytes: [UInt8], at path: String) {
    machine.withLock { machine in
      guard let (folder, name) = machine.state.place(of: path),
        case .folder(var names) = machine.state.nodes[folder]
      else { return }
      let file = SimulatedState.File(durable: bytes, pending: [], visible: bytes)
      if let node = names.visible[name] {
        machine.state.nodes[node] = .file(file)
        return
      }
      machine.state.nodes.append(.file(file))
      names.visible[name] = machine.state.nodes.count - 1
      names.durable[name] = machine.state.nodes.count - 1
      machine.state.nodes[folder] = .folder(names)
    }
  }

  // MARK: Calls

  package func absolutePath(_ path: String) -> String { path.hasPrefix("/") ? path : "/" + path }

  /// One call: counted, recorded, failed if it is its turn, or done.
  private func call<Result: Sendable>(
    _ operation: DiskError.Operation, _ path: String, isChange: Bool,
    _ body: (inout SimulatedState, _ fault: SimulatedFault?) -> Swift.Result<Result, DiskError>
  ) throws(DiskError) -> Result {
    let result = machine.withLock { machine -> Swift.Result<Result, DiskError> in
      let index = machine.operationCount
      machine.operationCount += 1
      if machine.isDown {
        return .failure(DiskError(operation, path, code: DiskError.ioError))
      }
      if machine.isRecording && isChange { machine.history.append(machine.state) }
      var fault: SimulatedFault?
      if let plan = machine.plan, index == plan.index || (plan.isForEver && index > plan.index) {
        // A file is closed whatever its closing reports.
        let works = plan.fault == .short || plan.fault == .damage
        if operation == .close && !works { _ = body(&machine.state, nil) }
        switch plan.fault {
        case .error(let code): return .failure(DiskError(operation, path, code: code))
        case .short, .damage: fault = plan.fault
        case .crash:
          machine.isDown = true
          return .failure(DiskError(operation, path, code: DiskError.ioError))
        case .lostSync:
          if operation == .sync { machine.state.loseChanges(of: path, seed: UInt64(index)) }
          return .failure(DiskError(operation, path, code: DiskError.ioError))
        }
      }
      let result = body(&machine.state, fault)
      if operation == .sync, case .success = result { machine.syncCount += 1 }
      return result
    }
    return try result.get()
  }

  package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
    let isChange = if case .create = mode { true } else { false }
    return try call(.open, path, isChange: isChange) { state, _ in
      state.open(path, mode)
    }
  }

  package func close(_ file: DiskFile) throws(DiskError) {
    try call(.close, file.path, isChange: false) { state, _ -> Result<Void, DiskError> in
      if state.openings.removeValue(forKey: file.descriptor) != nil { return .success(()) }
      return .failure(DiskError(.close, file.path, code: DiskError.badFile))
    }
  }

  package func read(
    _ file: DiskFile, at offset: UInt64, into bytes: inout MutableSpan<UInt8>, from start: Int
  ) throws(DiskError) -> Int {
    let room = bytes.count - start
    let found = try call(.read, file.path, isChange: false) { state, fault in
      state.file(file, .read).map { _, contents -> [UInt8] in
        let first = min(Int(clamping: offset), contents.visible.count)
        let count = min(room, contents.visible.count - first)
        return Array(contents.visible[first..<first + (fault == .short ? (count + 1) / 2 : count)])
      }
    }
    for index in found.indices { bytes[start + index] = found[index] }
    return found.count
  }

  package func write(
    _ file: DiskFile, at offset: UInt64, _ bytes: Span<UInt8>
  ) throws(DiskError) -> Int {
    var written: [UInt8] = []
    written.append(bytes: bytes)
    return try call(.write, file.path, isChange: true) { state, fault in
      if fault == .damage && !written.isEmpty { written[written.count / 2] ^= 4 }
      return state.file(file, .write).map { node, _ -> Int in
        var count = fault == .short ? (written.count + 1) / 2 : written.count
        if let limit = state.fileByteLimit {
          count = min(count, max(0, limit - Int(clamping: offset)))
        }
        state.change(
          .write(offset: Int(clamping: offset), bytes: Array(written.prefix(count))), of: node)
        return count
      }.flatMap { count in
        count == 0 && !written.isEmpty
          ? .failure(DiskError(.write, file.path, code: DiskError.noSpace)) : .success(count)
      }
    }
  }

  package func size(_ file: DiskFile) throws(DiskError) -> UInt64 {
    try call(.size, file.path, isChange: false) { state, _ in
      state.file(file, .size).map { UInt64($1.visible.count) }
    }
  }

  package func truncate(_ file: DiskFile, to size: UInt64) throws(DiskError) {
    try call(.truncate, file.path, isChange: true) { state, _ in
      state.file(file, .truncate).map { node, _ in
        state.change(.truncate(size: Int(clamping: size)), of: node)
      }
    }
  }

  package func sync(_ file: DiskFile, _ scope: SyncScope) throws(DiskError) {
    // What comes while a slow sync is under way is not made durable by it.
    let (milliseconds, begun) = machine.withLock { machine in
      (machine.syncMilliseconds, try? machine.state.file(file, .sync).get().1.pending.count)
    }
    if milliseconds > 0 { Thread.sleep(forTimeInterval: Double(milliseconds) / 1000) }
    try call(.sync, file.path, isChange: true) { state, _ in
      state.file(file, .sync).map { node, contents in
        state.sync(node, first: milliseconds > 0 ? begun ?? 0 : contents.pending.count)
      }
    }
  }

  package func reserve(_ file: DiskFile, _ range: Range<UInt64>) -> Bool {
    machine.withLock { machine in
      if let limit = machine.state.fileByteLimit, range.upperBound > limit { return false }
      machine.reservations.append(range)
      return !machine.isDown
    }
  }

  package func lock(_ file: DiskFile, _ mode: LockMode) throws(DiskError) -> Bool {
    try call(.lock, file.path, isChange: false) { state, _ in
      state.file(file, .lock).map { node, _ -> Bool in
        let excludes = state.openings.contains { descriptor, opening in
          guard descriptor != file.descriptor, opening.node == node, let held = opening.lock
          else { return false }
          return held == .exclusive || mode == .exclusive
        }
        if !excludes { state.openings[file.descriptor]?.lock = mode }
        return !excludes
      }
    }
  }

  package func map(_ file: DiskFile) throws(DiskError) -> MappedFile {
    let bytes = try call(.map, file.path, isChange: false) { state, _ in
      state.file(file, .map).map { $1.visible }
    }
    let block = MemoryBlock(byteCount: bytes.count + 64)
    let buffer = block.buffer(of: UInt8.self)
    for index in bytes.indices { buffer[index] = bytes[index] }
    return MappedFile(block: block, byteCount: bytes.count)
  }

  package func rename(_ path: String, to newPath: String) throws(DiskError) {
    try call(.rename, path, isChange: true) { state, _ in state.rename(path, to: newPath) }
  }

  package func unlink(_ path: String) throws(DiskError) {
    try call(.unlink, path, isChange: true) { state, _ in state.unlink(path) }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    try call(.syncDirectory, path, isChange: true) { state, _ -> Result<Void, DiskError> in
      guard let node = state.node(at: path) else {
        return .failure(DiskError(.syncDirectory, path, code: DiskError.missing))
      }
      state.sync(node)
      return .success(())
    }
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    try call(.list, path, isChange: false) { state, _ -> Result<[String], DiskError> in
      guard let node = state.node(at: path), case .folder(let folder) = state.nodes[node] else {
        return .failure(DiskError(.list, path, code: DiskError.missing))
      }
      return .success(folder.visible.keys.sorted())
    }
  }

  package func makeDirectory(_ path: String) throws(DiskError) {
    try call(.makeDirectory, path, isChange: true) { state, _ in state.makeDirectory(path) }
  }

  package func removeDirectory(_ path: String) throws(DiskError) {
    try call(.removeDirectory, path, isChange: true) { state, _ in state.removeDirectory(path) }
  }

  package func exists(_ path: String) throws(DiskError) -> Bool {
    try call(.exists, path, isChange: false) { state, _ in .success(state.node(at: path) != nil) }
  }
}
