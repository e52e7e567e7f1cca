package import Diagnostics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A call to the disk that failed: what was asked, of which file, and the system's number for why.
package struct DiskError: Error, Hashable {
  /// What was asked.
  package enum Operation: String, Sendable {
    case open, close, read, write, size, truncate, sync, lock, map
    case rename, unlink, syncDirectory, list, makeDirectory, removeDirectory, exists
  }

  /// The reasons that something is made of; others are just told.
  package enum Reason: Sendable {
    case diskFull, interrupted, missing, exists, permission, other
  }

  package let operation: Operation
  package let path: String
  /// The system's error number.
  package let code: Int32

  package init(_ operation: Operation, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  package var reason: Reason {
    switch code {
    case ENOSPC, EDQUOT: .diskFull
    case EINTR: .interrupted
    case ENOENT, ENOTDIR: .missing
    case EEXIST: .exists
    case EACCES, EPERM, EROFS: .permission
    default: .other
    }
  }

  /// The numbers of errors that tests make and that loops give up with.
  package static let ioError = EIO
  package static let noSpace = ENOSPC
  package static let interrupted = EINTR
  package static let missing = ENOENT
  package static let exists = EEXIST
  package static let notDirectory = ENOTDIR
  package static let badFile = EBADF
  package static let notEmpty = ENOTEMPTY
}

extension DiskError {
  /// The error as a statement reports it: 53100, 42501, 58P01, 58P02 or 58030.
  package var sqlError: SQLError {
    let reasonText = unsafe String(cString: strerror(code))
    let message = "could not \(task): \(reasonText)"
    switch reason {
    case .diskFull:
      return SQLError(
        .diskFull, message,
        hint: "Free some space on the disk and try again. What was committed before is safe.")
    case .permission:
      return SQLError(
        .insufficientPrivilege, message,
        hint: "The user that runs the program needs the right to read and write there.")
    case .missing: return SQLError(.undefinedFile, message)
    case .exists: return SQLError(.duplicateFile, message)
    case .interrupted, .other:
      return SQLError(
        .ioError, message, hint: "The disk, or the system it is attached to, has a problem.")
    }
  }

  /// What was to be done, as it follows "could not".
  private var task: String {
    switch operation {
    case .open: "open file \"\(path)\""
    case .close: "close file \"\(path)\""
    case .read: "read from file \"\(path)\""
    case .write: "write to file \"\(path)\""
    case .size: "find the size of file \"\(path)\""
    case .truncate: "truncate file \"\(path)\""
    case .sync: "bring file \"\(path)\" to the disk"
    case .lock: "lock file \"\(path)\""
    case .map: "map file \"\(path)\" into memory"
    case .rename: "rename file \"\(path)\""
    case .unlink: "remove file \"\(path)\""
    case .syncDirectory: "bring folder \"\(path)\" to the disk"
    case .list: "list folder \"\(path)\""
    case .makeDirectory: "make folder \"\(path)\""
    case .removeDirectory: "remove folder \"\(path)\""
    case .exists: "look for file \"\(path)\""
    }
  }
}

/// Runs `body`, whose disk errors become those of a statement.
package func reportingDiskErrors<Result: ~Copyable>(
  _ body: () throws(DiskError) -> Result
) throws(SQLError) -> Result {
  do { return try body() } catch { throw error.sqlError }
}
