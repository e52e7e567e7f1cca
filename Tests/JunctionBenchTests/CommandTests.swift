import Testing

@testable import JunctionBench

@Suite("The commands of the benchmark")
struct CommandTests {
  private func command(_ name: String) throws -> Subcommand {
    try #require(CommandTable.command(name))
  }

  private func refusal(_ name: String, _ arguments: String...) throws -> String {
    let command = try command(name)
    do throws(BenchError) {
      _ = try CommandArguments(arguments, of: command)
      return "taken"
    } catch {
      return error.description
    }
  }

  @Test(
    "each say all of their options in their own help, and take them",
    arguments: CommandTable.all.map(\.name))
  func help(_ name: String) throws {
    let command = try command(name)
    let help = command.help()
    #expect(help.hasPrefix("Usage: junction-bench \(name)"))
    #expect(Set(command.options.map(\.name)).count == command.options.count)
    for option in command.options {
      #expect(help.contains("  \(option.synopsis)  "), "\(option.synopsis)")
    }
    for line in help.split(separator: "\n") { #expect(line.count <= 96, "\(line)") }
    for word in ["--help", "-h", "-?"] {
      #expect(try CommandArguments(["nonsense", "--nonsense", word], of: command).isHelp)
    }
    let isListed = BenchCommand.usage.contains("  \(name)  ")
    #expect(isListed != command.isInternal)
  }

  @Test("take options in any order, with a space or =")
  func options() throws {
    let command = try command("compare")
    let given = try CommandArguments(
      ["a.json", "--threshold=5%", "--quiet", "--size", "S,M", "b.json"], of: command)
    #expect(given.words == ["a.json", "b.json"])
    #expect(given.value(.threshold) == "5%")
    #expect(given.has(.quiet) && !given.has(.zipf))
    let options = try RunOptions(given)
    #expect(options.sizes == [.S, .M] && options.size == .S && options.threshold == 0.05)
    let loop = try CommandArguments(
      ["--seconds", "1", "--", "x", "--text"], of: self.command("loop"))
    #expect(loop.words == ["x", "--text"] && !loop.has(.text))
  }

  @Test("run with several numbers of threads")
  func threads() throws {
    let given = try CommandArguments(["--threads", "1,2,4"], of: command("run"))
    let options = try RunOptions(given)
    #expect(options.threadCounts == [1, 2, 4] && options.threads == 1)
  }

  @Test("refuse what they do not take, and say what comes nearest")
  func refusals() throws {
    #expect(try refusal("run", "--sizes", "S").contains("perhaps you meant --size;"))
    #expect(try refusal("run", "--thread=2").contains("perhaps you meant --threads;"))
    #expect(
      try refusal("loop", "--out", "x").contains("loop has no option --out; other commands have it")
    )
    #expect(try refusal("run", "word").contains("does not take \"word\""))
    #expect(try refusal("run", "--size") == "--size needs a value: --size SIZE")
    #expect(try refusal("run", "--quiet=yes") == "--quiet takes no value")
    #expect(try refusal("report").contains("junction-bench report RECORD... [OPTION]..."))
    #expect(try refusal("generate", "a", "b").contains("does not take \"b\""))
  }

  @Test(
    "refuse values that are none",
    arguments: [
      ["--size", "Q"], ["--size", ""], ["--threads", "0"], ["--threads", "1,x"], ["--threads", ""],
      ["--samples", "-1"], ["--seconds", "nan"], ["--seconds", "inf"], ["--group", "x"],
      ["--peers", "oracle"], ["--threshold", "much"], ["--seed", "99999999999999999999"],
    ])
  func values(_ arguments: [String]) throws {
    let given = try CommandArguments(arguments, of: command("run"))
    #expect(throws: BenchError.self) { try RunOptions(given) }
  }
}
