#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What was typed before, also in earlier sessions.
///
/// The file has one entry a line, in the order of time; line ends within an entry are written `\n`, backslashes `\\`. It is
/// readable by its owner only.
struct History {
  private(set) var entries: [String] = []
  private let path: String?

  private static let entryCountMax = 5_000

  /// The history kept at `path`, or only in memory.
  init(path: String?) {
    self.path = path
    guard let path, let text = TextFile.read(path) else { return }
    entries = text.split(separator: "\n").map { Self.decoded(String($0)) }
    let excess = entries.count - Self.entryCountMax
    guard excess > 0 else { return }
    entries.removeFirst(excess)
    // A file that has grown to twice what is kept is written anew.
    if excess > Self.entryCountMax {
      TextFile.replace(path, with: entries.map { Self.encoded($0) + "\n" }.joined())
    }
  }

  /// Where the history is kept: `JUNCTION_HISTORY`, or `.junction_history` in the home folder.
  static var defaultPath: String? {
    if let path = Environment["JUNCTION_HISTORY"] { return path.isEmpty ? nil : path }
    return Environment["HOME"].map { $0 + "/.junction_history" }
  }

  /// Adds an entry unless it repeats the last one.
  mutating func add(_ entry: String) {
    guard !entry.isEmpty, entries.last != entry else { return }
    entries.append(entry)
    guard let path else { return }
    TextFile.append(Self.encoded(entry) + "\n", to: path)
  }

  /// The nearest entry that holds `text`, at `start` or before it, or else at `start` or after it.
  func search(_ text: String, from start: Int, isForward: Bool) -> Int? {
    guard !text.isEmpty else { return nil }
    if isForward {
      guard start < entries.count else { return nil }
      return entries[max(0, start)...].firstIndex { $0.contains(text) }
    }
    guard start >= 0 else { return nil }
    return entries[...min(start, entries.count - 1)].lastIndex { $0.contains(text) }
  }

  static func encoded(_ entry: String) -> String {
    entry.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
  }

  static func decoded(_ line: String) -> String {
    var result = ""
    var isEscaped = false
    for character in line {
      if isEscaped {
        result.append(character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}

/// Variables of the environment.
enum Environment {
  static subscript(name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Sets a variable for programs that are started later; nil takes it away.
  static func set(_ name: String, to value: String?) {
    if let value {
      unsafe _ = setenv(name, value, 1)
    } else {
      unsafe _ = unsetenv(name)
    }
  }
}

/// Small text files: history, start-up file, scripts.
enum TextFile {
  /// The whole text, nil if it cannot be read.
  static func read(_ path: String) -> String? {
    guard let bytes = bytes(path) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All bytes, or the first of them; nil if they cannot be read.
  static func bytes(_ path: String, count: Int = .max) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let read = SystemRead.read(descriptor, into: &piece)
      if read < 0 { return nil }
      if read == 0 { return result }
      result += piece[..<read]
      if result.count >= count { return result }
    }
  }

  /// Whether the file can be read; nothing is taken from it, as it may be a pipe.
  static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

  /// Whether the file can be written, or made if it is not there.
  static func isWritable(_ path: String) -> Bool {
    if unsafe access(path, F_OK) == 0 { return unsafe access(path, W_OK) == 0 }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    return unsafe access(folder, W_OK) == 0
  }

  /// Adds to a file, making it for its owner only.
  static func append(_ text: String, to path: String) {
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    OutputStream(descriptor: descriptor, closing: true).write(text)
  }

  /// Puts a text in the place of a file's, whole or not at all.
  static func replace(_ path: String, with text: String) {
    let fresh = path + ".new"
    unsafe _ = unlink(fresh)
    // Half a file is worse than the old one.
    let isReplaced = create(fresh, text) ? unsafe rename(fresh, path) == 0 : false
    if !isReplaced { unsafe _ = unlink(fresh) }
  }

  /// Makes a file for its owner only; false if something of that name is there.
  static func create(_ path: String, _ text: String) -> Bool {
    let descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    let stream = OutputStream(descriptor: descriptor, closing: true)
    stream.write(text)
    return stream.finish() == nil
  }
}
