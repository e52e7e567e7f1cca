import Foundation

/// What a process takes up of the machine's memory.
enum ProcessMemory {
  static var own: EngineMemory { of(process: "self") }

  /// The memory of the process of a number, or of "self".
  static func of(process: String) -> EngineMemory {
    var memory = EngineMemory(resident: 0, peak: 0)
    #if os(Linux)
      guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/status") else {
        return memory
      }
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        let words = line.split { $0 == ":" || $0 == " " || $0 == "\t" }
        guard words.count >= 2, let kilobytes = Int(words[1]) else { continue }
        if words[0] == "VmRSS" { memory.resident = kilobytes * 1024 }
        if words[0] == "VmHWM" { memory.peak = kilobytes * 1024 }
      }
    #endif
    return memory
  }
}
