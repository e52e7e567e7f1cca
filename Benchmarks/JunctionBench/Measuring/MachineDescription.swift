import Foundation

/// What this run runs on, and what it was built from.
enum MachineDescription {
  static func machine(bandwidth: [MemoryBandwidth]) -> BenchMachine {
    BenchMachine(
      cpu: cpu, cores: ProcessInfo.processInfo.activeProcessorCount,
      memoryBytes: Int(ProcessInfo.processInfo.physicalMemory), operatingSystem: operatingSystem,
      bandwidth: bandwidth)
  }

  private static func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  private static var cpu: String {
    let line = text("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
  }

  private static var operatingSystem: String {
    let line = text("/etc/os-release")?.split(separator: "\n")
      .first { $0.hasPrefix("PRETTY_NAME=") }
    let name = line?.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""])
    let kernel = text("/proc/sys/kernel/osrelease")?.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let name else { return ProcessInfo.processInfo.operatingSystemVersionString }
    return kernel.map { "\(name), Linux \($0)" } ?? name
  }

  /// The commit of the sources in a folder, with "+" behind it where files have changed since.
  static func commit(of folder: String) -> String {
    guard let commit = output(["git", "-C", folder, "rev-parse", "--short=12", "HEAD"]) else {
      return "unknown"
    }
    let changes = output(["git", "-C", folder, "status", "--porcelain", "--untracked-files=no"])
    return changes?.isEmpty == false ? commit + "+" : commit
  }

  /// Whether this program was built before the commit in a folder was made, and so is not of it.
  static func isOlderThanCommit(of folder: String) -> Bool {
    let program = "/proc/self/exe"
    guard let text = output(["git", "-C", folder, "log", "-1", "--format=%ct"]),
      let commit = Double(text),
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: program),
      let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let built = attributes[.modificationDate] as? Date
    else { return false }
    return built.timeIntervalSince1970 < commit
  }

  /// Configuration and toolchain.
  static var build: String {
    #if DEBUG
      let configuration = "debug"
    #else
      let configuration = "release"
    #endif
    let toolchain = output(["swift", "--version"])?.split(separator: "\n")
      .first { $0.contains("Swift version") }
    return toolchain.map { "\(configuration), \($0)" } ?? configuration
  }

  /// What a command prints, nil where it fails.
  static func output(_ command: [String]) -> String? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
