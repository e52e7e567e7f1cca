import Diagnostics
import Junction

/// Commands about files that are read and written.
extension Shell {
  /// `\o`: results go to a file or a program, or again to standard output.
  ///
  /// - Throws: 58P01 for a file that cannot be written.
  func redirect(to path: String?) throws(SQLError) {
    endRedirection()
    if let path { redirected = try openOutput(path) }
  }

  /// A name relative to the script that is being read.
  func resolved(_ name: String) -> String {
    guard !name.hasPrefix("/"), let currentFile, let slash = currentFile.lastIndex(of: "/") else {
      return Self.expandedPath(name)
    }
    return currentFile[...slash] + name
  }

  /// A path with the home folder in the place of its `~`.
  static func expandedPath(_ path: String) -> String {
    guard path == "~" || path.hasPrefix("~/"), let home = Environment["HOME"] else { return path }
    return home + path.dropFirst()
  }

  /// A file, or with `|` a program, to write to.
  ///
  /// - Throws: 58P01 with the system's reason.
  func openOutput(_ path: String) throws(SQLError) -> OutputStream {
    guard path.hasPrefix("|") else { return try OutputStream(path: Self.expandedPath(path)) }
    let command = path.dropFirst().drop(while: \.isWhitespace)
    guard !command.isEmpty else {
      throw SQLError(.syntaxError, "no program is named behind \"|\"")
    }
    // What was printed before stands before what the program prints.
    flushOutputs()
    return try OutputStream(program: String(command))
  }

  /// Writes a small text to a file or program.
  func writeFile(_ path: String, _ text: String) {
    do throws(SQLError) {
      let stream = try openOutput(path)
      stream.write(text)
      if let reason = stream.finish() { reportMeta("\(path): \(reason)") }
    } catch {
      reportMeta(error.message)
    }
  }

  /// The most scripts that may be open one within another.
  private static let scriptDepthMax = 64

  /// Runs a script file.
  func runFile(_ path: String) {
    guard depth < Self.scriptDepthMax else {
      reportMeta("\(path): scripts are nested too deeply")
      return
    }
    let outer = (currentFile, currentLine)
    isHushed = false
    do throws(SQLError) {
      let reader = path == "-" ? LineReader(descriptor: 0) : try LineReader(path: path)
      depth += 1
      currentFile = path == "-" ? nil : path
      currentLine = 0
      let runner = ScriptRunner(self, reader)
      runner.run()
      runner.finish()
      depth -= 1
    } catch {
      reportMeta(error.message)
    }
    (currentFile, currentLine) = outer
  }
}
