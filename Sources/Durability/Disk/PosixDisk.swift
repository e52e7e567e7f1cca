package import Columnar

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file system of the machine.
package struct PosixDisk: Disk {
  package init() {}

  package var processID: Int32 { getpid() }

  package func absolutePath(_ path: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    return unsafe String(cString: folder) + "/" + path
  }

  package func open(_ path: String, _ mode: OpenMode) throws(DiskError) -> DiskFile {
    // Without blocking, so that a pipe that bears the file's name cannot hold us up.
    var flags = O_CLOEXEC | O_NONBLOCK
    switch mode {
    case .read: flags |= O_RDONLY
    case .readWrite: flags |= O_RDWR
    case .create: flags |= O_RDWR | O_CREAT | O_EXCL
    }
    var descriptor = openFile(path, flags)
    if descriptor < 0 { throw DiskError(.open, path, code: errno) }
    if descriptor <= 2 {
      // Who writes to standard output or error must never write to a database.
      let higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
      let code = errno
      _ = closeFile(descriptor)
      if higher < 0 { throw DiskError(.open, path, code: code) }
      descriptor = higher
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = closeFile(descriptor)
      throw DiskError(.open, path, code: EINVAL)
    }
    return DiskFile(descriptor: descriptor, path: path)
  }

  package func close(_ file: DiskFile) throws(DiskError) {
    if closeFile(file.descriptor) != 0 { throw DiskError(.close, file.path, code: errno) }
  }

  package func read(
    _ file: DiskFile, at offset: UInt64, into bytes: inout MutableSpan<UInt8>, from start: Int
  ) throws(DiskError) -> Int {
    precondition(start >= 0 && start <= bytes.count, "bytes are read into the span")
    guard let place = off_t(exactly: offset) else { throw DiskError(.read, file.path, code: EFBIG) }
    let count = unsafe bytes.withUnsafeMutableBytes { room in
      guard let base = room.baseAddress, start < room.count else { return 0 }
      return unsafe pread(file.descriptor, base + start, room.count - start, place)
    }
    if count < 0 { throw DiskError(.read, file.path, code: errno) }
    return count
  }

  package func write(
    _ file: DiskFile, at offset: UInt64, _ bytes: Span<UInt8>
  ) throws(DiskError) -> Int {
    guard let place = off_t(exactly: offset) else {
      throw DiskError(.write, file.path, code: EFBIG)
    }
    let count = unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe pwrite(file.descriptor, base, bytes.count, place)
    }
    if count < 0 { throw DiskError(.write, file.path, code: errno) }
    return count
  }

  package func write(
    _ file: DiskFile, at offset: UInt64, pieces: [Buffer<UInt8>]
  ) throws(DiskError) -> Int {
    guard let place = off_t(exactly: offset) else {
      throw DiskError(.write, file.path, code: EFBIG)
    }
    // A piece stays where it is as long as the array that holds it.
    let count = withExtendedLifetime(pieces) {
      let vectors = unsafe pieces.prefix(Self.pieceLimit).map { piece in
        unsafe piece.withBytes(0..<piece.count) { span in
          unsafe span.withUnsafeBytes { bytes in
            unsafe iovec(
              iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
          }
        }
      }
      return unsafe pwritev(file.descriptor, vectors, Int32(vectors.count), place)
    }
    if count < 0 { throw DiskError(.write, file.path, code: errno) }
    return count
  }

  /// How many pieces are written at once; every system takes more.
  private static let pieceLimit = 64

  package func size(_ file: DiskFile) throws(DiskError) -> UInt64 {
    var status = stat()
    if unsafe fstat(file.descriptor, &status) != 0 {
      throw DiskError(.size, file.path, code: errno)
    }
    return UInt64(max(status.st_size, 0))
  }

  package func truncate(_ file: DiskFile, to size: UInt64) throws(DiskError) {
    guard let size = off_t(exactly: size) else {
      throw DiskError(.truncate, file.path, code: EFBIG)
    }
    if ftruncate(file.descriptor, size) != 0 {
      throw DiskError(.truncate, file.path, code: errno)
    }
  }

  package func sync(_ file: DiskFile, _ scope: SyncScope) throws(DiskError) {
    if syncFile(file.descriptor, scope) != 0 { throw DiskError(.sync, file.path, code: errno) }
  }

  package func startWriting(_ file: DiskFile, _ range: Range<UInt64>) {
    #if os(Linux)
      // Pages that are not on the disk yet are put on their way there, and none of them leaves the memory.
      _ = posix_fadvise(
        file.descriptor, off_t(range.lowerBound), off_t(range.count), POSIX_FADV_DONTNEED)
    #endif
  }

  package func reserve(_ file: DiskFile, _ range: Range<UInt64>) -> Bool {
    #if os(Linux)
      guard let fallocate, let start = off_t(exactly: range.lowerBound) else {
        return false
      }
      return fallocate(file.descriptor, keepSize, start, off_t(range.count)) == 0
    #else
      return false
    #endif
  }

  package func lock(_ file: DiskFile, _ mode: LockMode) throws(DiskError) -> Bool {
    // Such a lock belongs to the opening, not to the process: closing another descriptor of the same
    // file does not lose it, and a second opening by ourselves is refused too.
    let operation = mode == .exclusive ? LOCK_EX : LOCK_SH
    if flock(file.descriptor, operation | LOCK_NB) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw DiskError(.lock, file.path, code: errno)
  }

  package func map(_ file: DiskFile) throws(DiskError) -> MappedFile {
    guard let size = Int(exactly: try size(file)) else {
      throw DiskError(.map, file.path, code: EFBIG)
    }
    if size == 0 { return MappedFile(block: MemoryBlock(byteCount: 0), byteCount: 0) }
    let mapping = unsafe mmap(nil, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0)
    guard let mapping = unsafe mapping, unsafe mapping != MAP_FAILED else {
      throw DiskError(.map, file.path, code: errno)
    }
    return unsafe MappedFile(
      block: MemoryBlock(mapping: mapping, byteCount: size), byteCount: size)
  }
}

