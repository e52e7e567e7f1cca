#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

let status = BenchCommand.run(Array(CommandLine.arguments.dropFirst()))
exit(status)
