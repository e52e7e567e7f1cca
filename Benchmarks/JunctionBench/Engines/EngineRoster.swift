import Foundation

/// Makes the engines of a run, and says of those that are not there how to install them.
struct EngineRoster {
  let home: String
  let environment: String
  let threads: Int

  /// What installs the peers that come from PyPI.
  private var installCommand: String {
    let command = "Benchmarks/Peers/install.sh"
    return environment == RunOptions.defaultEnvironment ? command : "\(command) \(environment)"
  }

  /// - Returns: the engine, or what the record says of one that is missing.
  func engine(_ id: String) -> Result<any Engine, MissingEngine> {
    switch id {
    case "junction": return .success(JunctionEngine(threads: threads))
    case "limit1": return .success(LimitEngine(threads: 1))
    case "limit2": return .success(LimitEngine(threads: 2))
    case "sqlite":
      return made(SQLiteEngine.outline) { () throws(BenchError) in try SQLiteEngine() }
    case "duckdb":
      return made(DuckDBEngine.outline) { () throws(BenchError) in
        try DuckDBEngine(environment: environment, threads: threads)
      }
    case "hyper": return script(ScriptEngine.hyper)
    default: return script(ScriptEngine.ladybug)
    }
  }

  private func script(_ outline: BenchEngine) -> Result<any Engine, MissingEngine> {
    made(outline) { () throws(BenchError) in
      let python = "\(environment)/bin/python3"
      let path = "\(home)/Peers/\(outline.id).py"
      guard FileManager.default.isExecutableFile(atPath: python) else {
        throw BenchError("there is no Python environment in \(environment)")
      }
      guard FileManager.default.fileExists(atPath: path) else {
        throw BenchError("its script \(path) is missing")
      }
      return try ScriptEngine(outline, script: path, python: python, threads: threads)
    }
  }

  private func made(
    _ outline: BenchEngine, _ make: () throws(BenchError) -> any Engine
  ) -> Result<any Engine, MissingEngine> {
    do throws(BenchError) {
      return .success(try make())
    } catch {
      var outline = outline
      outline.missingReason = error.description
      outline.installCommand = outline.installCommand ?? installCommand
      return .failure(MissingEngine(record: outline))
    }
  }
}

/// An engine that is not there.
struct MissingEngine: Error {
  let record: BenchEngine
}