extension PosixDisk {
  package func rename(_ path: String, to newPath: String) throws(DiskError) {
    if renameFile(path, newPath) != 0 { throw DiskError(.rename, path, code: errno) }
  }

  package func unlink(_ path: String) throws(DiskError) {
    if unlinkFile(path) != 0 { throw DiskError(.unlink, path, code: errno) }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw DiskError(.syncDirectory, path, code: errno) }
    let result = syncFile(descriptor, .all)
    let code = errno
    _ = closeFile(descriptor)
    if result != 0 { throw DiskError(.syncDirectory, path, code: code) }
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    guard let directory = unsafe opendir(path) else {
      throw DiskError(.list, path, code: errno)
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw DiskError(.list, path, code: errno) }
    return names
  }

  package func makeDirectory(_ path: String) throws(DiskError) {
    if unsafe mkdir(path, 0o700) != 0 { throw DiskError(.makeDirectory, path, code: errno) }
  }

  package func removeDirectory(_ path: String) throws(DiskError) {
    if unsafe rmdir(path) != 0 { throw DiskError(.removeDirectory, path, code: errno) }
  }

  package func exists(_ path: String) throws(DiskError) -> Bool {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return true }
    if errno == ENOENT || errno == ENOTDIR { return false }
    throw DiskError(.exists, path, code: errno)
  }
}

// The calls whose names the disk's own methods hide. Files are for their owner alone.

private func openFile(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags, 0o600) }
private func closeFile(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func renameFile(_ path: String, _ newPath: String) -> Int32 { unsafe rename(path, newPath) }
private func unlinkFile(_ path: String) -> Int32 { unsafe unlink(path) }

private func syncFile(_ descriptor: Int32, _ scope: SyncScope) -> Int32 {
  #if canImport(Darwin)
    // `fsync` leaves the data in the drive's cache there.
    let result = fcntl(descriptor, F_FULLFSYNC)
    // Network and some other volumes do not know it.
    return result == -1 && errno == ENOTSUP ? fsync(descriptor) : result
  #else
    return scope == .data ? fdatasync(descriptor) : fsync(descriptor)
  #endif
}

#if os(Linux)
  /// FALLOC_FL_KEEP_SIZE.
  private let keepSize: Int32 = 1

  /// A function that the C library has and its module does not show.
  ///
  /// `posix_fallocate`, which it shows, writes to each page of the file where the file system cannot set space aside.
  private let fallocate = unsafe dlsym(nil, "fallocate").map { address in
    unsafe unsafeBitCast(
      address, to: (@convention(c) (Int32, Int32, off_t, off_t) -> Int32).self)
  }
#endif
