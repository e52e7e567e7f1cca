import Foundation

/// Shows that a database keeps what it acknowledged, and hunts for wrong answers: the long runs of the tests.
///
/// `.ci/durability` and `.ci/hunt` call it; see there, and `Reliability` in the documentation.
signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())
let isFull = arguments.contains("full")
let folder = NSTemporaryDirectory() + "junction-proof-\(ProcessInfo.processInfo.processIdentifier)"

/// What stands behind an option.
func value(_ option: String) -> String? {
  arguments.firstIndex(of: option).flatMap { $0 + 1 < arguments.count ? arguments[$0 + 1] : nil }
}

let seed = value("--seed").flatMap(UInt64.init) ?? 1
let seconds = value("--seconds").flatMap(Double.init) ?? (isFull ? 3600 : 60)

func hunt(_ part: String) -> HuntProof {
  HuntProof(
    part: part, isFull: isFull, seed: seed,
    seconds: value("--histories") != nil && value("--seconds") == nil ? 3600 : seconds,
    peer: value("--postgres"), rounds: value("--histories").flatMap(Int.init) ?? .max)
}

func run() throws -> Bool {
  guard let what = arguments.first else {
    print(
      """
      usage: JunctionProof kills TOOL | faults TOOL | cuts | damage | mutants [full | COUNT]
             JunctionProof cancels [PART OF A NAME] [full | COUNT] | memory [full | MEGABYTES]
             JunctionProof threads [full] [--seed N] [--seconds N]
             JunctionProof walks | oracles | functions | shapes | bytes | statements | faces
               [small | full] [--seed N] [--seconds N] [--histories N] [--postgres 'CONNECTION']
      """)
    return false
  }
  if what == "write" {
    try KillProof.write(Array(arguments.dropFirst()))
    return true
  }
  if what == "hunt-replay" {
    try HuntProof.replay(arguments[1])
    return true
  }
  if what == "hunt-child" {
    hunt(arguments[1]).runAsChild(tracing: arguments.contains("--trace"))
    return true
  }
  if HuntProof.part(named: what, isFull: isFull) != nil { return try hunt(what).run() }
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  let given = arguments.last.flatMap(Int.init)
  func count(small: Int, full: Int) -> Int { given ?? (isFull ? full : small) }
  switch what {
  case "kills":
    return try KillProof(tool: arguments[1], folder: folder).run(count(small: 60, full: 2000))
  case "faults":
    return try FaultProof(tool: arguments[1], folder: folder).run(step: isFull ? 1 : 7)
  case "cuts": return try CutProof.run(count(small: 20_000, full: 1_000_000))
  case "damage":
    return try DamageProof.run(bytes: count(small: 8_000, full: 65_536), step: isFull ? 1 : 5)
  case "mutants": return try MutantProof.run(count(small: 20_000, full: 10_000_000))
  case "cancels":
    let pattern = arguments.dropFirst().first { $0 != "full" && Int($0) == nil }
    return try CancelProof(scale: isFull ? 8_000_000 : 1_000_000, folder: folder)
      .run(rounds: count(small: 3, full: 100), only: pattern)
  case "threads":
    return ThreadProof(seed: seed, seconds: seconds, folder: folder).run()
  case "memory":
    return try MemoryProof(limitMegabytes: count(small: 1024, full: 4096))
      .run(count: 30, seconds: isFull ? 120 : 30)
  default:
    print("there is no proof \"\(what)\"")
    return false
  }
}

exit(try run() ? 0 : 1)
