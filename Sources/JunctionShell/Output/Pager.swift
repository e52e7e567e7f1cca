#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The program that shows what is taller than the screen: `PAGER`, or else `less`.
enum Pager {
  /// Hands what `body` writes to the pager, and waits for its end; `output` takes it where there is none.
  static func run(_ body: (OutputStream) -> Void, otherwise output: OutputStream) {
    let command = Environment["JUNCTION_PAGER"] ?? Environment["PSQL_PAGER"] ?? Environment["PAGER"]
    let chosen = command ?? "less -SRFX"
    // An empty name asks for no pager, as psql has it.
    guard chosen.contains(where: { $0 != " " && $0 != "\t" }),
      let pipe = unsafe popen(chosen, "w")
    else {
      body(output)
      return
    }
    // Ctrl-C is for the pager as long as it is there.
    let previous = signal(SIGINT, SIG_IGN)
    let stream = OutputStream(descriptor: unsafe fileno(pipe))
    body(stream)
    stream.flush()
    unsafe _ = pclose(pipe)
    _ = signal(SIGINT, previous)
  }
}
